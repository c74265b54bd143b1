/** Steering vectors: files contain each vector once and whole; the parser bounds them; links contain digest and length. */
import { describe, expect, test } from "vitest";
import { maximumSteerings } from "../../sdk/action.ts";
import { steerActionLimits } from "../../sdk/vector-arguments.ts";
import { decodeTraceFile, encodeTrace, encodeTraceFile } from "../codec/codec.ts";
import { decodePermalink, encodePermalink } from "../file/permalink.ts";
import { modCallItem } from "../model/call-summary.ts";
import { createTraceModel } from "../model/trace-model.ts";
import { vectorsByDigest } from "../model/vector-index.ts";
import { parseTrace } from "../parse/parse.ts";
import { steeredTrace } from "../testing/steered-trace.ts";
import { createTraceBuilder, requestRecord } from "../testing/trace-builder.ts";
import { patchWith, steerBy, steerNoMore, vectorAgain, vectorWith } from "../testing/vectors.ts";
import type { Trace, TraceAction, TraceVector } from "./format.ts";
import { traceLimits } from "./limits.ts";
import { traceMemoryBytes } from "./memory.ts";
import { vectorsOf } from "./vectors.ts";

const mods = [{ name: "steers", source: "" }];

function traceWith(...actions: readonly TraceAction[]): Trace {
  const model = { ...requestRecord().model, layers: { layerCount: 30, hiddenSize: 576 } };
  const builder = createTraceBuilder(requestRecord({ mods, model }));
  builder.prefill([{ token: 97, text: "a" }]);
  for (const action of actions) builder.call(0, "added", action);
  return builder.finish("length");
}

const written = (trace: Trace) => decodeTraceFile(encodeTrace({ trace, notes: [] }).bytes).trace;
const ramp = (digest: number, length: number) =>
  vectorWith(
    digest,
    Array.from({ length }, (_, place) => (place - 3) / 7),
  );
const one = ramp(1, 20);
const long = ramp(7, traceLimits.vectorLength);

test.each<[string, Trace]>([
  ["a run that steers and patches", steeredTrace()],
  ["nothing to steer by", traceWith(steerNoMore)],
  [
    "a vector without numbers, and one of none",
    traceWith(steerBy(3, vectorAgain(one)), patchWith(1, ramp(2, 0))),
  ],
  [
    "numbers of every size and sign",
    traceWith(patchWith(29, vectorWith(4, [0, -0, 1e-45, -3.4e38, 0.1, 1 / 3]))),
  ],
  ["one of the longest, twice", traceWith(steerBy(1_023, long, -0.25), steerBy(0, vectorAgain(long)))],
  ["two lengths under one digest", traceWith(steerBy(1, one), steerBy(1, { ...vectorAgain(one), norm: 1 }))],
])("a file holds %s", (_, trace) => {
  expect(written(trace)).toStrictEqual(trace);
  expect(parseTrace(structuredClone(trace))).toStrictEqual(trace);
});

test("each is written once: the second time takes some bytes", () => {
  const random = vectorWith(
    5,
    Array.from({ length: 576 }, (_, place) => Math.sin(place * place)),
  );
  const length = (...actions: readonly TraceAction[]) => encodeTraceFile(traceWith(...actions)).length;
  const first = length(steerBy(1, random)) - length(steerNoMore);
  const again = length(steerBy(1, random), steerBy(2, vectorAgain(random))) - length(steerBy(1, random));
  expect(first).toBeGreaterThan(576 * 3);
  expect(again).toBeLessThan(40);
});

describe("refused, from a file and as JSON", () => {
  const most = traceLimits.vectorNumbers / traceLimits.vectorLength;
  const many = Array.from({ length: most + 1 }, (_, digest) =>
    patchWith(0, ramp(digest, traceLimits.vectorLength)),
  );
  test.each<[string, Trace, RegExp, RegExp]>([
    [
      "a vector of too many numbers",
      traceWith(steerBy(0, ramp(1, traceLimits.vectorLength + 1))),
      /says that a vector has 65537 numbers/,
      /numbers has 65537 entries; the limit is 65536/,
    ],
    [
      "more numbers than a trace may have",
      traceWith(...many),
      /says that a vector has \d+ numbers/,
      /records\[\d+\] brings the vectors above the limit of 196608 numbers/,
    ],
  ])("%s", (_, trace, fromFile, fromJson) => {
    expect(() => written(trace)).toThrow(fromFile);
    expect(() => parseTrace(trace)).toThrow(fromJson);
  });

  test.each<[string, TraceVector, RegExp]>([
    [
      "numbers that are no float32",
      { ...one, numbers: [0.1] },
      /vector\.numbers\[0\] should be a float32 number/,
    ],
    ["infinite ones", { ...one, numbers: [Infinity] }, /vector\.numbers\[0\] should be a finite number/],
    ["a length below 0", { ...one, norm: -1 }, /vector\.norm should be a non-negative number/],
    ["a digest of more than 32 bits", { ...one, digest: 2 ** 32 }, /vector\.digest should be a whole number/],
  ])("%s", (_, vector, message) => {
    expect(() => parseTrace(traceWith(patchWith(0, vector)))).toThrow(message);
  });

  test.each<[string, TraceAction, RegExp]>([
    ["a layer that no model has", patchWith(1_024, one), /layer should be a whole number from 0 to 1023/],
    [
      "a scale that is no number",
      steerBy(0, one, Number.NaN),
      /vectors\[0\]\.scale should be a finite number/,
    ],
    [
      "too many vectors",
      { type: "steer", vectors: new Array(257).fill({ layer: 0, scale: 1, vector: vectorAgain(one) }) },
      /vectors has 257 entries; the limit is 256/,
    ],
  ])("%s", (_, action, message) => {
    expect(() => parseTrace(traceWith(action))).toThrow(message);
  });

  test("the numbers of a vector of which was told before", () => {
    const twice = traceWith(steerBy(0, one), patchWith(0, one));
    expect(() => parseTrace(twice)).toThrow("records[3] repeats the numbers of vector 1");
    expect(() => parseTrace(traceWith(steerBy(0, vectorAgain(one)), patchWith(0, one)))).toThrow(
      "repeats the numbers of vector 1",
    );
  });
});

test("a link leaves numbers out and says so; digest and length stay, and what is said of them", () => {
  const trace = steeredTrace();
  const { fragment, notes } = encodePermalink(trace);
  expect(notes).toContain("vectors");
  const opened = decodePermalink(fragment);
  expect(opened.notes).toContain("vectors");
  const all = (records: Trace["records"]) =>
    records.flatMap((record) => (record.type === "modCall" ? vectorsOf(record.action) : []));
  expect(all(opened.trace.records)).toEqual(all(trace.records).map((each) => ({ ...each, numbers: null })));
  expect(vectorsByDigest(opened.trace.records).size).toBe(0);
  const [request] = opened.trace.records;
  expect(request).toMatchObject({ model: { layers: { layerCount: 30, hiddenSize: 16 } } });
  expect(encodePermalink(traceWith(steerNoMore)).notes).not.toContain("vectors");
  expect(encodePermalink(opened.trace, {}, opened.notes).notes).toContain("vectors");
});

test("vectors are found by digest, with the numbers that stand at the first", () => {
  const { records } = traceWith(steerBy(0, one), patchWith(2, vectorAgain(one)), patchWith(1, ramp(9, 3)));
  expect(vectorsByDigest(records).get(1)).toEqual(Float32Array.from(one.numbers ?? []));
  expect([...vectorsByDigest(records).keys()]).toEqual([1, 9]);
});

test("the memory that they take is counted", () => {
  const memory = (trace: Trace) => encodeTrace({ trace, notes: [] }).memory;
  const few = memory(traceWith(steerBy(0, ramp(1, 10))));
  const more = memory(traceWith(steerBy(0, ramp(1, 10_010))));
  expect(more - few).toBeGreaterThanOrEqual(10_000 * traceMemoryBytes.vectorNumber);
  const again = memory(traceWith(steerBy(0, one), steerBy(0, vectorAgain(one))));
  expect(again - memory(traceWith(steerBy(0, one)))).toBeGreaterThan(traceMemoryBytes.steered);
});

test.each<[string, TraceAction]>([
  ["steered with a vector at layer 12 (scale 2)", steerBy(12, one, 2)],
  ["steered with a vector at layer 0", steerBy(0, one)],
  ["stopped steering", steerNoMore],
  [
    "steered with 2 vectors at layers 3 and 4 (scale -0.5)",
    {
      type: "steer",
      vectors: [
        { layer: 3, scale: 1, vector: one },
        { layer: 4, scale: -0.5, vector: vectorAgain(one) },
      ],
    },
  ],
  ["replaced the state of layer 7 in the next pass", patchWith(7, one)],
])("in words: %s", (words, action) => {
  const model = createTraceModel();
  model.append(traceWith(action).records);
  expect(modCallItem(model, 2)?.summary).toBe(words);
});

test("whatever a mod may steer by can be kept", () => {
  expect(traceLimits.vectors).toBeGreaterThanOrEqual(maximumSteerings);
  expect(traceLimits.vectorLength).toBeGreaterThanOrEqual(steerActionLimits.hiddenSize);
});
