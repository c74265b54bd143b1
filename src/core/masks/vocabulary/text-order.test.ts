import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderTexts, type TokenTexts } from "./text-order.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Two byte values and short alphabets of whole pieces, so that many share long beginnings; empty ones and equal ones among them. */
const token = fc.oneof(
  fc.array(fc.constantFrom(0, 200), { maxLength: 17, size: "max" }),
  fc
    .array(fc.constantFrom([0, 0, 0, 0, 0], [97, 98, 99, 100, 101], [255], [0]), { maxLength: 5 })
    .map((parts) => parts.flat()),
  fc.array(fc.nat(255), { maxLength: 8 }),
);
const tokens = fc.array(token, { maxLength: 60, size: "max" });

function textsOf(list: readonly (readonly number[])[]): TokenTexts {
  const start = [0];
  for (const bytes of list) start.push((start.at(-1) as number) + bytes.length);
  return { bytes: Uint8Array.from(list.flat()), start: Int32Array.from(start) };
}

function commonOf(a: readonly number[], b: readonly number[]): number {
  const end = a.findIndex((byte, index) => byte !== b[index]);
  return end < 0 ? a.length : end;
}

/** By a sort with a comparison. */
function naiveOrder(list: readonly (readonly number[])[]) {
  const all = list.map((bytes, index) => ({ bytes, index })).filter(({ bytes }) => bytes.length > 0);
  all.sort((a, b) => Buffer.from(a.bytes).compare(Buffer.from(b.bytes)) || a.index - b.index);
  const firsts = all.filter(({ bytes }, place) => all[place - 1]?.bytes.join() !== bytes.join());
  const byteIdenticalTokens = all.flatMap(({ bytes, index }) => {
    const first = firsts.find((each) => each.bytes.join() === bytes.join());
    return first === undefined || first.index === index ? [] : [first.index, index];
  });
  const shared = firsts.map(({ bytes }, place) => commonOf(firsts[place - 1]?.bytes ?? [], bytes));
  return {
    order: firsts.map(({ index }) => index),
    shared,
    byteIdenticalTokens,
    nodes: firsts.reduce((sum, { bytes }, place) => sum + bytes.length - (shared[place] ?? 0), 0),
    longest: Math.max(0, ...list.map(({ length }) => length)),
  };
}

describe("the order of tokens", () => {
  test("is that of their bytes", () => {
    fc.assert(
      fc.property(tokens, (list) => {
        const { order, shared, byteIdenticalTokens, nodes, longest } = orderTexts(textsOf(list));
        const found = {
          order: [...order],
          shared: [...shared],
          byteIdenticalTokens: [...byteIdenticalTokens],
          nodes,
          longest,
        };
        expect(found).toEqual(naiveOrder(list));
      }),
      { numRuns: 300 },
    );
  });

  test("more tokens than a key can tell apart are refused", () => {
    const start = new Int32Array(2 ** 21 + 1);
    expect(() => orderTexts({ bytes: new Uint8Array(), start })).toThrow(RangeError);
  });
});

test.each([true, false])("tokens of any length are read; the tokenizer can copy them: %s", (canCopy) => {
  const list = Array.from({ length: 40 }, (_, index) => new Uint8Array((index % 7) * index).fill(index));
  const { bytes, start } = vocabularyOf({
    vocabSize: list.length,
    eosTokenIds: [3],
    tokenBytes: (index) => list[index] as Uint8Array,
    encode: () => [],
    ...(canCopy && {
      copyTokenBytes(index: number, into: Uint8Array, at: number) {
        const text = list[index] as Uint8Array;
        if (at + text.length <= into.length) into.set(text, at);
        return text.length;
      },
    }),
  }).texts;
  const read = list.map((_, index) => [...bytes.subarray(start[index], start[index + 1])]);
  expect(read).toEqual(list.map((text, index) => (index === 3 ? [] : [...text])));
});
