/** Messages cross as structured clone would copy them, and invalid messages are refused. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { pack, unpack } from "./clone-text.ts";

const copied = (value: unknown) => unpack(pack(value));

const numbers = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(Number.NaN, -0, 0, Infinity, -Infinity));
const arrays = fc.oneof(
  fc.float32Array(),
  fc.float64Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.uint8Array(),
  fc.bigInt64Array(),
);
const names = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("$", "of", "length", "__proto__", "toJSON", "0"),
);
const { value: message } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("\ud800", "\udfff", "\0", "é", '"') }),
    numbers,
    fc.bigInt(),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    arrays,
    fc.array(tie("value")),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => Object.assign(new Array(5), { 1: items })),
    fc.array(fc.tuple(names, tie("value"))).map((entries) => Object.fromEntries(entries)),
  ),
}));

test("a message arrives as structured clone makes it", () => {
  fc.assert(
    fc.property(message, (value) => {
      expect(copied(value)).toStrictEqual(structuredClone(value));
    }),
  );
});

test("a view of much memory arrives with its own part of it alone", () => {
  const memory = Float32Array.from({ length: 1_000 }, (_, place) => place);
  const row = copied(memory.subarray(10, 12)) as Float32Array;
  expect([...row]).toEqual([10, 11]);
  expect(row.buffer.byteLength).toBe(8);
});

test("a list of four thousand million holes costs nothing", () => {
  const list = copied(Object.assign([], { length: 4_294_967_295 })) as unknown[];
  expect(list).toHaveLength(4_294_967_295);
  expect(Object.keys(list)).toEqual([]);
});

const around: unknown[] = [];
around.push(around);

test.each([
  ["a function", { on: () => 1 }, "A function cannot be sent."],
  ["a symbol", [Symbol("x")], "A symbol cannot be sent."],
  ["a list in itself", around, "nested deeper than 1000 levels"],
  ["a kind of array that has no name here", new DataView(new ArrayBuffer(8)), null],
])("%s", (_, value, words) => {
  if (words === null) expect(copied(value)).toEqual({});
  else expect(() => pack(value)).toThrow(words);
});

const bytes = new ArrayBuffer(16);
test.each([
  ["an unknown kind", `{"$":"Function","of":"return 1"}`],
  ["a kind that every object has", `{"$":"constructor","of":[0,8]}`],
  ["a place that is none", `{"$":"Float32Array","of":null}`],
  ["half an element", `{"$":"Float32Array","of":[0,3]}`],
  ["no number", `{"$":"bigint","of":"x"}`],
  ["a longer list than there is", `{"$":"list","of":{"length":4294967296}}`],
  ["no JSON", `{`],
])("a text that nobody packed is refused: %s", (_, text) => {
  expect(() => unpack({ text, bytes })).toThrow();
});

test("typed arrays take no more memory than the block of their bytes", () => {
  const { bytes } = pack(new Uint8Array(64));
  const view = { $: "Uint8Array", of: [0, 64] };
  expect(unpack({ text: JSON.stringify([view]), bytes })).toEqual([new Uint8Array(64)]);
  expect(() => unpack({ text: JSON.stringify([view, view]), bytes })).toThrow(
    "ends after the last byte of its message",
  );
});

test("a message of more values than the engine takes is refused", () => {
  const packed = pack([[1, 2], { a: 3 }]);
  expect(unpack(packed, 5)).toEqual([[1, 2], { a: 3 }]);
  expect(() => unpack(packed, 4)).toThrow("too many values");
});

test("members named like those of every object stay members", () => {
  const value = unpack({ text: `{"__proto__":{"polluted":{"$":"number","of":"NaN"}}}`, bytes }) as object;
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value)).toEqual(["__proto__"]);
});
