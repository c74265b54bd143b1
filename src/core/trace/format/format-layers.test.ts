/** Readings of layers: files preserve them whole if they were recorded; the parser checks and bounds them; links leave them out. */
import { describe, expect, test } from "vitest";
import { roundToFloat16 } from "../../base/float16.ts";
import { decodeTraceFile, encodeTrace, encodeTraceFile } from "../codec/codec.ts";
import { layersCodec } from "../codec/reading-layers.ts";
import { readingTraceFile } from "../codec/reading-trace.ts";
import { decodePermalink, encodePermalink } from "../file/permalink.ts";
import { parseTrace } from "../parse/parse.ts";
import { sampleTrace, seededRandom } from "../testing/sample-trace.ts";
import type { Trace } from "./format.ts";
import type { TraceLayers, TraceLayersStep } from "./format-layers.ts";
import { traceMemoryBytes } from "./memory.ts";

const { records, version } = sampleTrace({ tokens: 20 });
const hiddenSize = 8;
const random = seededRandom(3);
const some = (count: number) => Array.from({ length: count }, () => Math.fround(random() - 0.5));

function stepOf(index: number, extra: Partial<TraceLayersStep> = {}): TraceLayersStep {
  const top = ["a", " the", "b"].map((text, token) => ({ token, text, logprob: Math.fround(-token - 0.1) }));
  const layers = [0, 3].map((layer) => ({ layer, entropy: 1.5, top, token: { rank: 3, logprob: -2.5 } }));
  return { index, isPlain: false, layers, hidden: { layers: [3], numbers: some(hiddenSize) }, ...extra };
}

const withSteps = (steps: readonly TraceLayersStep[], layerCount = 4): Trace => ({
  version,
  records,
  layers: { layerCount, hiddenSize, steps },
});

test("a file holds them, to the bit", () => {
  const trace = withSteps([stepOf(0), stepOf(0, { isPlain: true, hidden: null }), stepOf(7)]);
  expect(decodeTraceFile(encodeTraceFile(trace)).trace).toStrictEqual(trace);
  expect(parseTrace(JSON.parse(JSON.stringify(trace)))).toStrictEqual(trace);
});

test("a trace without them has no section for them", () => {
  const plain = encodeTraceFile({ version, records });
  expect(decodeTraceFile(plain).trace).not.toHaveProperty("layers");
  expect(encodeTraceFile(withSteps([])).length).toBeGreaterThan(plain.length);
});

test("whoever reads a file record by record gets them after the last one", () => {
  const trace = withSteps([stepOf(3)]);
  const got: (TraceLayers | string)[] = [];
  const steps = readingTraceFile(encodeTraceFile(trace), {
    begin() {},
    take: ({ type }) => got.push(type),
    layers: { ...layersCodec, take: (layers) => got.push(layers) },
  });
  while (!steps.next().done);
  expect(got.at(-1)).toStrictEqual(trace.layers);
  expect(got).toHaveLength(records.length + 1);
  const without: string[] = [];
  const others = readingTraceFile(encodeTraceFile(trace), {
    begin() {},
    take: ({ type }) => without.push(type),
  });
  while (!others.next().done);
  expect(without).toHaveLength(records.length);
});

test("a link never has them", () => {
  const { fragment } = encodePermalink(withSteps([stepOf(0)]));
  expect(decodePermalink(fragment).trace).not.toHaveProperty("layers");
  expect(fragment).toBe(encodePermalink({ version, records }).fragment);
});

test("hidden states that are float16 take half the room", () => {
  const steps = Array.from({ length: 20 }, (_, index) => index);
  const many = (round: (number: number) => number): Trace =>
    withSteps(
      steps.map((index) => stepOf(index, { hidden: { layers: [0, 1, 2, 3], numbers: some(32).map(round) } })),
    );
  const [short, long] = [many(roundToFloat16), many((number) => number)];
  expect(decodeTraceFile(encodeTraceFile(short)).trace).toStrictEqual(short);
  expect(encodeTraceFile(long).length - encodeTraceFile(short).length).toBeGreaterThan(20 * 32 * 1.3);
});

test("the memory that they take is counted", () => {
  const memory = (trace: Trace) => encodeTrace({ trace, notes: [] }).memory;
  const one = memory(withSteps([stepOf(0, { hidden: null })]));
  const hidden = memory(withSteps([stepOf(0)]));
  expect(hidden - one).toBeGreaterThanOrEqual(hiddenSize * traceMemoryBytes.vectorNumber);
  expect(memory(withSteps([stepOf(0), stepOf(1)])) - hidden).toBeGreaterThan(6 * traceMemoryBytes.lensToken);
});

describe("refused, as a file and as JSON", () => {
  const hidden = (layers: readonly number[], count: number) => ({ hidden: { layers, numbers: some(count) } });
  const says = (layer: number) => ({ layer, entropy: 0, top: [], token: null });
  test.each<[string, Trace, RegExp]>([
    [
      "of a token that was never emitted",
      withSteps([stepOf(500)]),
      /layers\.steps\[0\] belongs to token 500, but only \d+ tokens were/,
    ],
    ["out of order", withSteps([stepOf(3), stepOf(2)]), /layers\.steps\[1\] of token 2 does not follow/],
    ["twice", withSteps([stepOf(3), stepOf(3)]), /layers\.steps\[1\] of token 3 does not follow/],
    [
      "the plain one first",
      withSteps([stepOf(3, { isPlain: true }), stepOf(3)]),
      /steps\[1\] of token 3 does not/,
    ],
    [
      "a layer that the model has not",
      withSteps([stepOf(0, { layers: [says(4)] })]),
      /has layer 4 out of order or beyond/,
    ],
    [
      "layers out of order",
      withSteps([stepOf(0, { layers: [says(2), says(1)] })]),
      /has layer 1 out of order or beyond/,
    ],
    [
      "too few numbers",
      withSteps([stepOf(0, hidden([0, 1], 15))]),
      /has 15 hidden-state numbers, but should have 8 for each/,
    ],
  ])("%s", (_, trace, message) => {
    expect(() => parseTrace(trace)).toThrow(message);
    expect(() => encodeTraceFile(trace)).toThrow(message);
    expect(() => decodeTraceFile(encodeTrace({ trace, notes: [] }).bytes)).toThrow(message);
  });

  test.each<[string, Trace, RegExp]>([
    [
      "a bool for a rank",
      withSteps([{ ...stepOf(0), isPlain: 1 as unknown as boolean }]),
      /layers\.steps\[0\]\.isPlain/,
    ],
    [
      "too many likeliest",
      withSteps([
        stepOf(0, { layers: [{ ...says(0), top: new Array(65).fill({ token: 1, text: "", logprob: 0 }) }] }),
      ]),
      /top has 65 entries; the limit is 64/,
    ],
    [
      "an entropy that is no float32",
      withSteps([stepOf(0, { layers: [{ ...says(0), entropy: 0.1 }] })]),
      /float32/,
    ],
    [
      "no steps",
      { version, records, layers: { layerCount: 1, hiddenSize: 1 } as TraceLayers },
      /layers\.steps should be/,
    ],
  ])("%s", (_, trace, message) => {
    expect(() => parseTrace(trace)).toThrow(message);
  });

  test("more hidden states than a file may have", () => {
    const size = 16_384;
    const numbers = new Array<number>(size * 64).fill(0);
    const layers = Array.from({ length: 64 }, (_, layer) => layer);
    const steps = [0, 1, 2].map((index) => ({
      index,
      isPlain: false,
      layers: [],
      hidden: { layers, numbers },
    }));
    const trace: Trace = { version, records, layers: { layerCount: 64, hiddenSize: size, steps } };
    expect(() => parseTrace(trace)).toThrow("brings the hidden states above the limit of 2097152 numbers");
    expect(() => encodeTrace({ trace, notes: [] })).toThrow("the limit is 0");
  });
});
