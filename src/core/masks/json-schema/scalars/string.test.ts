import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Expressions } from "../../automaton/expression.ts";
import { ConstraintLimitError } from "../../strategy-error.ts";
import { formalLanguageOf } from "../../testing/walks.ts";
import { EffortMeter } from "../effort.ts";
import type { StringAlternative } from "../normal-form.ts";
import { anyString } from "./scalars.ts";
import { matchesString, stringContent } from "./string.ts";
import { hasString, isStringPossible } from "./string-possible.ts";

function acceptor(part: Partial<StringAlternative>): (text: string) => boolean {
  return formalLanguageOf((expressions) => stringContent(expressions, { ...anyString, ...part })).accepts;
}

const isPossible = (asked: StringAlternative) => hasString(new Expressions(), asked);
const canonical = (value: string) => JSON.stringify(value).slice(1, -1);

describe("any string", () => {
  const accepts = acceptor({});

  test.each([
    "",
    "a",
    "é😀\u2028\u007f",
    String.raw`\"\\\/\b\f\n\r\t`,
    "/",
    String.raw`\u0041\u00e9\uABCD`,
    String.raw`\uD83D\uDE00`,
    String.raw`\ud83d\ude00x`,
  ])("%j is what may stand between quotes", (content) => {
    expect(() => JSON.parse(`"${content}"`)).not.toThrow();
    expect(accepts(content)).toBe(true);
  });

  test.each([
    '"',
    "\\",
    "a\\",
    "\n",
    "\u0000",
    "\u001f",
    String.raw`\x`,
    String.raw`\u12`,
    String.raw`\u12G4`,
    String.raw`\'`,
  ])("%j is not", (content) => {
    expect(() => JSON.parse(`"${content}"`)).toThrow();
    expect(accepts(content)).toBe(false);
  });

  test.each([
    String.raw`\uD83D`,
    String.raw`\uDE00`,
    String.raw`\uD83Dx`,
    String.raw`\uD83D\u0041`,
    String.raw`\uDE00\uD83D`,
  ])("%j, a lone surrogate, is not offered", (content) => {
    expect(accepts(content)).toBe(false);
  });

  test("every spelling of every character, as JSON.parse reads it", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary", maxLength: 2 }).map(canonical),
      fc.constantFrom(
        "\\/",
        "\\u0022",
        "\\u005C",
        "\\uD83D\\uDE00",
        "\\ud83d",
        "\\",
        '"',
        "\n",
        "\\u",
        "0041",
        "dE00",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const content = pieces.join("");
        let read: unknown = null;
        try {
          read = JSON.parse(`"${content}"`);
        } catch {}
        const isText = typeof read === "string" && !/\p{Cs}/u.test(read);
        expect([content, accepts(content)]).toEqual([content, isText]);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  [2, 3, "a", false],
  [2, 3, "ab", true],
  [2, 3, "abc", true],
  [2, 3, "abcd", false],
  [2, 3, "😀", false],
  [2, 3, "😀é日", true],
  [2, 3, String.raw`\n\"`, true],
  [2, 3, String.raw`\uD83D\uDE00`, false],
  [2, 3, String.raw`\uD83D\uDE00\u0041a`, true],
  [0, 0, "", true],
  [0, 0, "a", false],
  [5, Number.POSITIVE_INFINITY, "abcd", false],
  [5, Number.POSITIVE_INFINITY, "abcdefgh", true],
])("%d to %d code points: %j %s", (minLength, maxLength, content, expected) => {
  expect(acceptor({ minLength, maxLength })(content)).toBe(expected);
});

describe("patterns", () => {
  test.each<[Partial<StringAlternative>, string, boolean]>([
    [{ patterns: ["b"] }, "abc", true],
    [{ patterns: ["b"] }, "acc", false],
    [{ patterns: ["^b"] }, "ab", false],
    [{ patterns: ["^b|c$"] }, "abc", true],
    [{ patterns: ["\n"] }, "a\nb", true],
    [{ patterns: ["n"] }, "a\nb", false],
    [{ patterns: ["\\\\"] }, "a\\b", true],
    [{ patterns: ["u"] }, "\u0001", false],
    [{ patterns: ['"'] }, 'say "x"', true],
    [{ patterns: ["^[^a]+$"] }, '"\\\u0000😀', true],
    [{ patterns: ["^\\d+$"] }, "٣", false],
    [{ patterns: ["a", "b"] }, "ba", true],
    [{ patterns: ["a", "b"] }, "aa", false],
    [{ patterns: ["^a*$"], minLength: 2, maxLength: 3 }, "aaa", true],
    [{ patterns: ["^a*$"], minLength: 2, maxLength: 3 }, "aaaa", false],
    [{ patterns: ["a"], maxLength: 2 }, "bba", false],
    [{ patterns: ["^.$"], maxLength: 1 }, "😀", true],
    [{ notPatterns: ["a"] }, "bcd", true],
    [{ notPatterns: ["a"] }, "bad", false],
    [{ notPatterns: ["^$"] }, "", false],
    [{ except: ["x", 'q"'] }, "x", false],
    [{ except: ["x", 'q"'] }, 'q"', false],
    [{ except: ["x", 'q"'] }, 'q"r', true],
    [{ formats: ["date"], patterns: ["^2"] }, "2024-02-29", true],
    [{ formats: ["date"], patterns: ["^2"] }, "1999-01-01", false],
    [{ formats: ["date"], notFormats: ["date"] }, "1999-01-01", false],
    [{ notFormats: ["date"] }, "1999-13-01", true],
  ])("%j on %j: %s", (part, value, expected) => {
    expect(acceptor(part)(canonical(value))).toBe(expected);
    expect(matchesString({ ...anyString, ...part }, value)).toBe(expected);
    if (expected) expect(isPossible({ ...anyString, ...part })).toBe(true);
  });

  test("a bad pattern is refused with its column", () => {
    expect(() => acceptor({ patterns: ["ab(c"] })).toThrow("regex, column 3");
    expect(() => matchesString({ ...anyString, patterns: ["a(?!b)"] }, "a")).toThrow("column 2: look-around");
    expect(() => acceptor({ patterns: ["(?!a)b"] })).toThrow(
      "column 1: look-around is supported only at a fixed distance",
    );
  });
});

test.each<[boolean, Partial<StringAlternative>]>([
  [true, {}],
  [false, { minLength: 3, maxLength: 2 }],
  [false, { patterns: ["^a$", "^b$"] }],
  [false, { patterns: ["^a+$"], notPatterns: ["a"] }],
  [true, { patterns: ["^a+$"], notPatterns: ["b"] }],
  [false, { patterns: ["^(yes|no)$"], except: ["yes", "no"] }],
  [true, { patterns: ["^(yes|no)$"], except: ["yes"] }],
  [false, { patterns: ["^.{5}$"], maxLength: 4 }],
  [false, { formats: ["uuid"], maxLength: 35 }],
  [true, { formats: ["uuid"], maxLength: 36 }],
  [false, { formats: ["date", "ipv4"] }],
  [false, { maxLength: 0, except: [""] }],
  [false, { patterns: ["a^"] }],
  [true, { patterns: ["a", "b", "c", "d", "e"] }],
])("possible: %s for %j", (expected, part) => {
  expect(isPossible({ ...anyString, ...part })).toBe(expected);
});

const pattern = fc.constantFrom(
  "a",
  "^a",
  "b$",
  "^[ab]*$",
  "é|^b",
  "^.{2,3}$",
  "(ab)+",
  "[^a]",
  "😀",
  "^a?b?$",
  "\\n",
  "^",
  "a.*b",
);
const value = fc
  .array(fc.constantFrom("a", "b", "é", "😀", "\n", '"'), { maxLength: 5 })
  .map((parts) => parts.join(""));

/** Look-around at the ends of the text. */
const looking = [
  "^(?!\\s*$).+",
  "^(?=.*a)(?=.*b).{3,5}$",
  "^(?!ab|b)[ab]+$",
  "(?=a)^[ab]",
  "^(?!.*é)",
  "^(?=)a",
  "^(?!)",
  "^(?!$)",
  "^(?=^a)(?!^b).",
  "^[ab]+(?<!b)$",
  "a(?<=b.)$",
  "^(?!b)[^é]*(?<!a)(?<!😀)$",
  "(?<!^a)$",
  "^(?:(?!ab).)*$",
  "^((?!a|bb)[^é])+$",
  "^(?:(?!b).){2,4}$",
  "^a(?!b)",
  "^[ab](?!b)(?=.)[^é]{2}(?!a)",
  "^(?:ab|é.)(?!a).*$",
  "^(?!a)[ab]{2}(?!b).*[^b](?<!a)b$",
  "a(?<!b)b$",
  "(?<!b)(?<=a).{2}$",
  "a(?=b)",
  "[ab]+(?=b$)",
  "(?<=a)b",
  "(?<=^a)b+",
  "(?<=a)(?<=b)$",
  "(?<=a)(?<!b)b$",
  "\\(?=",
  "[(?=]",
];

test.each(looking)("%s: look-around at the ends accepts what RegExp accepts", (source) => {
  const reference = new RegExp(source, "u");
  const [accepts, refuses] = [acceptor({ patterns: [source] }), acceptor({ notPatterns: [source] })];
  const check = (text: string) => {
    const expected = reference.test(text);
    expect([text, accepts(canonical(text))]).toEqual([text, expected]);
    expect([text, refuses(canonical(text))]).toEqual([text, !expected]);
    expect([text, matchesString({ ...anyString, patterns: [source] }, text)]).toEqual([text, expected]);
    const asked = { ...anyString, patterns: [source] };
    if (expected) expect(isStringPossible(asked, new EffortMeter())).toBe(true);
  };
  fc.assert(fc.property(value, check), { numRuns: 300 });
  ["", " ", "a", "ab", "aba", "aab", "(=", "?", "a b"].forEach(check);
});

test.each([
  ["a(?!b)", 2],
  ["a(?=b).", 2],
  ["(?!a)b", 1],
  ["^a?(?!b)", 4],
  ["^(?:a|ab)(?!b)", 10],
  ["(?<!a)b", 1],
  ["b(?<=a)b+$", 2],
  ["a(?=b)|c", 2],
  ["^(?!a)b|c", 2],
  ["c|^(?!a)b", 4],
  ["^(a(?!b))+$", 4],
  ["^((?!a)bc)*$", 3],
  ["^((?!a).)*b$", 3],
  ["^((?!$).)*$", 3],
  ["a(?<!b)", 2],
  ["^(?!a(?=b))", 6],
  ["^(?!a", 2],
  ["^(?!a))", 2],
])("%s is refused at column %d", (source, column) => {
  expect(() => acceptor({ patterns: [source] })).toThrow(`column ${column}:`);
});

test("Python's flags before look-around", () => {
  const accepts = acceptor({ patterns: ["(?i)^(?!ab)a."] });
  expect(["a1", "AC", "AB", "aB", "b"].map((text) => accepts(canonical(text)))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("strings that match one of two patterns and no other", () => {
  const none = { ...anyString, patterns: ["^(?!a)", "^a"] };
  expect(isStringPossible(none, new EffortMeter())).toBe(false);
  expect(
    isStringPossible({ ...anyString, patterns: ["^(?=.*[A-Z])(?=.*\\d).{8,}$"] }, new EffortMeter()),
  ).toBe(true);
});

test("random conjunctions agree with RegExp, on content, on values and on emptiness", () => {
  fc.assert(
    fc.property(
      fc.record({
        patterns: fc.array(pattern, { maxLength: 2 }),
        notPatterns: fc.array(pattern, { maxLength: 1 }),
        minLength: fc.nat(2),
        maxLength: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(Number.POSITIVE_INFINITY)),
        except: fc.array(value, { maxLength: 1 }),
      }),
      fc.array(value, { minLength: 10, maxLength: 10 }),
      (part, values) => {
        const accepts = acceptor(part);
        const asked = { ...anyString, ...part };
        const test = (source: string, text: string) => new RegExp(source, "u").test(text);
        const some = isPossible(asked);
        for (const text of values) {
          const length = [...text].length;
          const expected =
            length >= part.minLength &&
            length <= part.maxLength &&
            part.patterns.every((source) => test(source, text)) &&
            !part.notPatterns.some((source) => test(source, text)) &&
            !part.except.includes(text);
          expect([text, accepts(canonical(text))]).toEqual([text, expected]);
          expect([text, matchesString(asked, text)]).toEqual([text, expected]);
          if (expected) expect(some).toBe(true);
        }
      },
    ),
    { numRuns: 200 },
  );
});

/** Strings that a hostile schema asks about: each would take a second. */
const hostile: Partial<StringAlternative>[] = [
  { patterns: ["a.{12}b", "c.{13}d", "e.{14}f"], minLength: 1, maxLength: 20 },
  { patterns: ["^(a{7})*$", "^(a{11})*$", "^(a{13})*$", "^(a{17})*$"], minLength: 1 },
];

test.each(hostile)("a hostile question ends early, and asked again it ends alike: %j", (part) => {
  const ask = () => isStringPossible({ ...anyString, ...part }, new EffortMeter());
  expect(ask).toThrow(ConstraintLimitError);
  expect(ask).toThrow(ConstraintLimitError);
  expect(ask).toThrow("more than 60,000 operations");
});

test("an answer that is known costs as much as one that is new", () => {
  const asked = { ...anyString, patterns: ["^[a-f]{3,9}$"], notPatterns: ["ab", "^[^e]"] };
  const [first, second] = [new EffortMeter(), new EffortMeter()];
  expect(isStringPossible(asked, first)).toBe(true);
  expect(isStringPossible(asked, second)).toBe(true);
  expect(second.spent).toBe(first.spent);
  expect(first.spent).toBeGreaterThan(0);
});

test.each<Partial<StringAlternative>>([
  { patterns: ["^20[3-9]"], formats: ["date-time"], notPatterns: ["Z$"] },
  { notPatterns: ["^http://", "example"], formats: ["uri"], minLength: 30, maxLength: 2000 },
  { patterns: ["^[a-z]+@corp\\.example$"], formats: ["email"] },
  { patterns: ["[A-Z]", "[a-z]", "[0-9]", "[^A-Za-z0-9]"], minLength: 8, maxLength: 64 },
])("a usual question is answered within the effort: %j", (part) => {
  expect(isStringPossible({ ...anyString, ...part }, new EffortMeter())).toBe(true);
});
