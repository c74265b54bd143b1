/**
 * The current text of a request. A separate file, because `midtoken/trace` exports this function and must not load code that
 * writes sentences.
 */
import type { TraceModel } from "./trace-model.ts";

/** The text of the tokens that are in the output now. The client's text is `finished.text`, which has no stop sequence. */
export function outputTextOf(model: TraceModel): string {
  return model.outputTokens.map((index) => model.tokens.text[index] ?? "").join("");
}
