import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SparseLogitsEdit } from "../../sdk/action.ts";
import {
  allowedCount,
  changesFew,
  editInPlace,
  editLogits,
  logitsProblem,
  undoEdit,
} from "./logits-edits.ts";

const infinite = Number.NEGATIVE_INFINITY;
const row = (...values: number[]) => Float32Array.from(values);

describe("editLogits", () => {
  test.each<[string, SparseLogitsEdit, number[]]>([
    ["nothing", {}, [1, 2, 3, 4]],
    ["ban", { ban: [0, 2] }, [infinite, 2, infinite, 4]],
    ["only", { only: [3, 1] }, [infinite, 2, infinite, 4]],
    ["mask", { mask: Uint32Array.of(0b1010) }, [infinite, 2, infinite, 4]],
    [
      "mask with bits beyond the row",
      { mask: Uint32Array.of(0xfffffff1) },
      [1, infinite, infinite, infinite],
    ],
    ["mask and only", { mask: Uint32Array.of(0b1010), only: [0, 1] }, [infinite, 2, infinite, infinite]],
    [
      "mask, ban and add",
      { mask: Uint32Array.of(0b1011), ban: [1], add: { 0: 1, 2: 1 } },
      [2, infinite, infinite, 4],
    ],
    ["add", { add: { 0: 10, 3: -1 } }, [11, 2, 3, 3]],
    ["add of -Infinity bans", { add: { 1: infinite } }, [1, infinite, 3, 4]],
    [
      "only, ban and add in this order",
      { only: [0, 1, 2], ban: [1], add: { 0: 1, 1: 1, 3: 1 } },
      [2, infinite, 3, infinite],
    ],
  ])("%s", (_, edit, expected) => {
    const logits = row(1, 2, 3, 4);
    expect([...editLogits(logits, edit)]).toEqual(expected);
    expect([...logits]).toEqual([1, 2, 3, 4]);
  });

  test("a mask does what the list of its tokens does", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), (kept) => {
        const logits = Float32Array.from(kept, (_, token) => Math.sin(token));
        const mask = new Uint32Array(Math.ceil(kept.length / 32));
        const only = kept.flatMap((isKept, token) => (isKept ? [token] : []));
        for (const token of only) (mask[token >> 5] as number) |= 1 << (token & 31);
        expect(editLogits(logits, { mask })).toEqual(editLogits(logits, { only }));
        expect(allowedCount({ mask }, kept.length)).toBe(only.length);
      }),
    );
  });

  test("an edit in place does the same, and can be taken back", () => {
    const tokens = fc.array(fc.nat(199), { maxLength: 4 });
    const mask = fc.array(fc.nat(199), { maxLength: 4 }).map((gone) => {
      const words = new Uint32Array(7).fill(0xffffffff);
      for (const token of gone) (words[token >> 5] as number) &= ~(1 << (token & 31));
      return words;
    });
    const add = fc.dictionary(fc.nat(199).map(String), fc.float({ min: -3, max: 3, noNaN: true }), {
      maxKeys: 4,
    });
    fc.assert(
      fc.property(fc.record({ mask, ban: tokens, add }, { requiredKeys: [] }), tokens, (edit, banned) => {
        fc.pre(changesFew(edit, 200));
        const logits = Float32Array.from({ length: 200 }, (_, token) => Math.sin(token));
        for (const token of banned) logits[token] = infinite;
        const edited = logits.slice();
        const differences = editInPlace(edited, edit);
        expect(edited).toEqual(editLogits(logits, edit));
        undoEdit(edited, differences);
        expect(edited).toEqual(logits);
      }),
    );
  });

  test("an edit that leaves few, or changes many, does not change few", () => {
    expect(changesFew({ only: [1] }, 200)).toBe(false);
    expect(changesFew({ mask: new Uint32Array(7) }, 200)).toBe(false);
    expect(changesFew({ ban: [1, 2, 3, 4, 5, 6] }, 200)).toBe(true);
    expect(changesFew({ ban: [1, 2, 3, 4, 5, 6, 7] }, 200)).toBe(false);
  });

  test("a dense edit is a copy of what was given", () => {
    const given = row(4, 3, 2, 1);
    const edited = editLogits(row(1, 2, 3, 4), given);
    given[0] = 9;
    expect([...edited]).toEqual([4, 3, 2, 1]);
  });
});

test.each<[string, Float32Array, string | null]>([
  ["finite", row(1, 2), null],
  ["partly -Infinity", row(infinite, 2), null],
  ["all -Infinity", row(infinite, infinite), "No token is left: every logit is -Infinity."],
  ["NaN", row(1, Number.NaN), "The logit of token 1 is NaN."],
  ["+Infinity", row(Number.POSITIVE_INFINITY, 0), "The logit of token 0 is Infinity."],
])("logitsProblem: %s", (_, logits, problem) => expect(logitsProblem(logits)).toBe(problem));
