/** Finds removals by token healing among the removed spans. Pure. */
import type { RemovedSpan } from "./trace-items.ts";
import type { TraceModel } from "./trace-model.ts";
import { recordOf } from "./trace-view.ts";

/**
 * Index of the token that token healing chose in place of a span's tokens, so that the model could complete their text; null if a
 * mod removed the tokens. Token healing takes back the last emitted tokens, so the chosen token has the next index.
 */
export function indexOfHealingToken(trace: TraceModel, { removed }: RemovedSpan): number | null {
  const last = removed.at(-1);
  if (last === undefined) return null;
  const sampled = recordOf(trace, trace.tokens.sampledRecord[last + 1], "sampled");
  return sampled?.healed?.inPrompt === false ? last + 1 : null;
}
