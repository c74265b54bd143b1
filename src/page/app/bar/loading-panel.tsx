/** The progress of loading, file by file, with the remaining time, or the reason of a failure. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { formatBytes } from "../../../view/ui/format.ts";
import { useStores } from "../store/stores.ts";
import { LoadingButtons } from "./loading-buttons.tsx";
import { loadingLabels, pausedDownloadLabels } from "./loading-labels.ts";
import { useLayersOpening } from "./use-opening.ts";

export function LoadingPanel() {
  const { model, run } = useStores();
  const { status, load } = useStore(model);
  const isBusy = useStore(run, ({ status }) => status === "running" || status === "paused");
  const opening = useLayersOpening();
  if (opening) {
    return (
      <div className="loading">
        <p>
          {opening.doing} <span>{opening.metrics}</span>
        </p>
      </div>
    );
  }
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
  if (status.type !== "loading" && status.type !== "paused") return null;
  const { doing, metrics } =
    status.type === "loading" ? loadingLabels(status) : pausedDownloadLabels(status.files);
  const waits = status.type === "loading" && status.stage === "wait" && isBusy;
  return (
    <div className="loading">
      <div className="loading-head">
        <p>
          {waits ? "Waiting for the run to end …" : doing} <span>{metrics}</span>
        </p>
        <LoadingButtons />
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
              {file.fromCache ? "saved in this browser" : formatBytes(file.loadedBytes)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
