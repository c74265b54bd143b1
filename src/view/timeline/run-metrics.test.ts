import { expect, test } from "vitest";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import { durationAndSeedTexts, timeHint } from "./run-metrics.ts";

test("a run whose prompt was read before shows its time like any other", () => {
  const trace = createTraceModel();
  trace.append(
    sampleTrace({ tokens: 20 }).records.map((record) =>
      record.type === "finished" ? { ...record, prefillUs: 0, decodeUs: 2_500_000 } : record,
    ),
  );
  expect(durationAndSeedTexts(trace)[0]).toBe("2.5 s");
  expect(timeHint(trace)).toMatch(/^0\.00 ms to read the prompt, 2\.5 s to write the text/);
});
