/** Loading, file by file, with what is left to wait; or why it failed. */
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format.ts";
import { useStores } from "../store/stores.ts";
import { loadingWords } from "./loading-words.ts";

export function LoadingPanel() {
  const { model, run } = useStores();
  const { status, load, cancel } = useStore(model);
  const isBusy = useStore(run, ({ status }) => status === "running" || status === "paused");
  if (status.type === "failed") {
    return (
      <div className="loading loading-failed" role="alert">
        <p>{status.message}</p>
        <Button icon="dice" onClick={() => void load()}>
          Try again
        </Button>
      </div>
    );
  }
  if (status.type !== "loading") return null;
  const { doing, figures } = loadingWords(status);
  return (
    <div className="loading">
      <div className="loading-head">
        <p>
          {status.stage === "wait" && isBusy ? "Waiting for the run to end …" : doing} <span>{figures}</span>
        </p>
        <Button onClick={cancel}>Cancel</Button>
      </div>
      <ul>
        {status.files.map((file) => (
          <li key={file.file}>
            <span className="loading-file">{file.file}</span>
            <progress
              aria-label={file.file}
              max={Math.max(file.totalBytes, file.loadedBytes, 1)}
              value={file.loadedBytes}
            />
            <span className="loading-bytes">
              {file.fromCache ? "kept here" : formatBytes(file.loadedBytes)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
