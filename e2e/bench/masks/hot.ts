/** The rows of the hot grammars: a mask for the next token along random walks, ours against the limits and against the rivals. */
import { constraintOf } from "../../../src/core/masks/masks/constraint.ts";
import type { Oracle } from "../../../src/core/masks/testing/oracle.ts";
import { structuredOutputOracle } from "../../../src/core/masks/testing/oracle-structured-output.ts";
import { xgrammarOracle, xgrammarVocabulary } from "../../../src/core/masks/testing/oracle-xgrammar.ts";
import {
  hasVocabulary,
  testTokenizer,
  type VocabularyName,
} from "../../../src/core/masks/testing/vocabularies.ts";
import { vocabularyOf } from "../../../src/core/masks/vocabulary/vocabulary.ts";
import type { ModelTokenizer } from "../../../src/core/tokenizer/create-tokenizer.ts";
import { testTokenizerData } from "../../../src/core/tokenizer/testing/test-tokenizers.ts";
import { type BenchRow, calibrate, figure, missingRows, timeAtMost } from "../machine.ts";
import { mean, median, quantile } from "../statistics.ts";
import { type HotGrammar, hotGrammars, rivalGrammars } from "./hot-grammars.ts";
import {
  ourWalker,
  rivalWalker,
  structuralTokens,
  type Walker,
  type WalkOptions,
  walk,
} from "./random-walk.ts";

const steps = 10_000;
const seed = 20_261_121;

/** Microseconds: what issue 4 asks for. */
interface Limits {
  readonly p50: number;
  readonly p99: number;
  readonly max: number | null;
}
const limits: Record<"smollm2-135m" | "qwen3-0.6b", { structured: Limits; prose: Limits }> = {
  "smollm2-135m": { structured: { p50: 5, p99: 300, max: 5000 }, prose: { p50: 50, p99: 480, max: null } },
  "qwen3-0.6b": { structured: { p50: 9, p99: 1300, max: null }, prose: { p50: 400, p99: 1300, max: null } },
};

/** Milliseconds to read a vocabulary into its tree; the tokenizer is there. */
const treeLimits = { "smollm2-135m": 60, "qwen3-0.6b": 250 } as const;

export async function hotRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const name of ["smollm2-135m", "qwen3-0.6b"] as const) {
    if (!hasVocabulary(name)) {
      missingRows(`tree of the vocabulary and masks of the hot grammars, ${name}`);
      continue;
    }
    const tokenizer = testTokenizer(name);
    const start = performance.now();
    vocabularyOf(tokenizer);
    const milliseconds = performance.now() - start;
    const calibrations = [calibrate()];
    rows.push(
      await timeAtMost(`${name}: tree of the vocabulary`, milliseconds, "ms", treeLimits[name], calibrations),
    );
    const structural = structuralTokens(tokenizer);
    for (const grammar of hotGrammars)
      rows.push(...(await grammarRows(name, tokenizer, structural, grammar)));
  }
  return rows;
}

/** With the constraint shared by all walks, as requests share it; and, as figures, with a new one for each walk. */
async function grammarRows(
  name: keyof typeof limits,
  tokenizer: ModelTokenizer,
  structural: Uint32Array,
  grammar: HotGrammar,
): Promise<BenchRow[]> {
  const { p50, p99, max } = limits[name][grammar.name === "prose" ? "prose" : "structured"];
  const options = optionsFor(tokenizer, grammar.structured ? structural : null, steps);
  const strategy = grammar.strategy();
  const calibrations = [calibrate()];
  const times = microseconds(
    await walk(
      ourWalker(() => strategy, tokenizer),
      options,
    ),
  );
  calibrations.push(calibrate());
  const fresh = microseconds(await walk(ourWalker(grammar.strategy, tokenizer), options));
  const title = `${name}, ${grammar.name}`;
  const greatest = quantile(times, 1);
  return [
    await timeAtMost(`${title}: mask, p50`, quantile(times, 0.5), "µs", p50, calibrations),
    await timeAtMost(`${title}: mask, p99`, quantile(times, 0.99), "µs", p99, calibrations),
    max === null
      ? figure(`${title}: mask, max`, greatest, "µs")
      : await timeAtMost(`${title}: mask, max`, greatest, "µs", max, calibrations),
    figure(`${title}: a new constraint for each walk, p50`, quantile(fresh, 0.5), "µs"),
    figure(`${title}: a new constraint for each walk, p99`, quantile(fresh, 0.99), "µs"),
  ];
}

function optionsFor(tokenizer: ModelTokenizer, structural: Uint32Array | null, count: number): WalkOptions {
  return { steps: count, patience: 120_000, structural, endOfSequence: tokenizer.eosTokenIds, seed };
}

const microseconds = (times: readonly number[]) => times.map((time) => time * 1000);

/** Steps that each engine takes in one turn, and turns. */
const turnSteps = 500;
const turns = 4;
/** Milliseconds that a rival has for one turn. */
const patience = 4_000;
const compilations = 3;

/** The engines take turns on SmolLM2's vocabulary, each along walks through its own masks, by one rule. */
export async function rivalRows(): Promise<BenchRow[]> {
  const tokenizer = testTokenizer("smollm2-135m");
  vocabularyOf(tokenizer);
  const rivals = [await openXgrammar("smollm2-135m", tokenizer), structuredOutputOracle(tokenizer)];
  const structural = structuralTokens(tokenizer);
  const rows: BenchRow[] = [];
  for (const grammar of rivalGrammars) {
    rows.push(...(await firstMaskRows(rivals, tokenizer, grammar)));
    rows.push(...(await turnRows(rivals, tokenizer, grammar.structured ? structural : null, grammar)));
  }
  return rows;
}

function openXgrammar(name: VocabularyName, tokenizer: ModelTokenizer): Promise<Oracle> {
  const { tokenizerJson } = testTokenizerData(name);
  return xgrammarOracle(
    xgrammarVocabulary(tokenizerJson, tokenizer.vocabSize, "byte_level", tokenizer.eosTokenIds),
  );
}

async function firstMaskRows(
  rivals: readonly Oracle[],
  tokenizer: ModelTokenizer,
  grammar: HotGrammar,
): Promise<BenchRow[]> {
  const ours: number[] = [];
  const theirs = rivals.map((): number[] => []);
  for (let round = 0; round < compilations; round++) {
    ours.push(await time(() => constraintOf(grammar.strategy(), tokenizer).start.mask()));
    for (const [index, rival] of rivals.entries()) {
      theirs[index]?.push(await time(async () => (await (await rival.compile(grammar.asked))()).mask()));
    }
  }
  return [
    figure(`${grammar.name}: first mask, ours`, median(ours), "ms"),
    ...rivals.flatMap((rival, index) => {
      const their = median(theirs[index] ?? []);
      return [
        figure(`${grammar.name}: first mask, ${rival.name}`, their, "ms"),
        figure(`${grammar.name}: first mask, ${rival.name} over ours`, their / median(ours), "times"),
      ];
    }),
  ];
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function turnRows(
  rivals: readonly Oracle[],
  tokenizer: ModelTokenizer,
  structural: Uint32Array | null,
  grammar: HotGrammar,
): Promise<BenchRow[]> {
  const strategy = grammar.strategy();
  const walkers: Walker[] = [ourWalker(() => strategy, tokenizer)];
  for (const rival of rivals) walkers.push(rivalWalker(await rival.compile(grammar.asked)));
  const times = walkers.map((): number[] => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, walker] of walkers.entries()) {
      const options = { ...optionsFor(tokenizer, structural, turnSteps), patience, seed: seed + turn };
      times[index]?.push(...microseconds(await walk(walker, options)));
    }
  }
  const [ours = [], ...theirs] = times;
  return [
    figure(`${grammar.name}: mask, mean, ours`, mean(ours), "µs"),
    figure(`${grammar.name}: mask, p99, ours`, quantile(ours, 0.99), "µs"),
    ...rivals.flatMap(({ name }, index) => {
      const their = theirs[index] ?? [];
      return [
        figure(`${grammar.name}: mask, mean of ${their.length}, ${name}`, mean(their), "µs"),
        figure(`${grammar.name}: mask, p99, ${name}`, quantile(their, 0.99), "µs"),
        figure(`${grammar.name}: mask, mean, ${name} over ours`, mean(their) / mean(ours), "times"),
        figure(
          `${grammar.name}: mask, p99, ${name} over ours`,
          quantile(their, 0.99) / quantile(ours, 0.99),
          "times",
        ),
      ];
    }),
  ];
}
