import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampleTrace } from "../testing/sample-trace.ts";
import { columnOf, overviewColumns, overviewMark } from "./overview-columns.ts";
import { createTraceModel } from "./trace-model.ts";

describe("the overview strip", () => {
  const model = createTraceModel();
  model.append(sampleTrace().records);
  const count = model.tokens.text.length;

  test.each([[1], [50], [count], [5000]])("in %i columns covers every token once", (width) => {
    const { starts, marks, surprisal } = overviewColumns(model, width);
    expect(starts[0]).toBe(0);
    expect(starts.at(-1)).toBe(count);
    expect(marks.length).toBe(Math.min(width, count));
    expect(surprisal.every((bits) => bits >= 0)).toBe(true);
    for (let token = 0; token < count; token += 1) {
      const column = columnOf(starts, token) ?? Number.NaN;
      expect(starts[column]).toBeLessThanOrEqual(token);
      expect(starts[column + 1]).toBeGreaterThan(token);
    }
    const all = marks.reduce((bits, mark) => bits | mark, 0);
    expect(all).toBe(63 - overviewMark.end);
  });

  test("of a part has the part's tokens once, and no other", () => {
    fc.assert(
      fc.property(fc.nat(count - 1), fc.nat(count), fc.integer({ min: 1, max: 60 }), (one, other, width) => {
        const [first, end] = [Math.min(one, other), Math.max(one, other, Math.min(one, other) + 1)];
        const { starts, surprisal, marks } = overviewColumns(model, width, { first, end });
        expect([starts[0], starts.at(-1)]).toEqual([first, end]);
        expect(marks.length).toBeLessThanOrEqual(Math.min(width, end - first) + 1);
        expect(columnOf(starts, first - 1)).toBeNull();
        expect(columnOf(starts, end)).toBeNull();
        const bits = Array.from({ length: end - first }, (_, place) => {
          const column = columnOf(starts, first + place) ?? Number.NaN;
          expect(starts[column]).toBeLessThanOrEqual(first + place);
          expect(starts[column + 1]).toBeGreaterThan(first + place);
          return -(model.tokens.logprobBefore[first + place] ?? Number.NaN) / Math.LN2;
        });
        const most = (of: Iterable<number>) => Math.max(0, ...[...of].filter((each) => !Number.isNaN(each)));
        expect(most(surprisal)).toBeCloseTo(most(bits), 4);
      }),
      { numRuns: 30 },
    );
  });

  test("keeps its columns while a part of one size is moved along", () => {
    const [one, next] = [100, 103].map(
      (first) => overviewColumns(model, 20, { first, end: first + 200 }).starts,
    );
    const inside = (starts: Uint32Array | undefined) =>
      [...(starts ?? [])].filter((at) => at > 103 && at < 300);
    expect(inside(next)).toEqual(inside(one));
    expect(inside(one).length).toBeGreaterThan(15);
  });

  test("is empty without tokens", () => {
    expect(overviewColumns(createTraceModel(), 100).marks).toHaveLength(0);
  });
});
