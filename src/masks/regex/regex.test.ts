import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Automaton } from "../automaton.ts";
import { Expressions } from "../expression.ts";
import { parseRegex, regexExpression } from "./regex.ts";

const encoder = new TextEncoder();

/** Says which texts the expression accepts, by stepping an automaton byte by byte. */
function acceptor(source: string, flags: string, anchored: boolean): (text: string) => boolean {
  const expressions = new Expressions();
  const automaton = new Automaton(
    expressions,
    regexExpression(expressions, parseRegex(source, flags), { anchored }),
  );
  return (text) => {
    let state = automaton.start;
    for (const byte of encoder.encode(text)) state = automaton.step(state, byte);
    return automaton.isAccepting(state);
  };
}

const texts = [
  "",
  "a",
  "b",
  "ab",
  "ba",
  "aab",
  "aa",
  "bb",
  "A",
  "é",
  "😀",
  "a😀",
  "\n",
  "0",
  "_",
  "-",
  " ",
  "ſ",
  "K",
  "k",
  "s",
  "日本",
  "abc",
  "a\nb",
  "\u2028",
  "]",
  "foo",
  "xfoo",
  "foobar",
  "٣",
  "\u00a0",
  "ß",
  "{",
  "a{",
];

test.each([
  ["a", ""],
  ["a|b", ""],
  ["^a|b$", ""],
  ["(^a)", ""],
  ["a^", ""],
  ["a?^b", ""],
  ["(?:^a|b)*", ""],
  ["(?:^a|b){2,3}", ""],
  ["(?:a$|b)+", ""],
  ["(?:a|b$){2}", ""],
  ["$^", ""],
  ["^$", ""],
  ["", ""],
  ["a*", ""],
  ["[^a]", ""],
  ["[^]", ""],
  ["[]", ""],
  ["\\d\\w?|\\s", ""],
  ["\\D\\W?|\\S", ""],
  [".", ""],
  [".", "s"],
  ["\\p{L}+", ""],
  ["\\P{L}+", ""],
  ["\\p{Script=Han}{2}", ""],
  ["\\u{1f600}", ""],
  ["\\ud83d\\ude00", ""],
  ["[\\ud83d\\ude00é]", ""],
  ["[a-c]{2,}", ""],
  ["[a-c]{2,3}?", ""],
  ["(?<name>foo)(bar)?", ""],
  ["k|s", "i"],
  ["[a-z]", "i"],
  ["[^a-z]", "i"],
  ["\\w", "i"],
  ["\\W", "i"],
  ["ß", "i"],
  ["\\cJ|\\x41|\\u0062|\\0", ""],
  ["[\\]\\-\\b_]", ""],
  ["^[a-z]+b", ""],
  ["^.*o", ""],
  ["foo|^", ""],
])("/%s/%s accepts what RegExp accepts", (source, flags) => {
  for (const anchored of [true, false]) {
    const accepts = acceptor(source, `${flags}u`, anchored);
    const reference = new RegExp(anchored ? `^(?:${source})$` : source, `${flags}u`);
    for (const text of texts)
      expect([text, anchored, accepts(text)]).toEqual([text, anchored, reference.test(text)]);
  }
});

/** Random regular expressions over a, b, é and 😀. */
const regexSource = fc.letrec<{ node: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("a", "b", "é", "😀", ".", "[ab]", "[^a]", "[^é😀]", "[a-é]", "\\w", "\\W", "^", "$"),
    tie("node").map((node) => `(?:${node})`),
  ),
  node: fc.oneof(
    { maxDepth: 4 },
    tie("atom"),
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => a + b),
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => `${a}|${b}`),
    fc
      .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "*?", "{0}"))
      .map(([node, sign]) => `(?:${node})${sign}`),
  ),
})).node;
const shortText = fc
  .array(fc.constantFrom("a", "b", "é", "😀", "\n"), { maxLength: 6 })
  .map((parts) => parts.join(""));

describe("random regular expressions", () => {
  test.each([true, false])("accept what RegExp accepts (anchored: %s)", (anchored) => {
    fc.assert(
      fc.property(regexSource, fc.array(shortText, { minLength: 8, maxLength: 8 }), (source, samples) => {
        const accepts = acceptor(source, "u", anchored);
        const reference = new RegExp(anchored ? `^(?:${source})$` : source, "u");
        for (const text of samples) {
          if (accepts(text) !== reference.test(text)) throw new Error(`${source} on ${JSON.stringify(text)}`);
        }
      }),
      { numRuns: 100 },
    );
  });
});
