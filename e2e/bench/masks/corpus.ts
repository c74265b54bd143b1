/** The rows of the corpus: time to the first mask, masks along the valid instances, what is refused, and the same for the oracles. */
import { type ConstraintState, constraintOf } from "../../../src/core/masks/masks/constraint.ts";
import { jsonSchema } from "../../../src/core/masks/strategies/json-schema.ts";
import { ConstraintLimitError, StrategyError } from "../../../src/core/masks/strategy-error.ts";
import type { SchemaCase } from "../../../src/core/masks/testing/cases.ts";
import { readCorpus } from "../../../src/core/masks/testing/corpus.ts";
import {
  instanceTextsOf,
  keywordOf,
  strategyOfSchemaCase,
} from "../../../src/core/masks/testing/verdicts.ts";
import { testTokenizer } from "../../../src/core/masks/testing/vocabularies.ts";
import { formalLanguageOf } from "../../../src/core/masks/testing/walks.ts";
import { vocabularyOf } from "../../../src/core/masks/vocabulary/vocabulary.ts";
import type { ModelTokenizer } from "../../../src/core/tokenizer/create-tokenizer.ts";
import { atMost, type BenchRow, calibrate, figure, timeAtMost } from "../machine.ts";
import { mean, quantile } from "../statistics.ts";
import type { OracleName, OracleTimes } from "./oracle-process.ts";
import { type OracleRunner, oracleRunner } from "./oracle-runner.ts";

/** Every so many schemas go to the oracles, which are slower by orders of magnitude. */
const oracleStride = 4;
/** Milliseconds an oracle has for one schema. */
const oracleLimit = 4_000;
/** Passes through the corpus before masks are timed in a warm process: later passes take as long as the last one of these. */
const warmingPasses = 5;

interface Times {
  readonly given: SchemaCase;
  /** The keyword for which the constraint was refused; null if it was accepted. */
  readonly refused: string | null;
  readonly first: number;
  readonly masks: readonly number[];
  readonly tokens: number;
  readonly forced: number;
  readonly oracles: ReadonlyMap<OracleName, OracleTimes | null>;
}

export async function corpusRows(): Promise<BenchRow[]> {
  const tokenizer = testTokenizer("smollm2-135m");
  vocabularyOf(tokenizer);
  const corpus = readCorpus();
  const texts = corpus.map((given) => tokensOf(given, tokenizer));
  const before = calibrate();
  // The first time: code that the just-in-time compiler has seen little of, masks that no constraint has made.
  const cold = corpus.map((given, index) => ours(given, tokenizer, texts[index] ?? []));
  const coldCalibrations = [before, calibrate()];
  const runners = [oracleRunner("web-xgrammar"), oracleRunner("structured-output")];
  const calibrations = [calibrate()];
  const all: Times[] = [];
  try {
    for (const [index, given] of corpus.entries()) {
      const instances = texts[index] ?? [];
      const timed = ours(given, tokenizer, instances);
      const compared = index % oracleStride === 0 ? await theirs(given, instances, runners) : new Map();
      all.push({ ...timed, oracles: compared });
      if (index % 50 === 49) calibrations.push(calibrate());
    }
  } finally {
    for (const runner of runners) runner.close();
  }
  const compared = all.filter(({ oracles }) => oracles.size > 0);
  return [
    ...(await ourRows("corpus, the first time", cold, coldCalibrations, coldLimits)),
    ...(await ourRows("corpus, the second time", all, calibrations, secondLimits)),
    ...(await warmRows(corpus, texts, tokenizer)),
    ...forcedRows(all),
    ...runners.flatMap(({ name }) => oracleRows(name, compared)),
    ...coverageRows(all),
  ];
}

/** Tokens of each valid instance, with its members in the order that is asked for. */
function tokensOf(given: SchemaCase, tokenizer: ModelTokenizer): number[][] {
  const made = strategyOfSchemaCase(given);
  const language = "keyword" in made ? null : formalLanguageOf(made.build);
  return given.valid.map((value) => {
    const texts = instanceTextsOf(given, value);
    return tokenizer.encode(texts.find((text) => language?.accepts(text)) ?? texts[0] ?? "");
  });
}

function ours(
  given: SchemaCase,
  tokenizer: ModelTokenizer,
  instances: readonly (readonly number[])[],
): Omit<Times, "oracles"> {
  const text = JSON.stringify(given.schema);
  const masks: number[] = [];
  const begun = performance.now();
  let first = Number.NaN;
  try {
    const { start } = constraintOf(jsonSchema(JSON.parse(text)), tokenizer);
    start.mask();
    first = performance.now() - begun;
    for (const tokens of instances) {
      let state: ConstraintState | null = start;
      for (const token of tokens) {
        const before = performance.now();
        state.mask();
        state = state.advance(token);
        masks.push((performance.now() - before) * 1000);
        if (state === null) throw new Error(`${given.name}: a valid instance is rejected.`);
      }
    }
    const counts = instances.map((tokens) => countForced(start, tokens));
    const tokens = counts.reduce((sum, count) => sum + count.tokens, 0);
    return {
      given,
      refused: null,
      first,
      masks,
      tokens,
      forced: counts.reduce((sum, count) => sum + count.forced, 0),
    };
  } catch (error) {
    if (!(error instanceof StrategyError || error instanceof ConstraintLimitError)) throw error;
    if (Number.isNaN(first)) first = performance.now() - begun;
    return { given, refused: keywordOf(error), first, masks, tokens: 0, forced: 0 };
  }
}

/** Tokens that were forced, and would have been the instance's own. */
function countForced(start: ConstraintState, tokens: readonly number[]): { tokens: number; forced: number } {
  let state: ConstraintState | null = start;
  let forced = 0;
  let at = 0;
  while (at < tokens.length && state !== null) {
    const span = state.forcedTokens();
    const isOwn = span.length > 0 && span.every((token, index) => tokens[at + index] === token);
    const taken: readonly number[] = isOwn ? span : [tokens[at] as number];
    if (isOwn) forced += span.length;
    for (const token of taken) state = state?.advance(token) ?? null;
    at += taken.length;
  }
  return { tokens: at, forced };
}

async function theirs(
  given: SchemaCase,
  instances: readonly (readonly number[])[],
  runners: readonly OracleRunner[],
): Promise<Map<OracleName, OracleTimes | null>> {
  const found = new Map<OracleName, OracleTimes | null>();
  const task = { schema: JSON.stringify(given.schema), instances, limit: oracleLimit };
  for (const runner of runners) found.set(runner.name, await runner.run(task));
  return found;
}

/** As in a server that runs for hours: the code is compiled, and each answer has a constraint of its own. */
async function warmRows(
  corpus: readonly SchemaCase[],
  texts: readonly (readonly (readonly number[])[])[],
  tokenizer: ModelTokenizer,
): Promise<BenchRow[]> {
  const pass = () =>
    corpus.flatMap((given, index) =>
      (texts[index] ?? []).map((instance) => ours(given, tokenizer, [instance])),
    );
  for (let count = 0; count < warmingPasses; count++) pass();
  const before = calibrate();
  const timed = pass();
  const which = "corpus, warm, a constraint for each instance";
  return ourRows(which, timed, [before, calibrate()], warmLimits);
}

/** Limits on the reference machine: of the first mask in milliseconds, of a mask in microseconds. */
interface Limits {
  readonly first: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly mask: {
    readonly mean: number;
    readonly p50?: number;
    readonly p99: number;
    readonly max?: number;
  };
}

const coldLimits: Limits = { first: { p50: 0.5, p99: 12, max: 30 }, mask: { mean: 17, p99: 400 } };
const secondLimits: Limits = { first: { p50: 1, p99: 20, max: 100 }, mask: { mean: 17, p99: 400 } };
const warmLimits: Limits = {
  first: { p50: 0.3, p99: 9, max: 30 },
  mask: { mean: 12, p50: 0.5, p99: 116, max: 10_000 },
};

/** Each mask and each schema once: of one pass through the corpus. */
async function ourRows(
  which: string,
  all: readonly Omit<Times, "oracles">[],
  calibrations: readonly number[],
  limits: Limits,
): Promise<BenchRow[]> {
  const first = all.map((one) => one.first);
  const masks = all.flatMap((one) => one.masks);
  const worst = all.toSorted((a, b) => b.first - a.first)[0];
  const held = async (what: string, value: number, unit: string, limit: number | undefined) =>
    limit === undefined
      ? figure(`${which}: ${what}`, value, unit)
      : await timeAtMost(`${which}: ${what}`, value, unit, limit, calibrations);
  const slowest = masks.reduce((a, b) => Math.max(a, b), 0);
  return [
    await held("first mask, p50", quantile(first, 0.5), "ms", limits.first.p50),
    await held("first mask, p99", quantile(first, 0.99), "ms", limits.first.p99),
    await held(`first mask, max (${worst?.given.name})`, Math.max(...first), "ms", limits.first.max),
    await held(`mask, mean of ${masks.length}`, mean(masks), "µs", limits.mask.mean),
    await held("mask, p50", quantile(masks, 0.5), "µs", limits.mask.p50),
    await held("mask, p99", quantile(masks, 0.99), "µs", limits.mask.p99),
    await held("mask, max", slowest, "µs", limits.mask.max),
  ];
}

function forcedRows(all: readonly Times[]): BenchRow[] {
  const tokens = all.reduce((sum, one) => sum + one.tokens, 0);
  const forced = all.reduce((sum, one) => sum + one.forced, 0);
  return [figure("corpus: forced tokens of the valid instances", (100 * forced) / tokens, "%")];
}

/** Over the schemas of which both have times. One that was ended counts to its first mask with the time it had at least. */
function oracleRows(name: OracleName, compared: readonly Times[]): BenchRow[] {
  const ran = compared.flatMap(({ refused, first, masks, oracles }) => {
    const theirs = oracles.get(name);
    if (refused !== null || theirs === undefined || theirs?.refused) return [];
    return [{ first, masks, theirs }];
  });
  const firstOf = (times: OracleTimes | null) =>
    times === null || Number.isNaN(times.first) ? oracleLimit : times.first;
  const their = ran.map(({ theirs }) => firstOf(theirs));
  const our = ran.map(({ first }) => first);
  // The same masks of both: theirs end where the limit was met, or where they reject the instance.
  const pairs = ran.flatMap(({ masks, theirs }) => (theirs?.whole ? [{ masks, theirs: theirs.masks }] : []));
  const theirMasks = pairs.flatMap(({ theirs }) => theirs);
  const ourMasks = pairs.flatMap(({ masks }) => masks);
  const answers = compared.map(({ oracles }) => oracles.get(name));
  const of = `${name}, ${compared.length} schemas`;
  return [
    figure(`${of}: refused`, answers.filter((one) => one?.refused).length, "schemas"),
    figure(`${of}: reject a valid instance`, ran.filter(({ theirs }) => theirs?.rejected).length, "schemas"),
    figure(
      `${of}: ended at ${oracleLimit / 1000} s`,
      ran.filter(({ theirs }) => !theirs?.whole && !theirs?.rejected).length,
      "schemas",
    ),
    figure(`${of}: first mask, p50`, quantile(their, 0.5), "ms"),
    figure(`${of}: first mask, p99`, quantile(their, 0.99), "ms"),
    figure(`${of}: first mask, p50, times ours`, quantile(their, 0.5) / quantile(our, 0.5), "times"),
    figure(`${of}: first mask, mean, times ours`, mean(their) / mean(our), "times"),
    figure(`${of}: mask, mean of ${theirMasks.length}`, mean(theirMasks), "µs"),
    figure(`${of}: mask, p99`, quantile(theirMasks, 0.99), "µs"),
    figure(`${of}: mask, mean, times ours`, mean(theirMasks) / mean(ourMasks), "times"),
    figure(`${of}: mask, p99, times ours`, quantile(theirMasks, 0.99) / quantile(ourMasks, 0.99), "times"),
  ];
}

function coverageRows(all: readonly Times[]): BenchRow[] {
  const refused = all.flatMap((one) => one.refused ?? []);
  const byKeyword = countEach(refused);
  return [
    atMost(`corpus: refused of ${all.length} schemas`, (100 * refused.length) / all.length, "%", 0.6),
    ...[...byKeyword].map(([keyword, count]) => figure(`  of it for ${keyword}`, count, "schemas")),
  ];
}

function countEach(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
