import { expect, test } from "vitest";
import { traceWithAuthorName } from "../../core/trace/file/maker.ts";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import { runMetadataOf, runTextsOf } from "./run-metadata.ts";
import { sampleRunPageMetadata } from "./testing/some-runs.ts";

function facts(maker: string) {
  const trace = createTraceModel();
  trace.append(traceWithAuthorName(sampleTrace({ tokens: 5 }), maker).records);
  return runMetadataOf(trace, runTextsOf(trace), sampleRunPageMetadata, 3);
}

test("facts say who made the run, where its record does, in few characters", () => {
  expect(facts("Ada").maker).toBe("Ada");
  expect(facts("x".repeat(5_000)).maker).toHaveLength(200);
  expect(facts("")).not.toHaveProperty("maker");
});
