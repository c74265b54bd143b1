import { expect, test } from "vitest";
import { traceWithAuthorName } from "../../core/trace/file/maker.ts";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import { runMetadataOf, runTextsOf } from "./run-metadata.ts";
import { sampleRunPageMetadata } from "./testing/some-runs.ts";

function metadata(maker: string) {
  const trace = createTraceModel();
  trace.append(traceWithAuthorName(sampleTrace({ tokens: 5 }), maker).records);
  return runMetadataOf(trace, runTextsOf(trace), sampleRunPageMetadata, 3);
}

test("metadata say who made the run, where its record does, in few characters", () => {
  expect(metadata("Ada").maker).toBe("Ada");
  expect(metadata("x".repeat(5_000)).maker).toHaveLength(200);
  expect(metadata("")).not.toHaveProperty("maker");
});
