/**
 * The tables of the prior art's tests (../shared/reference/quote-sdk.md 9.1, S1 to S6, and the further ones after them), with
 * the outcome that is right where the prior art's is not.
 */
import { describe, expect, test } from "vitest";
import { type ConstraintState, constraintOf } from "../masks/constraint.ts";
import type { Strategy } from "../strategy.ts";
import { chars } from "./chars.ts";
import { choices } from "./choices.ts";
import { list } from "./list.ts";
import { allowedCharacters, characterTokenizer, tokenOf } from "./testing/character-tokenizer.ts";
import { until } from "./until.ts";

function start(strategy: Strategy): ConstraintState {
  return constraintOf(strategy, characterTokenizer).start;
}

function after(strategy: Strategy, text: string): ConstraintState | null {
  return [...text].reduce<ConstraintState | null>(
    (state, character) => state?.advance(tokenOf(character)) ?? null,
    start(strategy),
  );
}

/** Which characters may come after `text`, and whether it may end there. */
function at(strategy: Strategy, text: string): { allowed: string; canEnd: boolean } | null {
  const state = after(strategy, text);
  return state && { allowed: allowedCharacters(state), canEnd: state.canEnd };
}

const sorted = (text: string): string => [...text].sort().join("");
const quotedWords = { open: "[", close: "]", wrap: '"', separator: ", " } as const;
const words = () => chars("alphanumerics", { min: 1, max: 1 });

describe("exact sets along a text", () => {
  const table: readonly [name: string, strategy: Strategy, rows: readonly [string, string, boolean][]][] = [
    [
      "S1: a choice that begins another does not shadow it",
      choices(["hi", "hit"]),
      [
        ["", "h", false],
        ["h", "i", false],
        ["hi", "t", true],
        ["hit", "", true],
      ],
    ],
    [
      "choices: no, yes, maybe",
      choices(["no", "yes", "maybe"]),
      [
        ["", "mny", false],
        ["n", "o", false],
        ["no", "", true],
      ],
    ],
    ["choices: duplicates", choices(["a", "a"]), [["a", "", true]]],
    [
      "S2a: until",
      until({ start: "<a>", end: "</a>" }),
      [
        ["", "<", false],
        ["<", "a", false],
        ["<a", ">", false],
        ["<a>xyz</a>", "", true],
      ],
    ],
    [
      "S3b: exactly three digits",
      chars("digits", { min: 3, max: 3 }),
      [
        ["", "0123456789", false],
        ["1", "0123456789", false],
        ["12", "0123456789", false],
        ["123", "", true],
      ],
    ],
    [
      "S4: wrap, separator, end",
      list(words(), { ...quotedWords, min: 1, max: 1, end: "." }),
      [
        ["", "[", false],
        ["[", '"', false],
        ['["a', '"', false],
        ['["a"', "]", false],
        ['["a"]', ".", false],
        ['["a"].', "", true],
      ],
    ],
    [
      "S5: a fixed row, a wrap of two characters",
      list([choices(["ab"]), choices(["cd"])], { ...quotedWords, wrap: '""', end: "OK" }),
      [...'[""ab"", ""cd""]OK'].map((next, index, all) => [all.slice(0, index).join(""), next, false]),
    ],
    [
      "S6: an opening of two characters",
      list([choices(["x"]), choices(["y"])], { ...quotedWords, open: "<<", close: ">", end: "." }),
      [...'<<"x", "y">.'].map((next, index, all) => [all.slice(0, index).join(""), next, false]),
    ],
    [
      "list: no wrap",
      list(choices(["a", "b"]), { open: "[", close: "]", min: 1 }),
      [
        ["[a", ",]", false],
        ["[a, ", "ab", false],
        ["[a, b]", "", true],
      ],
    ],
    [
      "list: close of one character, no end",
      list(choices(["a", "b"]), quotedWords),
      [
        ["[", '"]', false],
        ['["a", "b"]', "", true],
      ],
    ],
    [
      "list: no close",
      list(choices(["a", "b"]), { open: "[", wrap: '"', min: 1, max: 2 }),
      [
        ['["a"', ",", true],
        ['["a", "b"', "", true],
      ],
    ],
    [
      "list: neither open nor close nor wrap has at least one item",
      list(choices(["a", "b"]), { separator: "\n" }),
      [
        ["", "ab", false],
        ["a", "\n", true],
        ["a\n", "ab", false],
      ],
    ],
    [
      "list: a close of two equal characters needs both",
      list(choices(["a"]), { ...quotedWords, close: "]]" }),
      [
        ['["a"]', "]", false],
        ['["a"]]', "", true],
      ],
    ],
    [
      "list: no trailing separator",
      list(choices(["a"]), { ...quotedWords, min: 1, max: 3, end: "." }),
      [
        ['["a", ', '"', false],
        ['["a", "a", "a"', "]", false],
      ],
    ],
    [
      "list: the empty list",
      list(choices(["a"]), { ...quotedWords, end: "." }),
      [
        ["[", '"]', false],
        ["[]", ".", false],
        ["[].", "", true],
      ],
    ],
    [
      "list: an item that stops at the wrap shares it",
      list(chars("letters", { stop: '"', min: 1 }), { ...quotedWords, end: "\n" }),
      [
        ['["a"', ",]", false],
        ['["a"]', "\n", false],
      ],
    ],
    [
      "number: after a digit, a point, an exponent",
      chars("number", { min: 1, stop: "\n" }),
      [
        ["", "-0123456789", false],
        ["-", "0123456789", false],
        ["0", ".Ee\n", false],
        ["1", "0123456789.Ee\n", false],
        ["1.", "0123456789", false],
        ["1.5e", "-+0123456789", false],
        ["1.5e-", "0123456789", false],
        ["1.5e3", "0123456789\n", false],
        ["1.5e3\n", "", true],
      ],
    ],
    [
      "a stop of two characters needs both",
      chars("letters", { stop: "</", min: 1 }),
      [
        ["ab<", "/", false],
        ["ab</", "", true],
      ],
    ],
  ];
  test.each(table)("%s", (_, strategy, rows) => {
    for (const [text, allowed, canEnd] of rows) {
      const found = at(strategy, text);
      expect({ text, ...found, allowed: sorted(found?.allowed ?? "") }).toEqual({
        text,
        allowed: sorted(allowed),
        canEnd,
      });
    }
  });
});

describe("single characters after a text", () => {
  const table: readonly [string, Strategy, string, allowed: string, not: string][] = [
    ["S2a: free text", until({ start: "<a>", end: "</a>" }), "<a>", "xyz<>/ \n🙂", ""],
    ["S2b: any of some characters", until({ end: { anyOf: "\n." } }), "hello", "abc.\n", ""],
    ["S3a: letters", chars("letters", { stop: ".", min: 1 }), "", "aZé中", "1. "],
    ["S3a: then the stop", chars("letters", { stop: ".", min: 1 }), "a", "a.", "1"],
    ["min 3", chars("letters", { stop: ".", min: 3 }), "ab", "c", "."],
    ["min 3 reached", chars("letters", { stop: ".", min: 3 }), "abc", "d.", ""],
    ["string", chars("string", { stop: '"', min: 2 }), "a", "b1 é\\", '"\n'],
    ["string, min reached", chars("string", { stop: '"', min: 2 }), "ab", '"c\\', "\n"],
    ["string: an escape is one character", chars("string", { stop: '"', min: 2 }), '\\"', "a\\", '"'],
    [
      "string: the stop is no character of it, and min holds",
      chars("string", { stop: "\n", min: 2 }),
      "a",
      "b",
      "\n",
    ],
    [
      "string: a stop that is one of its characters, min holds",
      chars("string", { stop: ".", min: 2 }),
      "a",
      "b",
      ".",
    ],
    ["S4: alphanumerics", list(words(), { ...quotedWords, min: 1, max: 1 }), '["', "aZ09", '" ,'],
  ];
  test.each(table)("%s", (_, strategy, text, allowed, not) => {
    const found = at(strategy, text)?.allowed ?? "";
    expect([...allowed].filter((character) => !found.includes(character))).toEqual([]);
    expect([...not].filter((character) => found.includes(character))).toEqual([]);
  });
});

describe("texts that are never accepted", () => {
  const table: readonly [string, Strategy, string][] = [
    ["a stray token does not reset choices", choices(["yes", "no"]), "x"],
    ["a trailing separator", list(choices(["a"]), { ...quotedWords, max: 3, end: "." }), '["a", ]'],
    ["the quotation mark twice", list(chars("string", { stop: '"' }), quotedWords), '["a""'],
    ["two minus signs", chars("number", { stop: "\n" }), "--"],
    ["a sign alone", chars("number", { stop: "\n" }), "-\n"],
    ["an exponent without digits", chars("number", { stop: "\n" }), "1e\n"],
    ["a fraction in the exponent", chars("number", { stop: "\n" }), "1e5."],
    ["two points", chars("number"), "1.5."],
    ["a leading zero", chars("number"), "01"],
    ["the first character of a stop", chars("letters", { stop: "</" }), "ab<c"],
  ];
  test.each(table)("%s", (_, strategy, text) => expect(after(strategy, text)).toBeNull());
});

describe("answers", () => {
  const table: readonly [string, Strategy, string, string][] = [
    ["a stop is no part of it", chars("letters", { stop: ".", min: 3 }), "abc.", "abc"],
    ["nor is a new line", chars("digits", { stop: "\n", min: 1 }), "42\n", "42"],
    ["nor a quotation mark", chars("string", { stop: '"', min: 2 }), 'a\\""', 'a\\"'],
    ["nor a stop of two characters", chars("letters", { stop: "</" }), "ab</", "ab"],
    ["start and end are", until({ start: "<a>", end: "</a>" }), "<a>x</a>", "<a>x</a>"],
    ["a list is its text", list(choices(["a"]), { ...quotedWords, end: "." }), '["a"].', '["a"].'],
  ];
  test.each(table)("%s", (_, strategy, text, answer) => {
    expect(after(strategy, text)?.isComplete).toBe(true);
    expect(strategy.answerOf(text)).toBe(answer);
  });
});

test("an end inside the start does not finish it", () => {
  expect(at(until({ start: "<a>", end: "a>" }), "<a>")?.canEnd).toBe(false);
  expect(after(until({ start: "<a>", end: "a>" }), "<a>xa>")?.isComplete).toBe(true);
});
