/** The conformance suite of all strategies over one vocabulary. A new strategy is a new case. */
import fc from "fast-check";
import { describe, test } from "vitest";
import type { VocabularyTests } from "../../testing/describe-repository-vocabularies.ts";
import { strategyConformance } from "../strategy.conformance.ts";
import { jsonStrategyCases } from "./json-strategy-cases.ts";
import { textStrategyCases } from "./text-strategy-cases.ts";

/** Seeds for each check of each case: a look at every token of the small vocabulary costs the least. */
const runs = { stories260k: 2, "smollm2-135m": 1, "qwen3-0.6b": 1 } as const;

const seed = fc.integer({ min: 0, max: 0x7fffffff });

export const testStrategies: VocabularyTests = (name, tokenizerOf) => {
  for (const row of [...textStrategyCases, ...jsonStrategyCases]) {
    describe(row.name, () => {
      for (const check of strategyConformance(row, tokenizerOf)) {
        test(check.name, () => {
          fc.assert(
            fc.property(seed, (each) => check.run(each)),
            { numRuns: runs[name] },
          );
        });
      }
    });
  }
};
