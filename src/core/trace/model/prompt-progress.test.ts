import { expect, test } from "vitest";
import type { TraceRecord } from "../format/format.ts";
import { requestRecord } from "../testing/trace-builder.ts";
import { promptProgress } from "./prompt-progress.ts";

const prefilled = {
  type: "prefilled",
  timeUs: 1,
  tokens: Array.from({ length: 100 }, () => ({ token: 1, text: "a" })),
  originalLength: null,
} satisfies TraceRecord;
const pass = (contextLength: number) =>
  ({
    type: "forwardPass",
    timeUs: 2,
    step: 0,
    durationUs: 1,
    tokenCount: 32,
    contextLength,
    before: { entropy: 0, top: [] },
    likeliest: null,
  }) as const satisfies TraceRecord;

test.each<[string, TraceRecord[], [number, number] | null]>([
  ["nothing yet", [], null],
  ["the prompt is not known", [requestRecord()], null],
  ["nothing is read", [requestRecord(), prefilled], [0, 100]],
  ["some passes", [requestRecord(), prefilled, pass(32), pass(64)], [64, 100]],
  ["all is read", [requestRecord(), prefilled, pass(32), pass(100)], null],
])("%s", (_what, records, expected) => {
  const progress = promptProgress({ records });
  expect(progress && [progress.read, progress.total]).toEqual(expected);
});
