import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chars } from "../strategies/chars.ts";
import { regex } from "../strategies/regex.ts";
import { firstTokens } from "../vocabulary/token-bits.ts";
import { applyMask } from "./apply-mask.ts";
import { createMatcher } from "./matcher.ts";
import { vocabularyFromList } from "./vocabulary-from-list.ts";

const tokens = ["a", "b", "ab", "é", Uint8Array.of(0xc3), Uint8Array.of(0xa9), null];
const vocabulary = vocabularyFromList(tokens, {
  eosTokenIds: [6],
  encode: (text) => [...text].map((character) => tokens.indexOf(character)),
});
const allowed = (matcher: { mask(): Uint32Array }) => firstTokens(matcher.mask(), 10);

describe("a matcher", () => {
  test("follows a sequence and takes tokens back", () => {
    const matcher = createMatcher(regex("(ab)+é"), vocabulary);
    expect(allowed(matcher)).toEqual([0, 2]);
    expect(matcher.forcedTokens()).toEqual([0, 1]);
    matcher.accept([2, 0]);
    expect(matcher.text).toBe("aba");
    expect(allowed(matcher)).toEqual([1]);
    expect(matcher.allows(1)).toBe(true);
    expect(matcher.allows(0)).toBe(false);
    matcher.truncate(1);
    expect(matcher.tokens).toEqual([2]);
    matcher.accept(4);
    expect(matcher.text).toBe("ab�");
    expect([matcher.canEnd, matcher.answer]).toEqual([false, null]);
    matcher.accept(5);
    expect([matcher.text, matcher.canEnd, matcher.isComplete, matcher.answer]).toEqual([
      "abé",
      true,
      true,
      "abé",
    ]);
    expect(allowed(matcher)).toEqual([]);
    matcher.truncate(0);
    expect(allowed(matcher)).toEqual([0, 2]);
  });

  test("gives the answer without its stop sequence", () => {
    const matcher = createMatcher(chars("letters", { stop: "é" }), vocabulary);
    matcher.accept([0, 2, 3]);
    expect([matcher.text, matcher.answer]).toEqual(["aabé", "aab"]);
  });

  test("takes all tokens or none", () => {
    const matcher = createMatcher(regex("(ab)+"), vocabulary);
    expect(() => matcher.accept([2, 0, 0])).toThrow(
      "Token 0 is not allowed by regex after 2 tokens: choose a token that mask() allows.",
    );
    expect(matcher.tokens).toEqual([]);
    expect(() => matcher.accept(7)).toThrow(RangeError);
    expect(() => matcher.accept(6)).toThrow(RangeError);
  });

  test("refuses what is no length, no strategy and no vocabulary", () => {
    const matcher = createMatcher(regex("a"), vocabulary);
    expect(() => matcher.truncate(1)).toThrow("The length is 1: give a whole number from 0 to 0.");
    expect(() => matcher.truncate(-1)).toThrow(RangeError);
    expect(() => createMatcher({ type: "object" } as never, vocabulary)).toThrow(
      "an object is not a strategy",
    );
    expect(() => createMatcher(regex("a"), {} as never)).toThrow(
      "is not a tokenizer of @huggingface/transformers",
    );
  });
});

describe("applyMask", () => {
  test("keeps the logits of the tokens that are in the mask, or also allowed, and no others", () => {
    const sizes = fc.integer({ min: 0, max: 140 });
    const words = fc.array(fc.constantFrom(0, 0xffff_ffff, 1, 0x8000_0000, 0x0f0f_1234), { maxLength: 4 });
    const also = fc.array(fc.integer({ min: 0, max: 140 }), { maxLength: 3 });
    fc.assert(
      fc.property(sizes, words, also, (size, given, alsoAllowed) => {
        const mask = Uint32Array.from(given);
        const logits = Float32Array.from({ length: size }, (_, token) => token + 1);
        const expected = logits.map((logit, token) => {
          const isSet = (((mask[token >> 5] ?? 0) >>> (token & 31)) & 1) === 1;
          return isSet || alsoAllowed.includes(token) ? logit : Number.NEGATIVE_INFINITY;
        });
        applyMask(logits, mask, alsoAllowed);
        expect(logits).toEqual(expected);
      }),
    );
  });
});
