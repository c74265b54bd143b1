import { expect, test } from "vitest";
import { createColumnReader } from "./column-reader.ts";
import { createColumnWriter } from "./column-writer.ts";

const column = "settings.numbers";
const characters = "settings.floats";

test.each([
  [20, 18],
  [20, 17.5],
  [-3, 0.1],
  [0, 2 ** 52],
  [7, Number.NaN],
  [7, Number.POSITIVE_INFINITY],
  [0.5, 0.25],
])("%d with the guess %d is read as it was written", (value, guess) => {
  const writer = createColumnWriter();
  writer.number(column, value, undefined, guess);
  const columns = new Map([...writer.columns()].map(([key, bytes]) => [key, [bytes]]));
  const reader = createColumnReader(columns, { left: 1_000 });
  expect(reader.number(column, undefined, undefined, guess)).toBe(value);
});

test("the memory of texts is charged once, however often the columns are made", () => {
  const writer = createColumnWriter();
  writer.text(column, characters, "some text");
  writer.columns();
  const { held } = writer;
  writer.columns();
  expect(writer.held).toBe(held);
});
