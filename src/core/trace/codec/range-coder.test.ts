import fc from "fast-check";
import { expect, test } from "vitest";
import { type ContextOrder, rangeDecode } from "./range-coder.ts";
import { rangeEncode } from "./range-encoder.ts";

const orders: readonly ContextOrder[] = [0, 1, 2];

test.each(orders)("columns come back as they were (order %i)", (order) => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }), (columns) => {
      const lengths = columns.map(({ length }) => length);
      expect(rangeDecode(rangeEncode(columns, order), lengths, order)).toEqual(columns);
    }),
  );
});

test.each(orders)("long and skewed columns come back (order %i)", (order) => {
  const columns = [1, 2, 7, 251].map((step) =>
    Uint8Array.from({ length: 5000 }, (_, place) => (place % step === 0 ? (place * place) & 255 : 0)),
  );
  expect(rangeDecode(rangeEncode(columns, order), [5000, 5000, 5000, 5000], order)).toEqual(columns);
});

test("what repeats costs little", () => {
  expect(rangeEncode([new Uint8Array(300)], 0).length).toBeLessThan(12);
  const cycle = Uint8Array.from({ length: 1500 }, (_, place) => place % 5);
  expect(rangeEncode([cycle], 1).length).toBeLessThan(40);
});

test("the arithmetic is frozen: these bytes are in links", () => {
  const columns = [Uint8Array.from([0, 1, 2, 3, 200, 255, 0, 0]), Uint8Array.from([7, 7, 7])];
  expect(Buffer.from(rangeEncode(columns, 0)).toString("hex")).toBe("ffe3e165480dbbf8");
  expect(Buffer.from(rangeEncode(columns, 1)).toString("hex")).toBe("ffe64dc9a9e58af79f2c");
  expect(Buffer.from(rangeEncode(columns, 2)).toString("hex")).toBe("ffe64dc9a9e58affc3f6ef");
});

test("left-over bytes are refused", () => {
  const bytes = rangeEncode([Uint8Array.from([1, 2, 3])], 0);
  expect(() => rangeDecode(Uint8Array.from([...bytes, 0, 0, 0, 0, 0]), [3], 0)).toThrow(
    "extra bytes at its end",
  );
});

test("any bytes decode to something of the declared length", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      const [column] = rangeDecode(bytes, [400], 1);
      expect(column).toHaveLength(400);
    }),
  );
});
