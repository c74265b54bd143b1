/** How long a run took. Separate from the other metrics, because every run shows these few below its text. */
import type { TraceModel } from "./trace-model.ts";

/** Times are null if they are unknown or left out. */
export interface RunTimes {
  readonly prefillUs: number | null;
  readonly decodeUs: number | null;
  /** Tokens in the output, divided by the time of decoding. */
  readonly tokensPerSecond: number | null;
}

export function runTimes({ finished, leftOut, outputTokens }: TraceModel): RunTimes {
  if (!finished || leftOut.has("timings")) return { prefillUs: null, decodeUs: null, tokensPerSecond: null };
  const { prefillUs, decodeUs } = finished;
  return { prefillUs, decodeUs, tokensPerSecond: decodeUs ? (outputTokens.length * 1e6) / decodeUs : null };
}
