/** Masks where items have to differ are those of the plain definition: a token is in the mask exactly when its bytes may follow. */
import { beforeAll, expect, test } from "vitest";
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { compileJsonSchema, type JsonOptions } from "../json-schema/compile.ts";
import type { VocabularyTests } from "../testing/describe-repository-vocabularies.ts";
import { SeededChooser } from "../testing/draws.ts";
import { TokenSplitter } from "../testing/splitter.ts";
import type { VocabularyName } from "../testing/vocabularies.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import { type Vocabulary, vocabularyOf } from "../vocabulary/vocabulary.ts";
import { makeMask } from "./mask.ts";
import { PlainRuns } from "./plain-run.ts";

export const strings = { type: "string" };
export const unique = (items: object, others: object = {}) => ({
  type: "array",
  items,
  uniqueItems: true,
  ...others,
});
const free = { whiteSpace: "free" } as const;

/** A schema, and items of which texts are put together. */
const rows: [name: string, schema: object, items: readonly string[], options?: JsonOptions][] = [
  ["strings", unique(strings), ['"a"', '"ab"', '"the"', '"the cat"', '""', '"\\n"', '"é"', '","']],
  ["strings, spaced", unique(strings), ['"a"', '"ab"', '""'], { whiteSpace: "spaced" }],
  ["strings, free", unique(strings), ['"a"', '"ab"', '""'], free],
  ["short strings", unique({ type: "string", maxLength: 3 }), ['"a"', '"ab"', '"abc"', '""']],
  ["a pattern", unique({ type: "string", pattern: "^[ab]{1,8}$" }), ['"a"', '"ab"', '"abab"', '"b"']],
  [
    "few of them",
    unique({ type: "string", pattern: "^([ab]{1,8}|the)$" }, { maxItems: 3 }),
    ['"the"', '"ab"'],
  ],
  ["integers", unique({ type: "integer" }), ["1", "12", "123", "-1", "0", "1000"]],
  ["numbers", unique({ type: "number" }), ["1", "1.5", "1.25", "12", "0.5", "-0.5", "1e+21"], free],
  [
    "a mixture",
    unique({ type: ["string", "integer", "null", "boolean"] }, { minItems: 2 }),
    ['"1"', "1", "12", "null", "true", '"null"', '"a"'],
  ],
  [
    "literals beside numbers: what is quoted can be used up",
    unique({ anyOf: [{ enum: ["a", "the", [1, "a"]] }, { type: "integer" }] }),
    ['"a"', '"the"', "1", "12", '[1,"a"]'],
  ],
  [
    "two kinds of arrays",
    { anyOf: [unique(strings, { maxItems: 2 }), unique({ type: ["string", "integer"] }, { minItems: 3 })] },
    ['"a"', '"the"', "1", "12"],
  ],
  [
    "one may repeat",
    { anyOf: [unique(strings), { items: { type: "string", maxLength: 2 } }] },
    ['"a"', '"the"', '"ab"'],
  ],
  [
    "objects",
    unique({
      type: "object",
      properties: { name: strings, on: { type: "boolean" }, n: { type: "integer" } },
      required: ["name", "on"],
    }),
    ['{"name":"a","on":true}', '{"name":"the","on":false,"n":12}', '{"name":"a","on":false}'],
  ],
  [
    "arrays of strings, spaced",
    unique({ type: "array", items: strings }),
    ["[]", '["a"]', '["a", "the"]', '["the", "a"]'],
    { whiteSpace: "spaced" },
  ],
  [
    "first items",
    { ...unique(strings), prefixItems: [{ enum: ["a", "the"] }, { type: "integer" }] },
    ['"a"', '"the"', "12"],
  ],
];

/** A 1 for each token that is allowed, by going from byte to byte. */
function allowedBySteps(
  automaton: Automaton,
  state: number,
  { tree, size }: ReturnType<typeof vocabularyOf>,
): Uint8Array {
  const found = new Uint8Array(size);
  const states = [state];
  for (let node = 0; node < tree.size; ) {
    const depth = (tree.head[node] as number) >>> 8;
    if (node % 1000 === 0) automaton.expressions.begin();
    const next = automaton.step(states[depth - 1] as number, (tree.head[node] as number) & 255);
    if (next === DEAD) {
      node = tree.after[node] as number;
      continue;
    }
    states[depth] = next;
    if ((tree.token[node] as number) >= 0) found[tree.token[node] as number] = 1;
    node++;
  }
  return found;
}

/** Texts that begin an array, with items that repeat now and then at its end. */
function beginning(items: readonly string[], comma: string, draws: SeededChooser): string {
  const chosen = items.filter(() => draws.below(2) === 0);
  const last = draws.of(items);
  const whole = `[${[...chosen, last].join(comma)}`;
  return whole.slice(0, whole.length - draws.below(last.length + 2));
}

/** Texts for each row; of the largest vocabulary, whose masks take longest, one. */
const textsOf = (name: VocabularyName) =>
  Number(process.env.DISTINCT_TEXTS ?? (name === "qwen3-0.6b" ? 1 : 3));
const WIDE = Number(process.env.DISTINCT_WIDE ?? 20);
const FIRST = Number(process.env.DISTINCT_FIRST ?? 0);

/** Defines the tests that a mask has exactly the tokens whose bytes may follow, for schemas whose items differ. */
export const testDistinctMasks: VocabularyTests = (name, tokenizerOf) => {
  let vocabulary: Vocabulary;
  let splitter: TokenSplitter;
  beforeAll(() => {
    const tokenizer = tokenizerOf();
    vocabulary = vocabularyOf(tokenizer);
    splitter = TokenSplitter.of(tokenizer);
  });

  test.each(rows)("%s", (...[row, schema, items, options = {}]) => {
    // The largest vocabulary is checked in one row: each takes seconds.
    const looksAtWide = name !== "qwen3-0.6b" || row === "strings";
    const expressions = new Expressions();
    const automaton = new Automaton(expressions, compileJsonSchema(schema, options)(expressions));
    const parts = { automaton, vocabulary, runs: new PlainRuns(automaton) };
    const comma = options.whiteSpace === "spaced" ? ", " : ",";
    let wide = 0;
    for (let seed = FIRST; seed < FIRST + textsOf(name); seed++) {
      const draws = new SeededChooser(seed);
      const bytes = new TextEncoder().encode(beginning(items, comma, draws));
      automaton.begin();
      let state = automaton.start;
      for (const token of splitter.random(bytes, (count) => draws.below(count))) {
        automaton.expressions.begin();
        const mask = makeMask(parts, state);
        // Inside a text nearly all tokens are allowed, and a look at each takes long: some of those states are enough.
        const isWide = mask.filter((word) => word !== 0).length > mask.length / 2;
        if (isWide) wide++;
        if (!isWide || (looksAtWide && wide % WIDE === 1)) {
          const expected = allowedBySteps(automaton, state, vocabulary);
          spreadToSameBytes(expected, vocabulary.byteIdenticalTokens);
          const wrong: number[] = [];
          for (let each = 0; each < vocabulary.size; each++)
            if (hasToken(mask, each) !== (expected[each] === 1)) wrong.push(each);
          expect(wrong.map((each) => [each, new TextDecoder().decode(vocabulary.bytesOf(each))])).toEqual([]);
        }
        automaton.expressions.begin();
        const next = automaton.walk(state, vocabulary.bytesOf(token));
        expect(hasToken(mask, token)).toBe(next !== DEAD);
        if (next === DEAD) break;
        state = next;
      }
    }
  });
};

/** The tree has one of several tokens with the same bytes: the others are as that one is. */
function spreadToSameBytes(found: Uint8Array, byteIdenticalTokens: Int32Array): void {
  for (let index = 0; index < byteIdenticalTokens.length; index += 2)
    found[byteIdenticalTokens[index + 1] as number] = found[byteIdenticalTokens[index] as number] as number;
}
