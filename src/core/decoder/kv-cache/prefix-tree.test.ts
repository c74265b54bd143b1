import fc from "fast-check";
import { expect, test } from "vitest";
import { commonPrefixLength } from "../../base/shared-length.ts";
import { PrefixTree } from "./prefix-tree.ts";

const text = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 12 });
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ add: text, short: fc.integer({ min: 0, max: 3 }) }) },
    { weight: 2, arbitrary: fc.record({ touch: text }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.integer({ min: 1, max: 3 }), but: text }) },
  ),
  { maxLength: 40 },
);

/** The tokens that a path has, put together. */
function tokensOf({ length, path }: ReturnType<PrefixTree<string>["match"]>): number[] {
  return path.flatMap(({ from, tokens }, i) => tokens.slice(0, (path[i + 1]?.from ?? length) - from));
}

test("a text is known as far as any that was added, whatever was removed since; what goes is used least", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const tree = new PrefixTree<string>();
      /** Every beginning of a text that a part ends, as a reference. */
      let known: number[][] = [];
      const reach = (tokens: readonly number[]) =>
        Math.max(0, ...known.map((each) => commonPrefixLength(each, tokens)));
      for (const step of list) {
        if ("touch" in step) tree.touch(step.touch);
        else if ("add" in step) {
          const to = Math.max(1, step.add.length - step.short);
          if (reach(step.add) >= to) expect(() => tree.add(step.add, to, "")).toThrow(RangeError);
          else {
            tree.add(step.add, to, String(step.add.slice(0, to)));
            known.push(step.add.slice(0, to));
          }
        } else {
          const { path } = tree.match(step.but);
          const removable = tree.removable(new Set(path));
          expect(removable.some((part) => path.includes(part))).toBe(false);
          const uses = removable.map(({ lastUse }) => lastUse);
          expect(uses).toEqual([...uses].sort((a, b) => a - b));
          for (const part of removable.slice(0, step.remove)) tree.remove(part);
          known = [...tree.parts].map(({ content }) => content.split(",").map(Number));
        }
        for (const each of [...known, [0, 1, 2], [2, 2, 2, 2]]) {
          const match = tree.match(each);
          expect(match.length).toBe(reach(each));
          expect(tokensOf(match)).toEqual(each.slice(0, match.length));
        }
      }
    }),
  );
});

test("what others stand on stays", () => {
  const tree = new PrefixTree<number>();
  tree.add([1, 2, 3], 3, 0);
  tree.add([1, 2, 4], 3, 1);
  const [first] = tree.match([1]).path;
  if (!first) throw new Error("The first text is not known.");
  expect(() => tree.remove(first)).toThrow("The part from 0 has children");
  expect(tree.removable(new Set()).map(({ content }) => content)).toEqual([1, 0]);
});
