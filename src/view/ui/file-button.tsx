/** A button that lets the user choose a file. */
import { type ReactNode, useRef } from "react";
import { Button } from "./button.tsx";

interface FileButtonProps {
  /** The kind of file, named for screen readers. */
  readonly label: string;
  /** The value of the input's `accept` attribute: file endings and types. */
  readonly accept: string;
  readonly onChoose: (file: File) => void;
  readonly weight?: "normal" | "quiet";
  readonly title?: string;
  readonly children: ReactNode;
}

export function FileButton({ label, accept, onChoose, children, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...button} icon="folder" onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={label}
        accept={accept}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) onChoose(file);
          // Allows choosing the same file again.
          target.value = "";
        }}
      />
    </>
  );
}
