import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { orderTexts, type TokenTexts } from "./text-order.ts";
import { buildTree, type Tree } from "./tree.ts";
import { vocabularyOf } from "./vocabulary.ts";

/** Few byte values, so that tokens share beginnings; 0 and 255 among them. */
const token = fc.array(fc.constantFrom(0, 1, 97, 98, 255), { minLength: 1, maxLength: 11 });
const tokens = fc.uniqueArray(token, { selector: (bytes) => bytes.join(), minLength: 1, maxLength: 120 });

function textsOf(list: readonly (readonly number[])[]): TokenTexts {
  const start = [0];
  for (const bytes of list) start.push((start.at(-1) as number) + bytes.length);
  return { bytes: Uint8Array.from(list.flat()), start: Int32Array.from(start) };
}

const compare = (a: readonly number[], b: readonly number[]) => Buffer.from(a).compare(Buffer.from(b));

/** The bytes and the token of every node that ends one, by way of depths and of `after`; in the order of their bytes. */
function readTree({ size, head, after, token: ends, first }: Tree): { bytes: number[]; token: number }[] {
  const found: { bytes: number[]; token: number }[] = [];
  const read = (from: number, to: number, before: readonly number[]) => {
    for (let node = from; node < to; node = after[node] as number) {
      const bytes = [...before, (head[node] as number) & 255];
      expect((head[node] as number) >>> 8).toBe(bytes.length);
      if ((ends[node] as number) >= 0) found.push({ bytes, token: ends[node] as number });
      read(node + 1, after[node] as number, bytes);
    }
  };
  read(0, size, []);
  for (let byte = 0; byte < 256; byte++) {
    const node = first[byte] as number;
    expect(node >= 0).toBe(found.some(({ bytes }) => bytes[0] === byte));
    if (node >= 0) expect(head[node]).toBe(256 + byte);
  }
  return found.sort((a, b) => compare(a.bytes, b.bytes));
}

function inOrder(list: readonly (readonly number[])[]): { bytes: number[]; token: number }[] {
  const entries = list.map((bytes, index) => ({ bytes: [...bytes], token: index }));
  return entries.sort((a, b) => compare(a.bytes, b.bytes));
}

describe("the tree of tokens", () => {
  test("holds them all", () => {
    fc.assert(
      fc.property(tokens, (list) => {
        expect(readTree(buildTree(orderTexts(textsOf(list))))).toEqual(inOrder(list));
      }),
      { numRuns: 300 },
    );
  });

  test("of some of them holds those alone, in as few nodes", () => {
    fc.assert(
      fc.property(tokens, fc.nat(), (list, seed) => {
        const wanted = Uint8Array.from(list, (_, index) => (Math.imul(seed + index, 0x9e3779b1) >>> 29) & 1);
        const filtered = buildTree(orderTexts(textsOf(list)), wanted);
        expect(readTree(filtered)).toEqual(inOrder(list).filter(({ token }) => wanted[token] !== 0));
        const alone = buildTree(
          orderTexts(textsOf(list.map((bytes, index) => (wanted[index] === 0 ? [] : bytes)))),
        );
        expect(filtered.size).toBe(alone.size);
      }),
      { numRuns: 300 },
    );
  });

  test("tokens with the same bytes are paired with the first; those that end the output are left out", () => {
    const list = ["a", "b", "", "a", "ab", "a", "</s>"].map((text) => new TextEncoder().encode(text));
    const vocabulary = vocabularyOf({
      vocabSize: list.length,
      eosTokenIds: [6],
      tokenBytes: (index) => list[index] as Uint8Array,
      encode: () => [],
    });
    expect([...vocabulary.byteIdenticalTokens]).toEqual([0, 3, 0, 5]);
    expect(readTree(vocabulary.tree).map((entry) => entry.token)).toEqual([0, 4, 1]);
    expect(vocabulary.bytesOf(6)).toHaveLength(0);
  });
});
