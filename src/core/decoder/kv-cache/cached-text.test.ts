/** The shared length of a text and the cache, asked again and again while both change. */
import { expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { commonPrefixLength } from "../../base/shared-length.ts";
import { CachedText } from "./cached-text.ts";

test("a text that goes on shares what the cache was given since", () => {
  const cache = new CachedText();
  cache.add([5, 6, 7]);
  const text = [5, 6, 8];
  expect(cache.sharedLength(text)).toBe(2);
  cache.truncate(2);
  cache.add([8]);
  expect(cache.sharedLength(text)).toBe(3);
  text.push(9);
  cache.add([9]);
  expect(cache.sharedLength(text)).toBe(4);
});

test("tokens that the cache lost and got again are compared again", () => {
  const cache = new CachedText();
  const text = [1, 2, 3, 4];
  cache.add(text);
  expect(cache.sharedLength(text)).toBe(4);
  cache.truncate(1);
  cache.add([2, 9, 4]);
  expect(cache.sharedLength(text)).toBe(2);
  cache.replace([1, 2, 3]);
  expect(cache.sharedLength(text)).toBe(3);
});

test("random changes of the cache and of two texts: the shared length is that of a whole comparison", () => {
  let draws = 0;
  const below = (count: number): number => Math.floor(uniformRandom(11, draws++) * count);
  const some = (): number[] => Array.from({ length: below(4) }, () => below(2));
  const cache = new CachedText();
  const texts: [number[], number[]] = [[], []];
  for (let round = 0; round < 3_000; round++) {
    const place = below(2);
    const text = texts[place] as number[];
    const change = below(6);
    if (change === 0) cache.truncate(below(cache.length + 2));
    else if (change === 1) cache.add(some());
    else if (change === 2) cache.add(text.slice(cache.length));
    else if (change === 3) text.push(...some());
    else if (change === 4) texts[place] = [...text.slice(0, below(text.length + 1)), ...some()];
    else if (below(10) === 0) cache.replace(some());
    const asked = texts[below(2)] as number[];
    expect(cache.sharedLength(asked)).toBe(commonPrefixLength(cache.tokens, asked));
  }
});
