/**
 * Our masks against those of the two npm engines, token by token along valid texts, on the bundled vocabulary. Where they
 * differ, one of them is wrong, and ajv (or RegExp) says which: on the shortest text that the one engine makes of a token
 * that the other forbids.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { jsonSchema } from "../strategies/json-schema.ts";
import { regex } from "../strategies/regex.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import { validatorOf } from "../testing/ajv.ts";
import type { SchemaCase } from "../testing/cases.ts";
import { readCorpus } from "../testing/corpus.ts";
import {
  compareWithOracle,
  type Explanation,
  explanations,
  noneExplained,
  type OracleDifferences,
} from "../testing/differences.ts";
import type { Oracle } from "../testing/oracle.ts";
import { structuredOutputOracle } from "../testing/oracle-structured-output.ts";
import { xgrammarOracle, xgrammarVocabulary } from "../testing/oracle-xgrammar.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { instanceTextsOf, isRefusal, strategyOfSchemaCase } from "../testing/verdicts.ts";
import { formalLanguageOf } from "../testing/walks.ts";

const tokenizer = repositoryTokenizer("stories260k");
const tokenizerJson = JSON.parse(readFileSync("public/models/stories260k/tokenizer.json", "utf8"));
const vocabulary = xgrammarVocabulary(
  tokenizerJson,
  tokenizer.vocabSize,
  "byte_fallback",
  tokenizer.eosTokenIds,
);
const oracles: readonly Oracle[] = [structuredOutputOracle(tokenizer), await xgrammarOracle(vocabulary)];

/** None that takes an oracle seconds. */
const corpus = readCorpus().filter(({ schema }) => JSON.stringify(schema).length < 4_000);
/** Schemas that the oracle takes too, spread over the corpus by a stride that meets all of the corpus. */
const mostCompared = { "web-xgrammar": 40, "structured-output": 12 } as Readonly<Record<string, number>>;
const stride = 7;
/**
 * Schemas that are not compared: the shortest end of an object with many optional properties in any order takes too many steps to
 * search for, which is found out after a second of work for each.
 */
const withoutShortestEnd: Readonly<Record<string, readonly string[]>> = {
  "web-xgrammar": [
    "configs/logging-config",
    "configs/package-manifest",
    "data-models/game-character",
    "infrastructure/custom-resource-definition",
    "recursive/state-machine",
    "stores/dependabot-like",
    "stores/podcast-feed",
  ],
};
/** Characters of an instance: a mask of theirs takes a millisecond. */
const longestText = 120;

interface Total {
  compared: number;
  refused: number;
  positions: number;
  /** Names of other schemas for which no shortest end was found. */
  readonly unfinished: string[];
  readonly explained: Record<Explanation, number>;
  readonly faults: string[];
}

const nothing = (): Total => ({
  compared: 0,
  refused: 0,
  positions: 0,
  unfinished: [],
  explained: noneExplained(),
  faults: [],
});

function add(total: Total, name: string, { positions, explained, faults }: OracleDifferences): void {
  total.compared++;
  total.positions += positions;
  for (const kind of explanations) total.explained[kind] += explained[kind];
  total.faults.push(...faults.map((fault) => `${name}: ${fault}`));
}

async function compareSchema(oracle: Oracle, given: SchemaCase, total: Total): Promise<void> {
  if (withoutShortestEnd[oracle.name]?.includes(given.name)) return;
  const ours = strategyOfSchemaCase(given);
  const freer = strategyOfSchemaCase(given, "any");
  if (isRefusal(ours) || isRefusal(freer)) return;
  const language = formalLanguageOf(ours.build);
  const texts = given.valid
    .flatMap((value) => instanceTextsOf(given, value))
    .filter((text) => language.accepts(text));
  const text = texts.find(({ length }) => length <= longestText);
  if (text === undefined) return;
  const validate = validatorOf(given.schema, given.dialect);
  let start: Awaited<ReturnType<Oracle["compile"]>>;
  try {
    start = await oracle.compile({ kind: "jsonSchema", schema: given.schema, whiteSpace: "compact" });
  } catch {
    total.refused++;
    return;
  }
  const isRight = (whole: string) => {
    try {
      return validate(JSON.parse(whole)) === true;
    } catch {
      return false;
    }
  };
  try {
    add(total, given.name, await compareWithOracle({ tokenizer, ours, freer, text, start, isRight }));
  } catch (error) {
    if (!(error instanceof ConstraintLimitError)) throw error;
    total.unfinished.push(given.name);
  }
}

describe.each(oracles)("$name", (oracle) => {
  test("schemas of the corpus", async () => {
    const total = nothing();
    const most = mostCompared[oracle.name] ?? 0;
    for (let index = 0; index < corpus.length && total.compared < most; index++) {
      await compareSchema(oracle, corpus[(index * stride) % corpus.length] as SchemaCase, total);
    }
    expect(total.faults).toEqual([]);
    expect(total.compared).toBe(most);
    expect(total.unfinished).toEqual([]);
    expect(total.positions).toBeGreaterThan(500);
  });

  const expressions: readonly [source: string, text: string][] = [
    ["\\d{4}-\\d{2}-\\d{2}", "2026-11-21"],
    ["[A-Z][a-z ,.]{5,40}\\.", "Once upon a time, there was a cat."],
    ["(red|green|blue)( (light|dark))?", "green light"],
    ["-?(0|[1-9][0-9]*)(\\.[0-9]+)?", "-120.75"],
    ["(ab|a)(bc|c)*", "abbcc"],
    ["[^a-z]+x?", "ABC 12x"],
    ["([a-c]{2}){1,3}d*", "abcadd"],
    ["\\w+@\\w+\\.(com|org)", "tim@example.org"],
  ];
  test("regular expressions", async () => {
    const total = nothing();
    for (const [source, text] of expressions) {
      const ours = regex(source);
      const whole = new RegExp(`^(?:${source})$`, "u");
      const start = await oracle.compile({ kind: "regex", source });
      const isRight = (written: string) => whole.test(written);
      add(total, source, await compareWithOracle({ tokenizer, ours, freer: ours, text, start, isRight }));
    }
    expect(total.faults).toEqual([]);
  });

  test.each([
    ["too narrow", { type: "object", properties: { a: { enum: ["x"] } }, required: ["a"] }, /we forbid .*y/],
    [
      "too wide",
      { type: "object", properties: { a: { enum: ["x", "y", "xz"] } }, required: ["a"] },
      /we allow .*z/,
    ],
  ])("a planted fault is found: %s", async (_, wrong, fault) => {
    const schema = {
      type: "object",
      properties: { a: { enum: ["x", "y"] } },
      required: ["a"],
      additionalProperties: false,
    };
    const validate = validatorOf(schema, "2020-12");
    const ours = jsonSchema({ ...wrong, additionalProperties: false });
    const start = await oracle.compile({ kind: "jsonSchema", schema, whiteSpace: "compact" });
    const isRight = (whole: string) => validate(JSON.parse(whole));
    const found = await compareWithOracle({
      tokenizer,
      ours,
      freer: ours,
      text: '{"a":"x"}',
      start,
      isRight,
    });
    expect(found.faults.join()).toMatch(fault);
  });
});
