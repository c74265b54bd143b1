/** Starts of a text stay as they were, whatever happens to the text afterwards. */
import { expect, test } from "vitest";
import { uniformRandom } from "../../core/base/random.ts";
import { GrowingText } from "./growing-text.ts";

test("the start of a text stays when the text is cut and goes on otherwise", () => {
  const text = new GrowingText();
  text.append([1, 2]);
  const start = text.upTo(2);
  text.append([3]);
  text.truncate(1);
  text.append([9]);
  expect([text.length, text.upTo(2).tokens(), start.length, start.tokens()]).toEqual([2, [1, 9], 2, [1, 2]]);
});

test("random changes: each start is the copy that was made with it", () => {
  let draws = 0;
  const below = (count: number): number => Math.floor(uniformRandom(7, draws++) * count);
  const text = new GrowingText();
  let expected: number[] = [];
  const starts: { readonly tokens: () => readonly number[]; readonly copy: readonly number[] }[] = [];
  for (let round = 0; round < 500; round++) {
    if (below(4) === 0) {
      const length = below(expected.length + 1);
      text.truncate(length);
      expected = expected.slice(0, length);
    } else {
      const tokens = Array.from({ length: below(5) }, () => below(1_000));
      text.append(tokens);
      expected = [...expected, ...tokens];
    }
    const length = below(expected.length + 1);
    starts.push({ tokens: text.upTo(length).tokens, copy: expected.slice(0, length) });
    if (below(3) === 0) starts[below(starts.length)]?.tokens();
  }
  expect(starts.map(({ tokens }) => tokens())).toEqual(starts.map(({ copy }) => copy));
});
