/** How far the loading of a model is, in words: for the model's menu and for the place where the text will stand. Pure. */
import { loadingFigures, type ModelStatus } from "../store/model-store.ts";
import { formatBytes, formatDuration } from "../ui/format.ts";

type Loading = Extract<ModelStatus, { type: "loading" }>;

const stages: Readonly<Record<Loading["stage"], string>> = {
  wait: "Starting the engine …",
  download: "Loading the model …",
  compile: "Preparing the model for this device …",
  check: "Checking that this device computes right …",
};

/** What is being done, and the figures of a download: `43 % · 60 MB of 140 MB · 12 MB/s · 6.7 s left`. */
export function loadingWords(status: Loading): { readonly doing: string; readonly figures: string } {
  const { loaded, total, rate, secondsLeft } = loadingFigures(status);
  const parts = [
    total > 0 && `${Math.floor((100 * loaded) / total)} %`,
    total > 0 && `${formatBytes(loaded)} of ${formatBytes(total)}`,
    rate !== null && `${formatBytes(Math.round(rate))}/s`,
    secondsLeft !== null && `${formatDuration(secondsLeft * 1e6)} left`,
  ];
  return {
    doing: stages[status.stage],
    figures: status.stage === "download" ? parts.filter(Boolean).join(" · ") : "",
  };
}
