/** Whether a device computes long passes right: software and some real adapters get them wrong without an error. */
import type { LanguageModel } from "../decoder/language-model.ts";

export interface PassCheck {
  readonly agrees: boolean;
  /** Largest difference between the logits of one long pass and of short ones. */
  readonly difference: number;
  /** Largest less smallest logit of the short passes. */
  readonly spread: number;
}

/** The runtime takes another attention kernel from 32 tokens on. */
const longPass = 40;
const shortPass = 8;
/**
 * Share of the spread that may differ: kernels for one and for many tokens round differently, most of all with
 * float16 and 4-bit weights. A wrong kernel is off by about the whole spread.
 */
const tolerance = 0.1;

/** Leaves the context empty. @throws ModelDeadError when the device fails under it. */
export async function checkPasses(model: LanguageModel): Promise<PassCheck> {
  const count = Math.min(longPass, model.capacity);
  const tokens = pseudoRandomTokens(model.vocabularySize, count);
  model.truncate(0);
  const long = await model.forward(tokens);
  model.truncate(0);
  let short: Float32Array = new Float32Array(0);
  for (let i = 0; i < count; i += shortPass) short = await model.forward(tokens.slice(i, i + shortPass));
  model.truncate(0);
  return compare(long, short);
}

function compare(long: Float32Array, short: Float32Array): PassCheck {
  let difference = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < short.length; i++) {
    const value = short[i] as number;
    const distance = Math.abs(value - (long[i] as number));
    // NaN is a difference, not agreement.
    if (!(distance <= difference)) difference = distance;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const spread = high - low;
  // Logits that are all the same come from a device that computes nothing.
  return { agrees: spread > 0 && difference <= tolerance * spread, difference, spread };
}

/** The same on every load. */
function pseudoRandomTokens(vocabularySize: number, count: number): number[] {
  let state = 20_260_101;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * vocabularySize);
  });
}
