import fc from "fast-check";
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { arbitraryTrace } from "../../../core/trace/testing/arbitrary-trace.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { playbackStopOfRecord, recordCountsAtStops } from "./play-places.ts";

test("every record is played once, in its order, and the last place is the end", () => {
  fc.assert(
    fc.property(arbitraryTrace, ({ records }) => {
      const places = recordCountsAtStops(records);
      expect(places).toEqual([...new Set(places)].sort((one, other) => one - other));
      expect(places.at(-1)).toBe(records.length);
      for (const [number] of records.entries()) {
        const place = playbackStopOfRecord(places, number);
        expect(places[place]).toBeGreaterThan(number);
        expect(places[place - 1] ?? 0).toBeLessThanOrEqual(number);
      }
    }),
    { numRuns: 50 },
  );
});

test("each place shows one thing more, and tokens one group at a time", () => {
  const { records } = sampleTrace({ tokens: 40 });
  const places = recordCountsAtStops(records);
  const model = createTraceModel();
  let shown = 0;
  for (const place of places) {
    const before = model.tokens.text.length;
    const next = records.slice(shown, place);
    model.append(next);
    expect(next.filter(({ type }) => type === "added").length).toBeLessThan(2);
    if (next.some(({ type }) => type === "added")) expect(model.tokens.text.length).toBeGreaterThan(before);
    shown = place;
  }
  expect(shown).toBe(records.length);
});

test("passes in the middle of a prompt, and what stands together with something else, have no place of their own", () => {
  const run = createTraceBuilder();
  const distribution = { entropy: 1, top: [] };
  run.prefill([{ token: 1, text: "Once" }]);
  run.forward(null);
  run.forward(distribution);
  run.adjust(distribution);
  run.sample({ token: 2, text: " upon" }, {});
  run.add([{ token: 2, text: " upon" }], "sampled");
  run.score(0, [-1], [distribution]);
  run.finish("stop");
  expect(recordCountsAtStops(run.records)).toEqual([2, 4, 6, 7, 9]);
});

test("a run of nothing has no place", () => {
  expect(recordCountsAtStops([])).toEqual([]);
});
