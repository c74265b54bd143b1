import { describe, expect, test } from "vitest";
import { columnOf, overviewColumns, overviewMark } from "./overview-columns.ts";
import { sampleTrace } from "./testing/sample-trace.ts";
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
      const column = columnOf(starts, token);
      expect(starts[column]).toBeLessThanOrEqual(token);
      expect(starts[column + 1]).toBeGreaterThan(token);
    }
    const all = marks.reduce((bits, mark) => bits | mark, 0);
    expect(all).toBe(63 - overviewMark.end);
  });

  test("is empty without tokens", () => {
    expect(overviewColumns(createTraceModel(), 100).marks).toHaveLength(0);
  });
});
