/** Opens a run from a file that the user chooses. */
import { useRef } from "react";
import { Button } from "../../ui/button.tsx";

export function OpenFileButton({ onChoose }: { onChoose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        weight="quiet"
        icon="folder"
        title="Open a run from a .trace file, or from a page or picture that holds one"
        onClick={() => input.current?.click()}
      >
        Open a file
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="A run’s file"
        accept=".trace,.html,.png,.ts,.js"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onChoose(file);
          // The same file can be chosen again.
          target.value = "";
        }}
      />
    </>
  );
}
