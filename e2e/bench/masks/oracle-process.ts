/**
 * The process in which an oracle of the corpus bench runs, so that it can be ended in the middle of a compilation. It is sent
 * an `OracleTask` and answers with an `OracleTimes`; "ready" comes first, once the vocabulary is prepared.
 */
import type { Json } from "../../../src/core/masks/json-schema/normal-form.ts";
import type { Oracle } from "../../../src/core/masks/testing/oracle.ts";
import { structuredOutputOracle } from "../../../src/core/masks/testing/oracle-structured-output.ts";
import { xgrammarOracle, xgrammarVocabulary } from "../../../src/core/masks/testing/oracle-xgrammar.ts";
import { testTokenizer } from "../../../src/core/masks/testing/vocabularies.ts";
import { hasToken } from "../../../src/core/masks/vocabulary/token-bits.ts";
import { testTokenizerData } from "../../../src/core/tokenizer/testing/test-tokenizers.ts";

export type OracleName = "web-xgrammar" | "structured-output";

export interface OracleTask {
  /** As it comes: the time to read it counts. */
  readonly schema: string;
  /** Tokens of each valid instance, for compact JSON. */
  readonly instances: readonly (readonly number[])[];
  /** No further mask is asked for after so many milliseconds. */
  readonly limit: number;
}

export interface OracleTimes {
  readonly refused: boolean;
  /** Milliseconds to the first mask. */
  readonly first: number;
  /** Microseconds of each mask with the step after it. */
  readonly masks: readonly number[];
  /** All instances were taken to their end, within the limit. */
  readonly whole: boolean;
  /** Valid instances that it does not take. */
  readonly rejected: number;
}

async function openOracle(name: OracleName): Promise<Oracle> {
  const tokenizer = testTokenizer("smollm2-135m");
  if (name === "structured-output") return structuredOutputOracle(tokenizer);
  const { tokenizerJson } = testTokenizerData("smollm2-135m");
  return xgrammarOracle(
    xgrammarVocabulary(tokenizerJson, tokenizer.vocabSize, "byte_level", tokenizer.eosTokenIds),
  );
}

async function timed(oracle: Oracle, { schema, instances, limit }: OracleTask): Promise<OracleTimes> {
  const begun = performance.now();
  const masks: number[] = [];
  let first = Number.NaN;
  let rejected = 0;
  try {
    const start = await oracle.compile({
      kind: "jsonSchema",
      schema: JSON.parse(schema) as Json,
      whiteSpace: "compact",
    });
    for (const tokens of instances) {
      const matcher = await start();
      for (const token of tokens) {
        const before = performance.now();
        if (before - begun > limit) return { refused: false, first, masks, whole: false, rejected };
        const mask = await matcher.mask();
        if (Number.isNaN(first)) first = performance.now() - begun;
        if (!hasToken(mask, token) || !matcher.accept(token)) {
          rejected++;
          break;
        }
        masks.push((performance.now() - before) * 1000);
      }
      matcher.dispose();
    }
    return { refused: false, first, masks, whole: rejected === 0, rejected };
  } catch {
    return { refused: true, first, masks, whole: false, rejected };
  }
}

const oracle = await openOracle(process.argv[2] as OracleName);
process.on("message", async (task: OracleTask) => {
  process.send?.(await timed(oracle, task));
});
process.send?.("ready");
