/** What mods are given of a step's logits, and what of it the trace keeps, so that they can be asked again without a model. */
import type { WireTop } from "../sdk/wire-event.ts";
import type { TraceLikeliest } from "../trace/format.ts";
import type { DecodeState, StepLogits } from "./decode-state.ts";
import type { Distribution } from "./distribution.ts";
import type { LikeliestTokens } from "./likeliest-tokens.ts";
import type { ModHost } from "./mod-host.ts";
import { likeliestReadBy } from "./recorded-logits.ts";
import { topOf } from "./top-tokens.ts";

/** The `count` most likely tokens as mod number `mod` is sent them: after the edits of those before it, or as it was recorded. */
export function topFor(stepLogits: StepLogits, mod: number, count: number): WireTop {
  const { recorded, after, distributionAfter, likeliest, differences } = stepLogits;
  if (recorded) return recorded.top(mod, count);
  return topOf(after, count, distributionAfter.logSumExp, likeliest.of(after, count, differences));
}

/** What the record of a pass keeps of what the mods will read; null where its distribution has as much. */
export function topOfPass(
  state: DecodeState,
  logits: Float32Array,
  { logSumExp, top }: Distribution,
  likeliest: LikeliestTokens,
): TraceLikeliest | null {
  const { likeliestRead: count } = state;
  if (count <= top.length) return null;
  return kept(count, topOf(logits, count, logSumExp, likeliest.of(logits, count, new Map())));
}

/** What the record of a mod's call keeps; null where no mod before it changed what the record of the pass has. */
export function givenTo(stepLogits: StepLogits, host: ModHost, mod: number): TraceLikeliest | null {
  const { recorded, before, after } = stepLogits;
  const count = likeliestReadBy(host);
  if (recorded || after === before || count === 0) return null;
  return kept(count, topFor(stepLogits, mod, count));
}

function kept(asked: number, { tokens, logprobs }: WireTop): TraceLikeliest {
  return { asked, tokens: Array.from(tokens), logprobs: Array.from(logprobs) };
}
