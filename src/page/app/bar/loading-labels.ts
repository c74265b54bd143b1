/** The progress of loading a model in words: for the model's menu, and for the place where the text will stand. Pure. */

import { formatBytes, formatDuration } from "../../../view/ui/format.ts";
import { type FileProgress, loadedBytesOf, loadingMetrics, type ModelStatus } from "../store/model-store.ts";

import type { RunLayersOpening } from "../store/run-store.ts";

type Loading = Extract<ModelStatus, { type: "loading" }>;

const stages: Readonly<Record<Loading["stage"], string>> = {
  wait: "Starting the engine …",
  download: "Loading the model …",
  compile: "Preparing the model for this device …",
  check: "Checking that this device computes correctly …",
};

export interface LoadingLabels {
  readonly doing: string;
  /**
   * The progress of a download, for example `43% · 60 MB of 140 MB · 12 MB/s · 6.7 s left`. Empty while no part of it is known.
   */
  readonly metrics: string;
  /** The loaded share, from 0 to 1; null if the total is unknown. */
  readonly share: number | null;
}

export function loadingLabels(status: Loading): LoadingLabels {
  // The small files come before the weights. Until a weights file is listed, the known files are nearly done, and a share
  // of them would mislead.
  const knowsWeights = status.files.some(({ file }) => file.includes(".onnx"));
  if (status.stage !== "download" || !knowsWeights)
    return { doing: stages[status.stage], metrics: "", share: null };
  const { loaded, total, rate, secondsLeft } = loadingMetrics(status);
  const share = total > 0 ? loaded / total : 0;
  const parts = [
    `${Math.floor(100 * share)}%`,
    `${formatBytes(loaded)} of ${formatBytes(total)}`,
    rate !== null && `${formatBytes(Math.round(rate))}/s`,
    secondsLeft !== null && `${formatDuration(secondsLeft * 1e6)} left`,
  ];
  const resumed = resumedShare(status);
  const doing = resumed === null ? stages.download : `Loading the model, continuing from ${resumed}% …`;
  return { doing, metrics: parts.filter(Boolean).join(" · "), share };
}

/** The label while the layers of a loaded model are opened. */
export function layersOpeningLabels(
  { progress }: RunLayersOpening,
  elapsedMs: number,
  modCount: number,
): LoadingLabels {
  // The small files do not show how far the loading is.
  const isWeights = progress?.stage === "download" && progress.file.includes(".onnx");
  const comes = isWeights && !progress.fromCache ? progress : null;
  const bytes =
    comes &&
    `${formatBytes(comes.loadedBytes)}${comes.totalBytes > 0 ? ` of ${formatBytes(comes.totalBytes)}` : ""}`;
  return {
    doing: openingSentence(modCount),
    metrics: [bytes, `${(elapsedMs / 1000).toFixed(1)} s`].filter(Boolean).join(" · "),
    share: comes && comes.totalBytes > 0 ? comes.loadedBytes / comes.totalBytes : null,
  };
}

function openingSentence(modCount: number): string {
  return `Preparing the model’s layers for ${modCount > 1 ? "these mods" : "this mod"} …`;
}

/** The whole percentage at which an interrupted download continues; null if no byte or every byte was already there. */
function resumedShare({ files }: Loading): number | null {
  if (
    !files.some(
      ({ file, resumedBytes = 0, fromCache }) => file.includes(".onnx") && !fromCache && resumedBytes > 0,
    )
  )
    return null;
  const there = files.reduce(
    (sum, file) => sum + (file.fromCache ? file.loadedBytes : (file.resumedBytes ?? 0)),
    0,
  );
  const { total } = loadedBytesOf(files);
  return total > 0 ? Math.floor((100 * there) / total) : null;
}

/** Whether the download can be paused: it is in progress, and its downloaded bytes are saved. */
export function canPauseDownload({ stage, files }: Loading): boolean {
  return (
    stage === "download" &&
    files.some(
      ({ fromCache, resumedBytes, loadedBytes, totalBytes }) =>
        !fromCache && resumedBytes !== undefined && (totalBytes === 0 || loadedBytes < totalBytes),
    )
  );
}

/** The label of a paused download. */
export function pausedDownloadLabels(files: readonly FileProgress[]): LoadingLabels {
  const { loaded, total } = loadedBytesOf(files);
  const share = total > 0 ? loaded / total : 0;
  return {
    doing: `Paused at ${Math.floor(100 * share)}%.`,
    metrics: `${formatBytes(loaded)} of ${formatBytes(total)} saved.`,
    share,
  };
}
