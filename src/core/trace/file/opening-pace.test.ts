import { expect, test } from "vitest";
import { createTraceModel } from "../model/trace-model.ts";
import { sampleTrace } from "../testing/sample-trace.ts";
import { createRedrawThrottle } from "./opening-pace.ts";

test("drawn again when it has grown by a quarter, and not more than four times a second", () => {
  const trace = createTraceModel();
  const isWorthShowing = createRedrawThrottle();
  const { records } = sampleTrace({ tokens: 60 });
  const shown = records.flatMap((record, number) => {
    trace.append([record]);
    return isWorthShowing(trace, number * 100) ? [number] : [];
  });
  expect(shown[0]).toBe(0);
  shown.slice(1).forEach((number, place) => {
    const before = shown[place] ?? 0;
    expect(number - before).toBeGreaterThanOrEqual(3);
    expect(number + 1).toBeGreaterThanOrEqual((before + 1) * 1.25);
  });
});
