import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasCodePoint } from "../regex/code-points.ts";
import { grammar } from "../strategies/grammar.ts";
import { partMatchesText } from "../strategies/parts.ts";
import { ReferenceLanguage } from "../strategies/testing/reference.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { compileGrammar } from "./build.ts";
import { parseGrammar } from "./parse.ts";
import type { GbnfNode, Grammar } from "./syntax.ts";

/** The grammar without the check of its work: ambiguous grammars are compared on short texts. */
function unchecked(text: string): Strategy {
  return createStrategy({
    kind: "grammar",
    build: compileGrammar(parseGrammar(text), text),
    answerOf: wholeTextAsAnswer,
  });
}

/** Whether the rule "root" has the text, by the definition: grows the set of (rule, from, to) until a round adds nothing. */
function recognizes(rules: Grammar, text: string): boolean {
  const found = new Map<string, Set<number>>();
  const known = (rule: string, from: number): Set<number> => {
    const key = `${rule} ${from}`;
    const ends = found.get(key) ?? new Set<number>();
    found.set(key, ends);
    return ends;
  };
  const all = (node: GbnfNode, starts: Set<number>): Set<number> =>
    new Set([...starts].flatMap((from) => [...ends(node, from)]));
  const ends = (node: GbnfNode, from: number): Set<number> => {
    switch (node.kind) {
      case "text":
        return new Set(text.startsWith(node.text, from) ? [from + node.text.length] : []);
      case "characters": {
        const point = text.codePointAt(from);
        return new Set(
          point !== undefined && hasCodePoint(node.set, point) ? [from + (point > 0xffff ? 2 : 1)] : [],
        );
      }
      case "reference":
        return new Set(known(node.rule, from));
      case "alternatives":
        return new Set(node.parts.flatMap((part) => [...ends(part, from)]));
      case "sequence":
        return node.parts.reduce((at, part) => all(part, at), new Set([from]));
      case "repeat": {
        let at = new Set([from]);
        const result = new Set(node.min === 0 ? [from] : []);
        const most = Math.min(node.max, node.min + text.length + 1);
        for (let round = 1; round <= most && at.size > 0; round++) {
          at = all(node.body, at);
          if (round >= node.min) for (const position of at) result.add(position);
        }
        return result;
      }
    }
  };
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const { name, body } of rules.values()) {
      for (let from = 0; from <= text.length; from++) {
        const before = known(name, from);
        for (const end of ends(body, from)) {
          if (before.has(end)) continue;
          before.add(end);
          isNew = true;
        }
      }
    }
  }
  return known("root", 0).has(text.length);
}

function textsOver(alphabet: string, most: number): string[] {
  const layers = [[""]];
  for (let length = 1; length <= most; length++) {
    layers.push((layers.at(-1) ?? []).flatMap((text) => [...alphabet].map((letter) => text + letter)));
  }
  return layers.flat();
}

describe("grammars, against the definition on all short texts", () => {
  const table: readonly [name: string, text: string][] = [
    ["no recursion", 'root ::= "a" ("b" | "ab")? [ab]{1,2}'],
    ["at the right", 'root ::= "a" root | "b"'],
    ["in the middle", 'root ::= "a" root "b" | ""'],
    ["at the left", 'root ::= root "a" | "b"'],
    ["at the left, with the empty text", 'root ::= root "a" | '],
    ["at the left of a group", 'root ::= (root "a" | root "b" "b")? "a"'],
    ["at the left of a repetition", 'root ::= root* "a" | "b"'],
    ["at the left of a counted repetition", 'root ::= root{2} "a" | "b"'],
    ["at both sides", 'root ::= root "a" root | "b"'],
    ["at both sides, three times", 'root ::= root root root | root root | "b" | "aa"'],
    ["at both sides, with the empty text", 'root ::= root root | "a" | ""'],
    ["indirect at the left", 'root ::= x "a" | "b"\nx ::= y "b" | "a"\ny ::= root | x "a" "b"'],
    ["hidden at the left", 'root ::= x root "a" | "b"\nx ::= "b"?'],
    ["hidden at the left, by a rule that is empty", 'root ::= x root "a" | "b"\nx ::= ""'],
    ["hidden and indirect", 'root ::= x y\nx ::= "a"*\ny ::= x root "b" | "a"'],
    ["a cycle", 'root ::= root | "a"'],
    ["a long cycle", 'root ::= x\nx ::= y | "a"\ny ::= root "b" | x | root'],
    ["a cycle by the empty text", 'root ::= root root | x\nx ::= root x | "a" | ""'],
    ["a rule without end", 'root ::= "a" | x\nx ::= "b" x'],
    ["a part without end", 'root ::= ("a" x)? ("b" | x "a")\nx ::= x "a"'],
    ["a rule that is not used", 'root ::= "a"\nx ::= "b" x'],
    ["repetitions of what may be empty", 'root ::= ("a"?){2,3} ("b"*)+'],
    ["palindromes", 'root ::= "a" root "a" | "b" root "b" | "a" | "b" | ""'],
    ["palindromes, to the left", 'root ::= x "a" | y "b" | "a" | "b" | ""\nx ::= "a" root\ny ::= "b" root'],
    ["as many a as b", 'root ::= "a" root "b" root | "b" root "a" root | ""'],
  ];
  test.each(table)("%s", (_, text) => {
    const rules = parseGrammar(text);
    const strategy = unchecked(text);
    for (const candidate of textsOver("ab", 7)) {
      expect([candidate, partMatchesText(strategy, candidate)]).toEqual([
        candidate,
        recognizes(rules, candidate),
      ]);
    }
  });

  /** Grammars of three rules, with every operator. */
  const body = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom('"a"', '"b"', '""', "root", "x", "y", '"ab"', "[ab]"),
      fc.tuple(tie("node"), tie("node")).map(([a, b]) => `${a} ${b}`),
      fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(${a} | ${b})`),
      fc
        .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "{2,}"))
        .map(([a, b]) => `(${a})${b}`),
    ),
  })).node;

  test("random grammars", () => {
    const texts = textsOver("ab", 4);
    fc.assert(
      fc.property(body, body, body, (root, x, y) => {
        const text = `root ::= ${root} | "b"\nx ::= ${x}\ny ::= ${y} | "a"`;
        const rules = parseGrammar(text);
        const strategy = unchecked(text);
        for (const candidate of texts) {
          if (partMatchesText(strategy, candidate) !== recognizes(rules, candidate)) {
            expect.fail(
              `${JSON.stringify(candidate)} is ${partMatchesText(strategy, candidate)} in\n${text}`,
            );
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test("random grammars have no dead ends: what is begun can be finished", () => {
    let tooLarge = 0;
    fc.assert(
      fc.property(body, body, body, fc.array(fc.boolean(), { maxLength: 8 }), (root, x, y, choices) => {
        try {
          canFinish(root, x, y, choices);
        } catch (error) {
          // Some grammars are too large for the bound on work; they are refused with an error, too.
          if (!(error instanceof ConstraintLimitError)) throw error;
          tooLarge++;
        }
      }),
      { numRuns: 150 },
    );
    expect(tooLarge).toBeLessThan(10);

    function canFinish(root: string, x: string, y: string, choices: readonly boolean[]): void {
      const text = `root ::= ${root}\nx ::= ${x}\ny ::= ${y}`;
      const reference = referenceOf(text);
      if (reference === null) return;
      let rest = reference.whole;
      expect(reference.shortest(rest)).not.toBeNull();
      for (const choice of choices) {
        const next = reference.step(rest, choice ? 0x61 : 0x62);
        if (next.kind === "nothing") continue;
        expect(reference.shortest(next)).not.toBeNull();
        rest = next;
      }
    }
  });
});

/** Null for a grammar without texts. */
function referenceOf(text: string): ReferenceLanguage | null {
  try {
    return new ReferenceLanguage(compileGrammar(parseGrammar(text), text));
  } catch (error) {
    if (error instanceof StrategyError) return null;
    throw error;
  }
}

describe("notation", () => {
  const table: readonly [name: string, text: string, allowed: string[], rejected: string[]][] = [
    ["escapes", String.raw`root ::= "\"\\\n\t\r\x41\u00e9\U0001F642\[\]"`, ['"\\\n\t\rAé🙂[]'], ["", "A"]],
    [
      "classes",
      String.raw`root ::= [a-cX\]\-\x30-\x32]`,
      ["a", "b", "c", "X", "]", "-", "1"],
      ["d", "3", ""],
    ],
    ["a class with - at its end", "root ::= [a-]", ["a", "-"], ["b"]],
    ["a negated class is of characters", String.raw`root ::= [^"\n]`, ["é", "🙂", "\t"], ['"', "\n", "ab"]],
    ["the full stop is any character", "root ::= .", ["a", "\n", "中", "🙂"], ["", "ab"]],
    ["comments", '# first\nroot ::= "a" # not "b"\n  "c" # last', ["ac"], ["a", "ab"]],
    ["rules over lines", 'root ::=\n  "a"\n  | "b"\n  | (\n "c"\n )\nx ::= "d"', ["a", "b", "c"], ["d"]],
    ["Windows lines", 'root ::= x\r\nx ::= "a"\r\n', ["a"], ["b"]],
    ["bounds", 'root ::= "a"{2} "b"{ 1 , 2 } "c"{1,}', ["aabc", "aabbccc"], ["abc", "aabbb", "aab"]],
    ["two operators", 'root ::= "a"{2}*', ["", "aa", "aaaa"], ["a", "aaa"]],
    ["an operator after a space", 'root ::= "a" *', ["", "aa"], ["b"]],
    ["names", 'root ::= Rule_2-b\nRule_2-b ::= "a"', ["a"], [""]],
    ["an empty alternative", 'root ::= "a" | ', ["", "a"], ["b"]],
    ["characters of several bytes in a literal", 'root ::= "naïve 🙂"+', ["naïve 🙂naïve 🙂"], ["naive"]],
  ];
  test.each(table)("%s", (_, text, allowed, rejected) => {
    const strategy = grammar(text);
    for (const candidate of allowed)
      expect([candidate, partMatchesText(strategy, candidate)]).toEqual([candidate, true]);
    for (const candidate of rejected)
      expect([candidate, partMatchesText(strategy, candidate)]).toEqual([candidate, false]);
  });

  test("the grammar of JSON in llama.cpp's collection reads JSON", () => {
    const json = grammar(String.raw`
root   ::= object
value  ::= object | array | string | number | ("true" | "false" | "null") ws

object ::=
  "{" ws (
            string ":" ws value
    ("," ws string ":" ws value)*
  )? "}" ws

array  ::=
  "[" ws (
            value
    ("," ws value)*
  )? "]" ws

string ::=
  "\"" (
    [^"\\\x7F\x00-\x1F] |
    "\\" (["\\bfnrt] | "u" [0-9a-fA-F]{4}) # escapes
  )* "\"" ws

number ::= ("-"? ([0-9] | [1-9] [0-9]{0,15})) ("." [0-9]+)? ([eE] [-+]? [0-9] [1-9]{0,15})? ws

# Optional space: by convention, applied in this grammar after literal chars when allowed
ws ::= | " " | "\n" [ \t]{0,20}
`);
    for (const text of [
      "{}",
      '{"a": [1, -2.5e3, "x\\n\\u00e9"], "b": {"c": null}}',
      '{\n  "é": [[], [true]]\n}',
    ]) {
      expect([text, partMatchesText(json, text)]).toEqual([text, true]);
    }
    for (const text of [
      "[]",
      '{"a": 01}',
      '{"a" 1}',
      '{"a": [1,]}',
      '{"a": "\n"}',
      '{"a": 1',
      '{"a": nul}',
    ]) {
      expect([text, partMatchesText(json, text)]).toEqual([text, false]);
    }
  });
});

describe("a bad grammar ends with its place and what was expected there", () => {
  const table: readonly [text: string, where: string, reason: RegExp][] = [
    ["", "", /no rules.*root ::=/],
    ['x ::= "a"', "", /no rule "root" \(the rules are x\)/],
    ['root "a"', "line 1, column 6", /expected "::=" after the rule's name "root", found "\\""/],
    ['root = "a"', "line 1, column 6", /expected "::="/],
    ["::= x", "line 1, column 1", /expected a rule/],
    ['root ::= "a', "line 1, column 10", /literal is not closed/],
    ['root ::= ("a" | "b"', "line 1, column 10", /group is not closed/],
    ['root ::= ("a"\nx ::= "b")', "line 2, column 1", /or "\)", found "x"/],
    ['root ::= "a")', "line 1, column 13", /or the next rule, found "\)"/],
    ["root ::= [a-z", "line 1, column 10", /class is not closed/],
    ["root ::= []", "line 1, column 10", /class is empty/],
    ["root ::= [z-a]", "line 1, column 11", /z-a runs backwards/],
    ['root ::= "a\\q"', "line 1, column 12", /no escape \\q/],
    ['root ::= "\\x4"', "line 1, column 11", /2 hexadecimal digits/],
    ['root ::= "\\ud83d"', "line 1, column 11", /half of a surrogate pair/],
    ['root ::= "\\U00110000"', "line 1, column 11", /not a code point/],
    ['root ::= "a"\n     | other "b"', "line 2, column 8", /"other" is not defined/],
    ['root ::= "a"\nx ::= "b"\n\nroot ::= "c"', "line 4, column 1", /twice, first at line 1, column 1/],
    ['root ::= "a"{x}', "line 1, column 14", /whole number/],
    ['root ::= "a"{,3}', "line 1, column 14", /\{0,5\}/],
    ['root ::= "a"{3', "line 1, column 15", /"\}"/],
    ['root ::= "a"{3,2}', "line 1, column 13", /write \{2,3\}/],
    ["root ::= * ", "line 1, column 10", /expected a literal/],
    ["root ::= <think>", "line 1, column 10", /tokens are not supported/],
    ['root ::= "a" root', "line 1, column 1", /"root" matches no text/],
    ['x ::= "a"\nroot ::= x y\ny ::= y', "line 2, column 1", /"root" matches no text/],
    ["root ::= [\\x00-\\uD7FF]", "line 1, column 11", /./],
  ];
  test.each(table.slice(0, -1))("%j", (text, where, reason) => {
    expect(() => grammar(text)).toThrow(StrategyError);
    try {
      grammar(text);
    } catch (error) {
      expect(error).toMatchObject({ strategy: "grammar", where, reason: expect.stringMatching(reason) });
    }
  });

  test("not a text", () => {
    expect(() => grammar(5 as unknown as string)).toThrow("grammar: 5 is not a string: write a string.");
  });
});

describe("hostile grammars", () => {
  test("a class that leaves no character has no text", () => {
    expect(() => grammar("root ::= [^\\x00-\\U0010FFFF]")).toThrow(/"root" matches no text/);
  });

  const nested = (depth: number) => `root ::= ${"(".repeat(depth)}"a"${")".repeat(depth)}`;
  test("too many nested groups", () => {
    expect(partMatchesText(grammar(nested(150)), "a")).toBe(true);
    expect(() => grammar(nested(50_000))).toThrow(ConstraintLimitError);
  });

  const chain = (length: number) =>
    Array.from({ length }, (_, index) =>
      index === length - 1
        ? `r${index} ::= "a"`
        : `${index === 0 ? "root" : `r${index}`} ::= r${index + 1} | "b" r1`,
    ).join("\n");
  test("too many rules at the front of one another", () => {
    expect(partMatchesText(grammar(chain(150)), "bba")).toBe(true);
    expect(() => grammar(chain(2000))).toThrow(ConstraintLimitError);
  });

  test.each([
    ["rules", (rest: string) => `${rest} "c"`],
    ["a group", (rest: string) => `("c" | ${rest})`],
  ])("too many rules at the front of one another behind a long text: %s", (_name, after) => {
    const begun = "-".repeat(2_100);
    const behind = (length: number) =>
      chain(length).replace("root ::=", `root ::= "${begun}" ${after("front")}\nfront ::=`);
    const made = grammar(behind(185));
    expect(partMatchesText(made, `${begun}bba`) || partMatchesText(made, `${begun}bbac`)).toBe(true);
    // The check walks no text as long as this one: an answer would end with an error behind it.
    expect(() => grammar(behind(205))).toThrow(/nested more than 380 levels deep/);
  });

  const row = (length: number) =>
    `root ::= ${Array.from({ length: length - 1 }, (_, index) => `"b" r${index}`).join(" | ")}\n${Array.from({ length: length - 1 }, (_, index) => `r${index} ::= "a" "b"? r${(index * 7) % (length - 1)}?`).join("\n")}`;
  test("too many rules, and the most that there may be", () => {
    expect(partMatchesText(grammar(row(2000)), "baaba")).toBe(true);
    expect(() => grammar(row(2001))).toThrow(ConstraintLimitError);
  });

  test("a ring of rules at the left", () => {
    const count = 300;
    const ring = Array.from(
      { length: count },
      (_, index) => `r${index} ::= r${(index + 1) % count} "${"ab"[index % 2]}" | "c"`,
    ).join("\n");
    expect(partMatchesText(grammar(`root ::= r0\n${ring}`), "cab")).toBe(false);
    expect(partMatchesText(grammar(`root ::= r0\n${ring}`), "cbaba")).toBe(true);
  });

  test("huge counts", () => {
    const strategy = grammar('root ::= ("a"{0,1000000000} "b"){1000000}');
    expect(partMatchesText(strategy, "aab")).toBe(false);
  });

  const ambiguous: readonly [name: string, text: string][] = [
    ["sums", 'root ::= root "a" root | "a" | root root'],
    ["all splits", 'root ::= root root root | root root | "a"'],
    ["two rules that are the same", "root ::= x root | y root | x\nx ::= [a-m]+ | y y\ny ::= [a-z]+ x | x"],
    ["brackets that may be read two ways", 'root ::= "a" root "a" | "a" root | "a"'],
  ];
  test.each(ambiguous)("ambiguous, %s: a long text is read, or an error ends it", (_, text) => {
    const read = () => partMatchesText(grammar(text), "a".repeat(101));
    try {
      expect(read()).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(ConstraintLimitError);
    }
  });

  test.each([
    ["a loop over an ambiguous rule", 'root ::= ("" | root root)* "x"', 'line 1, column 1, rule "root"'],
    [
      "a loop of rules that may be empty",
      'root ::= ("x" | root? root?)* "y"',
      'line 1, column 1, rule "root"',
    ],
    [
      "rules at the right that begin each other",
      'root ::= a b | "x"\na ::= root b | "x"\nb ::= a root | "x"',
      'line 3, column 1, rule "b"',
    ],
    [
      "stacks of two rules",
      'root ::= "x" a\na ::= "x" | "x" a b | "x" b a\nb ::= "x" | "x" b a | "x" a b',
      'line 3, column 1, rule "b"',
    ],
    [
      "one rule of several",
      'root ::= name loop name\nloop ::= ("" | loop loop)* "x"\nname ::= [a-z]+',
      'line 2, column 1, rule "loop"',
    ],
    [
      "a rule behind many bytes",
      'root ::= [a-z]{60} tail\ntail ::= ("" | tail tail)* "x"',
      'line 2, column 1, rule "tail"',
    ],
  ])("too ambiguous, %s: refused when the strategy is made, with the rule", (_, text, where) => {
    let refused: unknown;
    try {
      grammar(text);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(ConstraintLimitError);
    expect((refused as ConstraintLimitError).where).toBe(where);
    expect((refused as ConstraintLimitError).reason).toMatch(/in the first 48 bytes of a text/);
  });

  test("brackets nested deep", () => {
    const strategy = grammar('root ::= "(" root ")" | ""');
    expect(partMatchesText(strategy, "(".repeat(2000) + ")".repeat(2000))).toBe(true);
    expect(partMatchesText(strategy, "(".repeat(2000) + ")".repeat(1999))).toBe(false);
  });
});
