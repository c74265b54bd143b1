/**
 * The rules for every DeviceLogits, as a list of checks for any test runner: in Node over rows that a test computes, in a browser
 * over those of the GPU. A check throws on failure.
 */

import { hasToken } from "../../masks/vocabulary/token-bits.ts";
import { defaultSampling, type SamplingSettings } from "../../sdk/request.ts";
import { type DeviceLogits, sumErrorBound } from "../ports/device-logits.ts";
import type { Distribution } from "../ports/logits.ts";
import { guaranteedGpuTopTokens } from "../ports/mod-needs.ts";
import { distributionOf } from "./distribution.ts";
import { drawOnGpu } from "./gpu-draw.ts";
import { distributionOfSummary } from "./logits-summary.ts";
import { createSampler } from "./sampler.ts";
import { largestTokens } from "./top-k-search.ts";

/** Puts logits on the device. Returns the device's logits if they have no summary. */
export type UploadLogits = (
  logits: Float32Array,
  temperature: number,
) => Promise<DeviceLogits | Float32Array>;

export interface LogitsCheck {
  readonly name: string;
  run(): Promise<void>;
}

/** Checks over rows of `vocabularySize` logits, at least 16,384. `isFloat16`: the device holds logits in half precision; those of the checks can be written so. */
export function deviceLogitsConformance(
  upload: UploadLogits,
  vocabularySize: number,
  isFloat16 = false,
): LogitsCheck[] {
  const half = (row: Float32Array) =>
    isFloat16 ? row.map((x) => Math.fround(Math.round(x * 64) / 64)) : row;
  const rows: Record<string, Float32Array> = {
    "logits of a language model": half(gaussian(vocabularySize, 3, 1)),
    "one token far above": withLogits(half(gaussian(vocabularySize, 2, 2)), { 17: 60 }),
    "ties in many groups": half(
      gaussian(vocabularySize, 2, 3).map((x) => Math.round(8 * x) / 8 + (x > 7 ? x : 0)),
    ),
    "few tokens left": onlyEach(half(gaussian(vocabularySize, 4, 4)), 997),
    "one token left": onlyEach(half(gaussian(vocabularySize, 4, 4)), vocabularySize),
    "small numbers of both signs": half(gaussian(vocabularySize, 0.5, 5)),
  };
  const checks: LogitsCheck[] = [];
  for (const [name, row] of Object.entries(rows)) {
    checks.push({ name, run: () => checkRow(row, upload) });
  }
  checks.push({
    name: "NaN and Infinity are seen",
    run: () => broken(half(gaussian(vocabularySize, 3, 6)), upload),
  });
  checks.push({
    name: "a row of equal logits is given whole",
    run: async () => {
      const equal = new Float32Array(vocabularySize).fill(0.5);
      const given = await upload(equal, 1);
      if (!(given instanceof Float32Array)) throw new Error("It has a summary.");
      expectSame("the row", given, equal);
    },
  });
  return checks;
}

async function checkRow(row: Float32Array, upload: UploadLogits): Promise<void> {
  for (const temperature of [1, 0.4]) {
    const device = await uploaded(row, upload, temperature);
    const { summary } = device;
    expectSame("listed", summary.tokens, largestTokens(row, summary.tokens.length));
    expectSame(
      "their logits",
      summary.logits,
      Float32Array.from(summary.tokens, (token) => row[token] as number),
    );
    const finite = row.reduce((count, x) => count + (x > Number.NEGATIVE_INFINITY ? 1 : 0), 0);
    expectEqual("isComplete", summary.isComplete, finite === summary.tokens.length);
    if (!summary.isComplete && summary.tokens.length < guaranteedGpuTopTokens)
      throw new Error(`${summary.tokens.length} tokens are listed, fewer than ${guaranteedGpuTopTokens}.`);
    expectPieces(row, device, temperature);
    expectDistribution(distributionOfSummary(summary), distributionOf(row));
    if (temperature === 1) await checkCalls(row, device);
    device.release();
  }
}

async function checkCalls(row: Float32Array, device: DeviceLogits): Promise<void> {
  const size = row.length;
  expectSame("read", await device.read(), row);
  const asked = Array.from({ length: 700 }, (_, i) => (i * 7919 + 5) % size);
  expectSame(
    "gather",
    await device.gather(asked),
    Float32Array.from(asked, (token) => row[token] as number),
  );
  const some = new Uint32Array(Math.ceil(size / 32)).map((_, word) => (word % 7 === 2 ? 0x80000111 : 0));
  const left = row.filter((x, token) => x > Number.NEGATIVE_INFINITY && hasToken(some, token)).length;
  expectEqual("left of a mask", await device.countLeft(some), left);
  await checkDraws(row, device);
  const mask = new Uint32Array(Math.ceil(size / 32)).map((_, word) => (word % 5 === 0 ? 0xf0f0f0f1 : -1));
  const tokens = [0, 33, size - 1, 100];
  const logits = [Number.NEGATIVE_INFINITY, 12.5, -0.125, 3];
  const expected = row.map((x, token) =>
    ((mask[token >> 5] as number) >>> (token & 31)) & 1 ? x : Number.NEGATIVE_INFINITY,
  );
  for (const [place, token] of tokens.entries()) expected[token] = logits[place] as number;
  const changed = await device.change({ mask, tokens, logits }, 1);
  if (changed instanceof Float32Array) {
    expectSame("changed, whole", changed, expected);
  } else {
    expectSame("changed", await changed.read(), expected);
    expectSame(
      "listed of the changed",
      changed.summary.tokens,
      largestTokens(expected, changed.summary.tokens.length),
    );
    expectDistribution(distributionOfSummary(changed.summary), distributionOf(expected));
    changed.release();
  }
  expectSame("unchanged", await device.read(), row);
}

const drawn: readonly (Partial<SamplingSettings> & { readonly draws: readonly number[] })[] = [
  { temperature: 1, draws: [0.002, 0.3, 0.999] },
  { temperature: 0.4, draws: [0.8] },
  { temperature: 1, topK: 300, draws: [0.4] },
  { temperature: 3, topP: 0.9, draws: [0.2, 0.8125] },
  { temperature: 3, minP: 0.002, draws: [0.7] },
  { temperature: 1, topK: 2_000, topP: 0.6, minP: 0.01, draws: [0.5] },
];

/** The device draws the token that the sampler takes. */
async function checkDraws(row: Float32Array, device: DeviceLogits): Promise<void> {
  const sampler = createSampler(row.length);
  for (const { draws, ...some } of drawn) {
    const settings = { ...defaultSampling, ...some };
    for (const draw of draws) {
      const found = await drawOnGpu(device, settings, draw);
      const expected = sampler.sample(row, settings, { tokens: [], promptLength: 0 }, draw);
      const name = `${JSON.stringify({ ...some, draw })}:`;
      if (!found) throw new Error(`${name} not sure, where the sampler takes ${expected.token}.`);
      expectEqual(`${name} token`, found.token, expected.token);
      expectEqual(`${name} candidates`, found.candidates, expected.candidates);
      const off = Math.abs(found.probability / expected.probability - 1);
      if (!(off < 1e-7))
        throw new Error(`${name} probability ${found.probability}, not ${expected.probability}.`);
    }
  }
}

async function broken(row: Float32Array, upload: UploadLogits): Promise<void> {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const device = await uploaded(withLogits(row, { 4321: value }), upload, 1);
    expectEqual(`${value}: isBroken`, device.summary.isBroken, true);
    expectEqual(`${value}: logSumExp`, distributionOfSummary(device.summary).logSumExp, Number.NaN);
    device.release();
  }
}

async function uploaded(row: Float32Array, upload: UploadLogits, temperature: number): Promise<DeviceLogits> {
  const device = await upload(row, temperature);
  if (device instanceof Float32Array) throw new Error("It has no summary.");
  return device;
}

function expectPieces(
  row: Float32Array,
  { summary }: Pick<DeviceLogits, "summary">,
  temperature: number,
): void {
  for (const [piece, { largest, weight, weighted, scaled }] of summary.pieces.entries()) {
    const logits = row.subarray(piece * summary.pieceTokens, (piece + 1) * summary.pieceTokens);
    const most = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    expectEqual(`largest of piece ${piece}`, largest, most);
    if (most === Number.NEGATIVE_INFINITY) continue;
    const sums = [0, 0, 0];
    for (const logit of logits) {
      const d = logit - most;
      if (d === Number.NEGATIVE_INFINITY) continue;
      for (const [i, x] of [Math.exp(d), d * Math.exp(d), Math.exp(d / temperature)].entries())
        sums[i] = (sums[i] as number) + x;
    }
    for (const [i, found] of [weight, weighted, scaled].entries()) {
      const expected = sums[i] as number;
      if (!(Math.abs(found - expected) <= sumErrorBound * Math.abs(expected) + 1e-12))
        throw new Error(`Sum ${i} of piece ${piece} is ${found} instead of ${expected}.`);
    }
  }
}

function expectDistribution(found: Distribution, expected: Distribution): void {
  for (const key of ["logSumExp", "entropy"] as const) {
    if (!(Math.abs(found[key] - expected[key]) <= 5e-5))
      throw new Error(`${key} is ${found[key]} instead of ${expected[key]}.`);
  }
  expectSame(
    "top",
    found.top.map(({ token }) => token),
    expected.top.map(({ token }) => token),
  );
}

/** Repeatable; of one million draws about two are five deviations off. */
function gaussian(count: number, deviation: number, seed: number): Float32Array {
  let state = seed * 2654435761;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return Float32Array.from(
    { length: count },
    () => deviation * Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  );
}

function withLogits(row: Float32Array, logits: Readonly<Record<number, number>>): Float32Array {
  const copy = row.slice();
  for (const [token, logit] of Object.entries(logits)) copy[Number(token)] = logit;
  return copy;
}

function onlyEach(row: Float32Array, step: number): Float32Array {
  return row.map((x, token) => (token % step === step - 1 ? x : Number.NEGATIVE_INFINITY));
}

function expectSame(what: string, found: ArrayLike<number>, expected: ArrayLike<number>): void {
  expectEqual(`length of ${what}`, found.length, expected.length);
  for (let i = 0; i < expected.length; i++) expectEqual(`${what}[${i}]`, found[i], expected[i]);
}

function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (found !== expected && !(Number.isNaN(found) && Number.isNaN(expected)))
    throw new Error(`${what}: ${String(found)} instead of ${String(expected)}.`);
}
