/** Sampling masks keep the tokens that the tokenizer itself writes for a text, so a token that is left out begins no spelling of its own. */
import { describe, expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { jsonSchema } from "../strategies/json-schema.ts";
import { regex } from "../strategies/regex.ts";
import type { Strategy } from "../strategy.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { formalLanguageOf } from "../testing/walks.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import { type ConstraintState, constraintOf } from "./constraint.ts";

/** A tokenizer of these letters that merges pairs in the order of the list, as byte-pair encoding does. */
function smallTokenizer(
  letters: string,
  merges: readonly string[],
): TokenBytes & { readonly texts: readonly string[] } {
  const texts = [...letters, ...merges.map((merge) => merge.replace("+", ""))];
  const encode = (text: string) => {
    let spelling = [...text];
    for (const merge of merges) {
      const [left, right] = merge.split("+") as [string, string];
      const merged: string[] = [];
      for (const each of spelling) {
        if (each === right && merged.at(-1) === left) merged[merged.length - 1] = left + right;
        else merged.push(each);
      }
      spelling = merged;
    }
    return spelling.map((each) => texts.indexOf(each));
  };
  return {
    texts,
    vocabSize: texts.length,
    eosTokenIds: [],
    tokenBytes: (token) => new TextEncoder().encode(texts[token]),
    encode,
  };
}

/** All words of the letters up to a length. */
function wordsOf(letters: string, longest: number): string[] {
  let words = [""];
  const all: string[] = [];
  for (let length = 1; length <= longest; length++) {
    words = words.flatMap((word) => [...letters].map((letter) => word + letter));
    all.push(...words);
  }
  return all;
}

const letters = "abc";
const tokenizers = [
  ["a+b", "ab+c", "b+c", "c+a", "ca+b"],
  ["b+c", "a+b", "a+bc", "c+c", "cc+a"],
  ["a+a", "b+a", "aa+b", "c+aa", "b+b", "ba+c"],
];
const expressions = [
  /ab*c/,
  /(ab|bc|ca)+/,
  /a{1,3}b?c*/,
  /abc|abca|bca/,
  /[ab]c[ab]c/,
  /(a|bb)*c/,
  /cab|ca|aab/,
];

describe.each(tokenizers.map((merges) => [merges.join(" "), merges] as const))(
  "all texts of a small tokenizer with the merges %s",
  (_, merges) => {
    const tokenizer = smallTokenizer(letters, merges);
    test.each(expressions)(
      "%s: no token of the tokenizer's own spelling of a text is left out",
      (expression) => {
        const whole = new RegExp(`^(?:${expression.source})$`);
        const texts = wordsOf(letters, 8).filter((word) => whole.test(word));
        // Tokens by the text before them, in the tokenizer's own spellings of all texts.
        const own = new Map<string, Set<number>>();
        for (const text of texts) {
          let before = "";
          for (const token of tokenizer.encode(text)) {
            own.set(before, (own.get(before) ?? new Set()).add(token));
            before += tokenizer.texts[token];
          }
        }
        const left: string[] = [];
        for (const [before, tokens] of own) {
          let state: ConstraintState | null = constraintOf(regex(expression), tokenizer).start;
          for (const token of tokenizer.encode(before)) state = state?.advance(token) ?? null;
          const mask = state?.samplingMask() ?? new Uint32Array(1);
          for (const token of tokens)
            if (!hasToken(mask, token)) left.push(`${before}⟂${tokenizer.texts[token]}`);
        }
        expect(left).toEqual([]);
      },
    );
  },
);

const smol = repositoryTokenizer("smollm2-135m");
const text = { type: "string" };
const closed = (properties: object, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const schemas = {
  names: closed({ name: text, number: { type: "integer" }, "first name": { type: ["string", "null"] } }),
  optional: closed({ unit: { enum: ["celsius", "fahrenheit", "'s", "12%"] }, days: { type: "integer" } }, []),
  nested: closed({
    list: { type: "array", items: closed({ on: { type: "boolean" }, at: { type: "number" } }) },
  }),
  texts: { type: "array", items: { type: "string", pattern: "^[A-Z][a-z]{1,6} ?[0-9]{0,3}$" }, maxItems: 3 },
  date: closed({ start: { type: "string", format: "date" }, mail: { type: "string", format: "email" } }),
  open: {
    type: "object",
    properties: { year: { type: "integer" } },
    additionalProperties: { type: "number" },
  },
};
const whiteSpaces = ["compact", "spaced"] as const;

/** Where a sampling mask leaves out a token of the tokenizer's own spelling: the token, and the one behind it. */
function leftOut(strategy: Strategy, answer: string): [string, string] | null {
  let state: ConstraintState | null = constraintOf(strategy, smol).start;
  const tokens = smol.encode(answer);
  for (const [index, token] of tokens.entries()) {
    if (!state?.allows(token)) return null;
    if (!hasToken(state.samplingMask(), token))
      return [smol.tokenText(token), smol.tokenText(tokens[index + 1] ?? 0)];
    state = state.advance(token);
  }
  return null;
}

describe.each(Object.entries(schemas))("random texts of SmolLM2 for the schema %s", (_, schema) => {
  test.each(whiteSpaces)("can be written in its own spelling, white space %s", (whiteSpace) => {
    const strategy = jsonSchema(schema, { whiteSpace });
    const language = formalLanguageOf(strategy.build);
    for (let seed = 1; seed <= 12; seed++) {
      let drawn = 0;
      const answer = language.randomText(() => uniformRandom(seed, drawn++), 10 + 3 * seed);
      const found = leftOut(strategy, answer);
      if (found === null) continue;
      // The exception: a string that begins with punctuation or is empty, right behind a token that has a longer one with a quote.
      const [token, following] = found;
      expect(smol.encode(`${token}"`), answer).toHaveLength(1);
      expect(following, answer).toMatch(/^"[^\p{L}\p{N}\s]/u);
    }
  });
});

test("the word `'s` is two words after another sign", () => {
  expect(smol.encode("€'s").map((token) => smol.tokenText(token))).toEqual(["€", "'", "s"]);
  expect(leftOut(regex(/€'(s|t)/), "€'s")).toBeNull();
});
