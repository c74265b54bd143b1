import { expect, test } from "vitest";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { maxPlaybackRecords } from "./play-places.ts";
import { openPlayback, whyNotPlayed } from "./playback.ts";

function modelOf(records: number): TraceModel {
  const builder = createTraceBuilder();
  builder.prefill([{ token: 1, text: "One" }]);
  while (builder.records.length < records - 1) builder.call(0, "added");
  builder.finish("length");
  const trace = createTraceModel();
  trace.append(builder.records);
  return trace;
}

test("the longest run that is played, and the first that is not, which says why", () => {
  expect(openPlayback(modelOf(maxPlaybackRecords), null)).toMatchObject({ at: 0, isPlaying: true });
  const longer = modelOf(maxPlaybackRecords + 1);
  expect(openPlayback(longer, null)).toBeNull();
  expect(whyNotPlayed(longer)).toMatch(/^This run has 100,001 events, but at most 100,000 can be played/);
  expect(whyNotPlayed(createTraceModel())).toBe("There is no run to play.");
});
