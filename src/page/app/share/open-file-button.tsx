/** Opens a run from a file that the user chooses. */
import { FileButton } from "../../../view/ui/file-button.tsx";
import { openableFileEndings } from "./opened-files.ts";

export function OpenFileButton({ onChoose }: { onChoose: (file: File) => void }) {
  return (
    <FileButton
      weight="quiet"
      title="Open a run from a .trace file, or from a web page or picture that contains a run"
      label="File of a recorded run"
      accept={openableFileEndings}
      onChoose={onChoose}
    >
      Open a file
    </FileButton>
  );
}
