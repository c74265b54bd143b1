/** Whether a device computes right: software and some real adapters get long passes wrong without an error. */
import type { LanguageModel } from "../decoder/ports/language-model.ts";
import type { ModelLogits } from "../decoder/ports/logits.ts";
import type { FloatType } from "./decoder-graph.ts";

export interface PassCheck {
  readonly agrees: boolean;
  /**
   * Root mean square of the difference between the logits of one long pass and of short passes, divided by the logits'
   * standard deviation.
   */
  readonly error: number;
}

/** The runtime takes another attention kernel from 32 tokens on. */
const longPass = 40;
const shortPass = 8;
/**
 * Kernels for one and for many tokens round differently. Measured on software WebGPU: 1e-6 at most where they are
 * right, 4-bit weights included, and from 0.026 (the bundled model) to 1.4 where they are wrong.
 */
const tolerances: Record<FloatType, number> = { float32: 0.01, float16: 0.02 };

/**
 * Compares one long pass with short ones, and leaves the KV cache empty. @throws ModelDeadError when the device fails
 * meanwhile.
 */
export async function checkPasses(model: LanguageModel, type: FloatType = "float32"): Promise<PassCheck> {
  const count = Math.min(longPass, model.capacity);
  const tokens = pseudoRandomTokens(model.vocabularySize, count);
  model.truncate(0);
  const long = await model.forward(tokens);
  model.truncate(0);
  let short: Float32Array = new Float32Array(0);
  for (let i = 0; i < count; i += shortPass) short = await model.forward(tokens.slice(i, i + shortPass));
  model.truncate(0);
  const error = relativeError(long, short);
  return { agrees: error <= tolerances[type], error };
}

/**
 * Whether a pass that begins before its token was read back (`next` of `LanguageModel.forwardRows`) gives the logits of one that
 * waits. True where none does, as far as can be seen. Leaves the KV cache empty. @throws ModelDeadError when the device fails
 * meanwhile.
 */
export async function checkNext(model: LanguageModel, type: FloatType = "float32"): Promise<boolean> {
  const { forwardRows } = model;
  if (!forwardRows) return true;
  const [first = 0] = pseudoRandomTokens(model.vocabularySize, 1);
  model.truncate(0);
  const before = await readOnly(await forwardRows([first], 1, 1, "likeliest"));
  const next = before.indexOf(before.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY));
  const ahead = await readOnly(await forwardRows([next], 1, 1));
  model.truncate(0);
  await model.forward([first]);
  const waited = await model.forward([next]);
  model.truncate(0);
  return relativeError(ahead, waited) <= tolerances[type];
}

/** All logits of the only row, which is given back. */
async function readOnly([row]: readonly ModelLogits[]): Promise<Float32Array> {
  if (!row || row instanceof Float32Array) return row ?? new Float32Array(0);
  const logits = await row.read();
  row.release();
  return logits;
}

/** `PassCheck.error`. It is NaN, and so the passes do not agree, when a logit is NaN or when all logits of `short` are equal. */
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

/** Token ids that are the same on every load. */
function pseudoRandomTokens(vocabularySize: number, count: number): number[] {
  let state = 20_260_101;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * vocabularySize);
  });
}
