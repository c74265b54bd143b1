/** The text of a request as it stands. A file of its own: `midtoken/trace` exports it, and loads nothing that writes sentences. */
import type { TraceModel } from "./trace-model.ts";

/** The text of the tokens in the output now. The client's text is `finished.text`, which lacks stop texts. */
export function liveText(model: TraceModel): string {
  return model.live.map((index) => model.tokens.text[index] ?? "").join("");
}
