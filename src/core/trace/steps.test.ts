/**
 * Reading and writing in steps has the same result as at once, in steps so short that a page stays responsive, within the
 * memory that it declares.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ResumableWork, runToEnd } from "../base/resumable-work.ts";
import { codingLayers } from "./codec/code-layers.ts";
import { codingTrace } from "./codec/code-trace.ts";
import { decodeTraceFile, decodingTraceFile, encodeTrace, encodeTraceFile } from "./codec/codec.ts";
import { createColumnReader } from "./codec/column-reader.ts";
import { readingContainer } from "./codec/container.ts";
import { startOpeningLink } from "./file/opening-link.ts";
import { startOpeningFile } from "./file/opening-model.ts";
import { encodePermalink, encodingPermalink } from "./file/permalink.ts";
import { traceLimits } from "./format/limits.ts";
import { createTraceModel } from "./model/trace-model.ts";
import { arbitraryTrace } from "./testing/arbitrary-trace.ts";
import { sampleTrace } from "./testing/sample-trace.ts";
import { createTraceBuilder, requestRecord } from "./testing/trace-builder.ts";

/** The progress that each step reported, and the result. */
function follow<Result>(steps: ResumableWork<Result>): {
  readonly caughtUp: number[];
  readonly result: Result;
} {
  const caughtUp: number[] = [];
  for (;;) {
    const step = steps.next();
    if (step.done) return { caughtUp, result: step.value };
    caughtUp.push(step.value);
  }
}

const trace = sampleTrace({ tokens: 3000 });

test.each<[string, () => ResumableWork<unknown>, () => unknown, number]>([
  [
    "reading a file",
    () => decodingTraceFile(encodeTraceFile(trace)),
    () => decodeTraceFile(encodeTraceFile(trace)),
    60,
  ],
  ["making a link", () => encodingPermalink(trace), () => encodePermalink(trace), 60],
])("%s in steps is what it is at once, and says how far it is", (_, steps, atOnce, least) => {
  const { caughtUp, result } = follow(steps());
  expect(result).toStrictEqual(atOnce());
  expect(caughtUp.length).toBeGreaterThan(least);
  expect(caughtUp).toEqual([...caughtUp].sort((a, b) => a - b));
  expect(caughtUp.every((each) => each >= 0 && each <= 1)).toBe(true);
});

test("a trace that is refused for its last record is refused, and what came out before is its sound beginning", () => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "m", source: "" }] }));
  for (let round = 0; round < 3000; round += 1) builder.add([{ token: 1, text: "a" }], "forced");
  builder.score(
    2999,
    [-1, -1],
    [
      { entropy: 0, top: [] },
      { entropy: 0, top: [] },
    ],
  );
  const { bytes } = encodeTrace({ trace: builder.finish("stop"), notes: [] });
  const opening = startOpeningFile(bytes);
  expect(opening.model).toBeNull();
  expect(() => runToEnd(opening.steps as ResumableWork<unknown>)).toThrow(
    "records[3001] scores tokens that were not emitted",
  );
  expect(opening.model?.records).toEqual(builder.records.slice(0, 3001));
});

test("a model that was opened in steps is the one of all records at once", () => {
  const opening = startOpeningLink(encodePermalink(trace).fragment);
  const seen: number[] = [];
  for (let step = opening.steps.next(); !step.done; step = opening.steps.next())
    seen.push(opening.model?.records.length ?? 0);
  expect(new Set(seen).size).toBeGreaterThan(10);
  const { model: result } = opening;
  if (!result) throw new Error("There is no model.");
  const model = createTraceModel(result.leftOut);
  model.append(result.records);
  const { version: _, append: __, ...ours } = result;
  expect(model).toMatchObject(ours);
});

test("a trace says, when it is written, at least the memory that is counted when it is read", () => {
  fc.assert(
    fc.property(arbitraryTrace, (any) => {
      const { bytes, memory } = encodeTrace({ trace: any, notes: [] });
      const columns = runToEnd(readingContainer({ bytes }, { left: traceLimits.unpackedFile }));
      const reader = createColumnReader(columns, { left: traceLimits.unpackedFile });
      runToEnd(codingTrace(reader, undefined, undefined, codingLayers));
      reader.finish();
      expect(reader.held).toBeGreaterThan(0);
      expect(memory).toBeGreaterThanOrEqual(reader.held);
    }),
    { numRuns: 40 },
  );
});
