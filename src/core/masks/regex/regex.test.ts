import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Automaton } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { propertyCodePoints, rangesOf } from "./code-points.ts";
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
  ["\\bfoo\\b", ""],
  ["\\Bo\\b", ""],
  ["\\b", ""],
  ["\\B", ""],
  ["a\\bc", ""],
  ["^\\W*\\b.+\\b$", "s"],
  ["^(\\s*\\b(a|foo|bar))*\\s*$", ""],
  ["(?:\\b\\w{2,3}\\b.?){1,2}", "i"],
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
    fc.constantFrom(
      "a",
      "b",
      "é",
      "😀",
      ".",
      "[ab]",
      "[^a]",
      "[^é😀]",
      "[a-é]",
      "\\w",
      "\\W",
      "^",
      "$",
      "\\b",
      "\\B",
    ),
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

test.each([
  ["a(b", 2, "never closed"],
  ["a)b", 2, "closes no group"],
  ["*a", 1, "nothing before"],
  ["a|+", 3, "nothing before"],
  ["{2}", 1, "nothing before the braces"],
  ["a**", 3, "nothing before"],
  ["a{3,2}", 2, "out of order"],
  ["^*", 1, "anchor cannot be repeated"],
  ["[b-a]", 2, "out of order"],
  ["x[abc", 2, "never closed"],
  ["a\\", 2, "ends with a backslash"],
  ["(?=a)", 1, "look-around"],
  ["a(?<!b)", 2, "look-around"],
  ["(a)\\1", 4, "back-references"],
  ["(?<n>a)\\k<n>", 8, "back-references"],
  ["a\\b+c", 2, "word boundary cannot be repeated"],
  ["\\p{Nope}", 1, 'no Unicode property "Nope"'],
  ["\\pL", 1, "in braces"],
  ["\\u12", 1, "hexadecimal"],
  ["\\x1", 1, "hexadecimal"],
  ["\\u{110000}", 1, "last is 10FFFF"],
  ["\\q", 1, 'no escape "\\q"'],
  ["a(?i)b", 2, "is not supported"],
  ["(?x:a)", 1, "is not supported"],
  ["(?P=n)", 1, "is not supported"],
  ["(?P>n)", 1, "is not supported"],
  ["é(", 2, "never closed"],
])("%s is refused at column %d: %s", (source, column, reason) => {
  for (const flags of ["", "u"]) {
    expect(() => parseRegex(source, flags)).toThrow(
      expect.objectContaining({
        name: "StrategyError",
        where: `column ${column}`,
        message: expect.stringContaining(reason),
      }),
    );
  }
});

test("with the flag u, \\A, \\Z, \\z and \\_ are no escapes, as in RegExp", () => {
  for (const source of ["\\A", "\\Z", "\\z", "\\_"])
    expect(() => parseRegex(source, "u")).toThrow("no escape");
});

test.each([
  ["\\Aa\\Z", "a", "ab"],
  ["\\Aa", "ab", "ba"],
  ["a\\z", "ba", "ab"],
  ["^a\\_b$", "a_b", "ab"],
  ["(?i)^straße$", "STRAßE", "straxe"],
  ["^a(?i:b)c$", "aBc", "aBC"],
  ["^(?s:.)$", "\n", "ab"],
  ["^(?P<year>\\d{4})$", "2026", "26"],
])("%s of Python is found in %j, not in %j", (source, found, missed) => {
  const accepts = acceptor(source, "", false);
  expect([accepts(found), accepts(missed)]).toEqual([true, false]);
});

test.each(["v", "x", "gg", "uv"])("the flags %j are refused", (flags) => {
  expect(() => parseRegex("a", flags)).toThrow(
    expect.objectContaining({ name: "StrategyError", where: "flags" }),
  );
});

test("multiline anchors are refused, the flag alone is not", () => {
  expect(() => parseRegex("^a", "m")).toThrow("column 1");
  expect(acceptor("a", "mgyd", true)("a")).toBe(true);
});

test.each([
  ["\\-\\_\\@".replace("\\_", ""), "-@"],
  ["a{", "a{"],
  ["a{,2}", "a{,2}"],
  ["}]", "}]"],
  ["[\\w-.]", "-"],
  ["\\p{Lu}", "É"],
])("without the flag u, %s accepts %j", (source, text) => {
  expect(acceptor(source, "", true)(text)).toBe(true);
  expect(() => source.includes("\\p") || parseRegex(source, "u")).toSatisfy(
    (parse: () => unknown) => source.includes("\\p") || throws(parse),
  );
});

function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

test("ignoring case is that of the flags: the Kelvin sign is a k only with the flag u", () => {
  for (const flags of ["i", "iu"]) {
    for (const source of ["k", "[^k]", "\\w", "\\W", "ſ", "σ", "ß", "ﬅ", "[à-ö]", "ǆ", "İ", "ı"]) {
      const accepts = acceptor(source, flags, true);
      const reference = new RegExp(`^(?:${source})$`, flags);
      for (const text of [
        "k",
        "K",
        "K",
        "s",
        "S",
        "ſ",
        "σ",
        "ς",
        "Σ",
        "ß",
        "ẞ",
        "ﬅ",
        "ﬆ",
        "É",
        "é",
        "ǅ",
        "Ǆ",
        "i",
        "I",
        "İ",
        "ı",
      ]) {
        expect([source, flags, text, accepts(text)]).toEqual([source, flags, text, reference.test(text)]);
      }
    }
  }
});

test.each([
  "L",
  "Lu",
  "Nd",
  "Cn",
  "Co",
  "Noncharacter_Code_Point",
  "Any",
  "Script=Han",
  "ASCII",
  "Changes_When_NFKC_Casefolded",
])("\\p{%s} has the code points that RegExp says", (name) => {
  const one = new RegExp(`^\\p{${name}}$`, "u");
  const ranges: [number, number][] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint === 0xd800) codePoint = 0xe000;
    if (!one.test(String.fromCodePoint(codePoint))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === codePoint - 1) last[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  expect(rangesOf(propertyCodePoints(name) ?? [])).toEqual(ranges);
});

describe("hostile regular expressions end", () => {
  test.each([
    ["a".repeat(30_000), "characters long"],
    ["(".repeat(5_000) + ")".repeat(5_000), "nested more than"],
    ["(a{1,1000}){1,1000}", "counted repetitions"],
    ["((((a{99}){99}){99}){99}){99}", "counted repetitions"],
    ["a{99999999999999999999}", "counted repetitions"],
    ["(^a?){5000}", "anchor"],
    ["[".repeat(19_000), "never closed"],
  ])("%.20s… is refused", (source, reason) => {
    expect(() => parseRegex(source)).toThrow(reason);
  });

  test.each([
    ["(a+)+b", "a".repeat(2_000), false],
    ["(a|aa)+", "a".repeat(2_000), true],
    ["(.*)*x", "y".repeat(500), false],
    ["a?".repeat(60) + "a".repeat(60), "a".repeat(100), true],
    ["a{0,50000}", "a".repeat(3_000), true],
    ["(x+x+)+y", "x".repeat(1_000), false],
    ["a".repeat(15_000), "a".repeat(15_000), true],
    ["😀".repeat(4_000), "😀".repeat(4_000), true],
  ])("%.20s… is matched", (source, text, expected) => {
    expect(acceptor(source, "", true)(text)).toBe(expected);
  });
});
