import { describe, expect, test } from "vitest";
import { mixHash } from "../automaton/hash.ts";
import { hashTokenList, SharedMasks } from "./shared-masks.ts";
import { hasToken } from "./token-bits.ts";
import { TokenList } from "./token-list.ts";

const words = 64;
const listOf = (...tokens: readonly number[]) => {
  const list = new TokenList();
  for (const token of tokens) list.add(token);
  return list;
};
const tokensOf = (mask: Uint32Array) =>
  Array.from({ length: words * 32 }, (_, token) => token).filter((token) => hasToken(mask, token));
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe("shared masks", () => {
  test("equal ones are one array, others are not", () => {
    const masks = new SharedMasks(words, Int32Array.of());
    const ready = masks.of([], listOf(1, 2));
    const other = masks.of([], listOf(1, 3));
    const made = [
      { ready: [], tokens: [5, 7], all: [5, 7] },
      { ready: [], tokens: [5, 8], all: [5, 8] },
      { ready: [], tokens: [7, 5], all: [5, 7] },
      { ready: [], tokens: [5, 7, 40], all: [5, 7, 40] },
      { ready: [], tokens: [], all: [] },
      { ready: [ready], tokens: [5, 7], all: [1, 2, 5, 7] },
      { ready: [other], tokens: [5, 7], all: [1, 3, 5, 7] },
      { ready: [ready, other], tokens: [5, 7], all: [1, 2, 3, 5, 7] },
      { ready: [], tokens: range(0, 1500), all: range(0, 1500) },
      { ready: [], tokens: [...range(0, 1499), 1999], all: [...range(0, 1499), 1999] },
    ];
    for (let round = 0; round < 3; round++) {
      for (const { ready: given, tokens, all } of made) {
        expect(tokensOf(masks.of(given, listOf(...tokens)))).toEqual(all);
      }
    }
    expect(masks.of([], listOf(5, 7))).toBe(masks.of([], listOf(5, 7)));
    expect(masks.of([ready], listOf(5, 7))).toBe(masks.of([ready], listOf(5, 7)));
    expect(masks.of([ready], listOf())).toBe(ready);
    expect(tokensOf(ready)).toEqual([1, 2]);
  });

  test("tokens that happen to have one hash are told apart", () => {
    const most = 2 ** 16;
    const list = new TokenList();
    const fill = (seed: number) => {
      list.length = 0;
      for (let index = 0; index < 3; index++) list.add(mixHash(seed, index) & (most - 1));
      return hashTokenList(list);
    };
    const byHash = new Map<number, number>();
    let seed = 0;
    for (; seed < 10 * most && !byHash.has(fill(seed)); seed++) byHash.set(fill(seed), seed);
    const pair = [byHash.get(fill(seed)) as number, seed];
    const masks = new SharedMasks(most / 32, Int32Array.of());
    for (const each of [...pair, ...pair]) {
      fill(each);
      const expected = [...list.tokens.subarray(0, 3)];
      const mask = masks.of([], list);
      expect(expected.filter((token) => !hasToken(mask, token))).toEqual([]);
      expect(mask.filter((word) => word !== 0).length).toBeLessThanOrEqual(3);
    }
    expect(fill(pair[0] as number)).toBe(fill(seed));
  });

  test("a list may be used again", () => {
    const masks = new SharedMasks(words, Int32Array.of());
    const list = listOf(3, 4);
    const before = masks.of([], list);
    list.length = 0;
    for (const token of [3, 9]) list.add(token);
    expect(tokensOf(masks.of([], list))).toEqual([3, 9]);
    expect(masks.of([], listOf(3, 4))).toBe(before);
  });

  test("byte-identical tokens are in a mask together, also when they come with a ready mask that has none", () => {
    const masks = new SharedMasks(words, Int32Array.of(1, 100, 6, 101));
    const slice = new Uint32Array(words);
    slice[0] = 1 << 1;
    expect(tokensOf(masks.of([slice], listOf()))).toEqual([1, 100]);
    expect(tokensOf(masks.of([slice], listOf(6)))).toEqual([1, 6, 100, 101]);
    expect(tokensOf(masks.of([], listOf(2)))).toEqual([2]);
    expect(tokensOf(slice)).toEqual([1]);
  });

  test("are let go when they are too many, but for those in use", () => {
    const large = 2 ** 18;
    const masks = new SharedMasks(large, Int32Array.of());
    const first = masks.of([], listOf(1));
    const unused = masks.of([], listOf(2));
    for (let token = 10; token < 50; token++) {
      masks.of([], listOf(token));
      expect(masks.of([], listOf(1))).toBe(first);
    }
    const again = masks.of([], listOf(2));
    expect(again).not.toBe(unused);
    expect(hasToken(again, 2)).toBe(true);
  });
});
