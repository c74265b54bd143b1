/** A button that lets the user pick a folder on this disk. */
import { useRef } from "react";
import { Button } from "../../../view/ui/button.tsx";
import { filesOfInput, type PathFile } from "../store/picked-folder.ts";

interface FolderButtonProps {
  /** The label of the file field for screen readers. */
  readonly label: string;
  readonly onPick: (files: readonly PathFile[]) => void;
}

export function FolderButton({ label, onPick }: FolderButtonProps) {
  const folder = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="folder" onClick={() => folder.current?.click()}>
        Folder
      </Button>
      <input
        ref={(input) => {
          // React has no attribute for picking a folder.
          if (input) input.webkitdirectory = true;
          folder.current = input;
        }}
        type="file"
        hidden
        aria-label={label}
        onChange={({ target }) => {
          if (target.files?.length) onPick(filesOfInput(target.files));
          // Allows picking the same folder again.
          target.value = "";
        }}
      />
    </>
  );
}
