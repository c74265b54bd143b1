import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as entry from "../../sdk/strategies.ts";
import { type ConstraintState, constraintOf } from "../masks/constraint.ts";
import type { Strategy } from "../strategy.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { chars } from "./chars.ts";
import { choices } from "./choices.ts";
import { list } from "./list.ts";
import { oneOf } from "./one-of.ts";
import { partMatchesText } from "./parts.ts";
import { regex } from "./regex.ts";
import { seq } from "./seq.ts";
import { allowedCharacters, characterTokenizer, tokenOf } from "./testing/character-tokenizer.ts";
import { until } from "./until.ts";

/** Values that a mod in JavaScript could pass. */
// biome-ignore lint/suspicious/noExplicitAny: wrong arguments are what is tested.
const wrong = (value: unknown): any => value;

describe("what cannot be made says what is wrong, with which value, and what to write", () => {
  const table: readonly [make: () => Strategy, message: string | RegExp][] = [
    [() => choices([]), "choices: the list is empty: give at least one text."],
    [
      () => choices(["a", ""]),
      "choices, texts[1]: the text is empty: give at least one character, or leave it out.",
    ],
    [() => choices(wrong("yes")), 'choices: "yes" is not a list: write choices(["yes", "no"]).'],
    [() => choices(wrong(["a", 5])), "choices, texts[1]: 5 is not a string: write a string."],
    [
      () => choices(["\ud83d"]),
      /choices, texts\[0\]: .* has half of a surrogate pair.*write the whole character/,
    ],
    [
      () => until(wrong(undefined)),
      "until, options: undefined is not an object: write until's options as an object: { start, end, maxTokens }.",
    ],
    [
      () => until({ end: "" }),
      'until, end: the text is empty: write a text such as "\\n", or { anyOf: ".!?" }.',
    ],
    [() => until({ end: { anyOf: "" } }), /until, end.anyOf: the text is empty: write the characters/],
    [() => until(wrong({})), "until, end: undefined is not a string: write a string."],
    [
      () => until({ end: "a", maxTokens: 0 }),
      "until, maxTokens: 0 is not allowed: write a whole number of at least 1, or leave it out for no limit.",
    ],
    [() => until(wrong({ end: "a", max: 3 })), "until, max: there is no such option."],
    [
      () => chars(wrong("letter")),
      'chars, kind: "letter" is not a kind of character: write one of "letters", "alphanumerics", "digits", "number", "string".',
    ],
    [() => chars(wrong("toString")), /chars, kind: "toString" is not a kind of character: write one of/],
    [
      () => chars("digits", { min: 3, max: 2 }),
      "chars, min: 3 is more than max, 2: write a min of at most 2.",
    ],
    [
      () => chars("digits", { min: -1 }),
      /chars, min: -1 is not allowed: write a whole number of at least 0\./,
    ],
    [
      () => chars("digits", { min: Number.POSITIVE_INFINITY }),
      /chars, min: Infinity is not allowed: write a whole number/,
    ],
    [() => chars("digits", { max: 0 }), /chars, max: 0 is not allowed: write a whole number of at least 1/],
    [() => chars("digits", { max: 1.5 }), /chars, max: 1.5/],
    [
      () => chars("digits", { stop: "" }),
      "chars, stop: the text is empty: write the text that ends the answer, or leave stop out.",
    ],
    [() => chars("digits", wrong(3)), /chars, options: 3 is not an object/],
    [() => list([]), "list, items: the array is empty: give at least one strategy."],
    [() => list(wrong("a")), /list, items: "a" is not a strategy or an array of them: use choices\(…\)/],
    [() => list([choices(["a"]), wrong("b")]), /list, items\[1\]: "b" is not a strategy/],
    [
      () => list([choices(["a"])], { max: 3 }),
      /list, max: an array of 1 strategies always makes a list of 1 items: leave max out/,
    ],
    [() => list(choices(["a"]), { min: 4, max: 2 }), /list, min: 4 is more than max, 2/],
    [() => list(choices(["a"]), wrong({ sep: "," })), /list, sep: there is no such option\. /],
    [() => list(choices(["a"]), wrong({ open: 1 })), "list, open: 1 is not a string: write a string."],
    [() => oneOf(), /oneOf: there are no parts: write oneOf\(/],
    [() => oneOf("a", wrong(null)), /oneOf, part 2: null is not a strategy or a string/],
    [() => seq(), /seq: there are no parts: write seq\(/],
    [
      () => seq(wrong({ kind: "choices", build: () => null })),
      /seq, part 1: .* is not a strategy or a string/,
    ],
    [() => regex(wrong(5)), "regex: 5 is not a regular expression: write regex(/[a-z]+/)."],
    [() => regex("[]"), /regex: no text matches "\[\]"/],
    [() => regex(/a(?=b)/), /regex, column 2: /],
    [() => regex(/(a)\1/), /regex, column 4: /],
    [() => regex("a("), /regex, column/],
  ];
  test.each(table)("%#", (make, message) => {
    expect(make).toThrow(StrategyError);
    expect(make).toThrow(message);
  });
});

describe("a limit of tokens", () => {
  function walk(strategy: Strategy, text: string): ConstraintState | null {
    return [...text].reduce<ConstraintState | null>(
      (state, character) => state?.advance(tokenOf(character)) ?? null,
      constraintOf(strategy, characterTokenizer).start,
    );
  }
  const allowed = (strategy: Strategy, text: string) => {
    const state = walk(strategy, text);
    return state && allowedCharacters(state);
  };
  const limited = until({ start: "Q:", end: "</a>", maxTokens: 3 });

  test("counts the tokens after the start", () => {
    expect(allowed(limited, "Q:")?.length).toBeGreaterThan(50);
    expect(allowed(limited, "Q:xy")?.length).toBeGreaterThan(50);
    expect(allowed(limited, "Q:xyz")).toBe("<");
    expect(allowed(limited, "Q:xyz<")).toBe("/");
    expect(walk(limited, "Q:xyz</a>")?.isComplete).toBe(true);
  });

  test("leaves the shortest way, also from the middle of the end", () => {
    expect(allowed(limited, "Q:x</")).toBe("a");
    expect(walk(limited, "Q:</a>")?.isComplete).toBe(true);
  });

  test("is one for each of several in a row, and for each item of a list", () => {
    const one = until({ end: ".", maxTokens: 2 });
    expect(allowed(seq(one, one), "ab")).toBe(".");
    expect(allowed(seq(one, one), "ab.c")?.length).toBeGreaterThan(50);
    expect(allowed(seq(one, one), "ab.cd")).toBe(".");
    expect(walk(seq(one, one), "ab.cd.")?.isComplete).toBe(true);
    expect(allowed(list(one, { open: "[", close: "]" }), "[ab., cd")).toBe(".");
  });

  test("what is forced after it is forced whole", () => {
    const forced = walk(limited, "Q:xyz")?.forcedTokens() ?? [];
    expect([...forced]).toEqual([..."</a>"].map(tokenOf));
  });

  test("does not end inside a character", () => {
    const bytes = {
      ...characterTokenizer,
      vocabSize: 257,
      eosTokenIds: [256],
      tokenBytes: (token: number) => (token < 256 ? Uint8Array.of(token) : new Uint8Array()),
    };
    let state: ConstraintState | null = constraintOf(until({ end: ".", maxTokens: 1 }), bytes).start;
    for (const byte of new TextEncoder().encode("🙂").slice(0, 1)) state = state?.advance(byte) ?? null;
    const rest: number[] = [];
    while (state && !state.isComplete) {
      const [byte = 256] = Array.from({ length: 256 }, (_, token) => token).filter((token) =>
        state?.allows(token),
      );
      rest.push(byte);
      state = state.advance(byte);
    }
    expect(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.of(0xf0, ...rest))).toMatch(/^.\.$/u);
  });
});

describe("large strategies", () => {
  test("ten thousand choices", () => {
    const texts = Array.from({ length: 10_000 }, (_, index) => `city ${index * 7919}`);
    const strategy = choices(texts);
    expect(partMatchesText(strategy, texts[9_999] ?? "")).toBe(true);
    expect(partMatchesText(strategy, "city 7918")).toBe(false);
  });

  test("choices that each begin the next", () => {
    const texts = Array.from({ length: 1000 }, (_, index) => "a".repeat(index + 1));
    expect(partMatchesText(choices(texts), "a".repeat(1000))).toBe(true);
    expect(partMatchesText(choices(texts), "a".repeat(1001))).toBe(false);
  });

  test("a long end", () => {
    const end = `${"ab".repeat(500)}c`;
    expect(partMatchesText(until({ end }), `${"ab".repeat(600)}c`)).toBe(true);
    expect(partMatchesText(until({ end }), `${"ab".repeat(499)}c`)).toBe(false);
  });

  test("long counts", () => {
    expect(partMatchesText(chars("digits", { min: 5000, max: 5000 }), "1".repeat(5000))).toBe(true);
    expect(partMatchesText(chars("letters", { max: 100_000, stop: "ab" }), `${"b".repeat(300)}ab`)).toBe(
      true,
    );
  });
});

test.each([
  "\\b\\w{1,99}(?:\\S{1,99}\\b.){1,99}",
  "\\b\\d?[a-c0-2](?:.?(?:\\S{5}\\S.|\\S+[ab]{2,5}b*[a-z])*[a-z]{2,5}[a-c0-2]?){0,3}c?|(?:.b(?:[^a]{2,5}b*b?|[a-z][a-c0-2][a-z]+)\\d{2,5}|\\d\\d{99}\\S)\\S(?:\\w{2,5}\\S*|[a-z]+(?:b{1,256}){0,3}[^a]?)\\b",
])("an expression that takes too much work is refused when it is made: %s", (source) => {
  expect(() => regex(source)).toThrow(ConstraintLimitError);
});

test("a strategy is a value: many requests and many places use one", () => {
  const one = chars("digits", { min: 1, max: 2 });
  const nested = seq(one, "-", list(one, { separator: "," }), oneOf("", one));
  expect(partMatchesText(nested, "12-3,45")).toBe(true);
  expect(Object.isFrozen(one)).toBe(true);
  expect(constraintOf(one, characterTokenizer)).toBe(constraintOf(one, characterTokenizer));
});

test("the entry lists by hand what an author needs, at most 25 names", () => {
  expect(Object.keys(entry).sort()).toEqual(
    "ConstraintLimitError StrategyError chars choices constraintOf grammar jsonSchema list oneOf regex seq until".split(
      " ",
    ),
  );
  const source = readFileSync("src/core/sdk/strategies.ts", "utf8");
  const names = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim() !== ""),
  );
  expect(names.length).toBeGreaterThanOrEqual(Object.keys(entry).length);
  expect(names.length).toBeLessThanOrEqual(25);
});
