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

export interface LoadingWords {
  readonly doing: string;
  /** Of a download: `43 % · 60 MB of 140 MB · 12 MB/s · 6.7 s left`. Empty where nothing can be said. */
  readonly figures: string;
  /** From 0 to 1; null where it is not known how much there is to do. */
  readonly share: number | null;
}

export function loadingWords(status: Loading): LoadingWords {
  // The small files come first: before the weights are known, all of what is known would soon be there.
  const knowsWeights = status.files.some(({ file }) => file.includes(".onnx"));
  if (status.stage !== "download" || !knowsWeights)
    return { doing: stages[status.stage], figures: "", share: null };
  const { loaded, total, rate, secondsLeft } = loadingFigures(status);
  const share = total > 0 ? loaded / total : 0;
  const parts = [
    `${Math.floor(100 * share)} %`,
    `${formatBytes(loaded)} of ${formatBytes(total)}`,
    rate !== null && `${formatBytes(Math.round(rate))}/s`,
    secondsLeft !== null && `${formatDuration(secondsLeft * 1e6)} left`,
  ];
  return { doing: stages[status.stage], figures: parts.filter(Boolean).join(" · "), share };
}
