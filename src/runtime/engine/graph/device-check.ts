/**
 * Checks whether a device computes correctly: software adapters and some real ones compute long passes wrong, without an
 * error.
 */
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import type { FloatType } from "../base/float-type.ts";

export interface PassCheck {
  readonly agrees: boolean;
  /** The passes that were compared last with passes of 8 tokens. They are wrong if `agrees` is false. */
  readonly passes: "long passes" | "passes of one token";
  /** Root mean square of the difference between the logits of both, divided by the logits' standard deviation. */
  readonly error: number;
}

/** From 32 tokens on, the runtime uses another attention kernel. */
const longPass = 40;
const shortPass = 8;
/**
 * Kernels for one token and for many tokens round differently. Measured on software WebGPU: at most 1e-6 if the kernels are
 * right, also with 4-bit weights, and from 0.026 (the bundled model) to 1.4 if they are wrong.
 */
const tolerances: Record<FloatType, number> = { float32: 0.01, float16: 0.02 };
/**
 * The kernels for one token are special too. In float16 they round differently from those of longer passes if weights have 4
 * bits at accuracy level 4, which rounds activations to 8 bits. Such rounding moves the logits of the exporters' graphs by
 * up to 0.1 (`e2e/webgpu/float16.spec.ts`); wrong kernels move them by about 1.
 */
const oneTokenTolerances: Record<FloatType, number> = { float32: 0.01, float16: 0.25 };

/**
 * Compares one long pass with short ones, and the last short one with a pass of one token. Leaves the KV cache empty.
 * @throws ModelDeadError if the device fails meanwhile
 */
export async function checkPasses(model: LanguageModel, type: FloatType = "float32"): Promise<PassCheck> {
  const count = Math.min(longPass, model.capacity);
  const tokens = pseudoRandomTokens(model.vocabularySize, count);
  model.truncate(0);
  const long = await model.forward(tokens);
  model.truncate(0);
  let short: Float32Array = new Float32Array(0);
  for (let i = 0; i < count; i += shortPass) short = await model.forward(tokens.slice(i, i + shortPass));
  const whole: PassCheck = { passes: "long passes", ...agreement(long, short, tolerances[type]) };
  if (whole.agrees) model.truncate(count - 1);
  const one = whole.agrees ? await model.forward(tokens.slice(-1)) : null;
  model.truncate(0);
  return one ? { passes: "passes of one token", ...agreement(one, short, oneTokenTolerances[type]) } : whole;
}

function agreement(found: Float32Array, short: Float32Array, tolerance: number) {
  const error = relativeError(found, short);
  return { agrees: error <= tolerance, error };
}

/**
 * Whether a pass that begins before its token was read back (`next` of `LanguageModel.forwardRows`) gives the same logits as
 * a pass that waits. True if the model cannot begin passes early. Leaves the KV cache empty. @throws ModelDeadError if the
 * device fails meanwhile
 */
export async function checkPassesStartedEarly(
  model: LanguageModel,
  type: FloatType = "float32",
): Promise<boolean> {
  const { forwardRows } = model;
  if (!forwardRows) return true;
  const [first = 0] = pseudoRandomTokens(model.vocabularySize, 1);
  model.truncate(0);
  const before = await readOnly(await forwardRows([first], 1, 1, "mostLikely"));
  const next = before.indexOf(before.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY));
  const ahead = await readOnly(await forwardRows([next], 1, 1));
  model.truncate(0);
  await model.forward([first]);
  const waited = await model.forward([next]);
  model.truncate(0);
  return relativeError(ahead, waited) <= tolerances[type];
}

/** Reads all logits of the only row, and releases the row. */
async function readOnly([row]: readonly ComputedLogits[]): Promise<Float32Array> {
  if (!row || row instanceof Float32Array) return row ?? new Float32Array(0);
  const logits = await row.read();
  row.release();
  return logits;
}

/**
 * See `PassCheck.error`. If a logit is NaN, or all logits of `short` are equal, the error is NaN, which counts as a
 * difference.
 */
function relativeError(long: Float32Array, short: Float32Array): number {
  const mean = short.reduce((sum, value) => sum + value, 0) / short.length;
  let difference = 0;
  let deviation = 0;
  for (let i = 0; i < short.length; i++) {
    const value = short[i] as number;
    difference += (value - (long[i] as number)) ** 2;
    deviation += (value - mean) ** 2;
  }
  return Math.sqrt(difference / deviation);
}

/** Random-looking token ids, the same on every load. */
function pseudoRandomTokens(vocabularySize: number, count: number): number[] {
  let state = 20_260_101;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * vocabularySize);
  });
}
