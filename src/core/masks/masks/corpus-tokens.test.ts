/** The corpus on SmolLM2's tokenizer: every token of a valid instance is in the mask, and its end is allowed; a sample. */
import { expect, test } from "vitest";
import type { Strategy } from "../strategy.ts";
import { ConstraintLimitError } from "../strategy-error.ts";
import type { SchemaCase } from "../testing/cases.ts";
import { readCorpus } from "../testing/corpus.ts";
import { repositoryTokenizer } from "../testing/repository-vocabularies.ts";
import { instanceTextsOf, isRefusal, strategyOfSchemaCase } from "../testing/verdicts.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import { type ConstraintState, constraintOf } from "./constraint.ts";

const tokenizer = repositoryTokenizer("smollm2-135m");
const every = 5;
const sample = readCorpus().filter((_, index) => index % every === 2);

/** Where a text stops being allowed: null when all of it is, to its end. */
function stopOf(start: ConstraintState, text: string): string | null {
  let state: ConstraintState = start;
  const tokens = tokenizer.encode(text);
  for (const [index, token] of tokens.entries()) {
    const next = state.advance(token);
    const where = `${tokenizer.decode(tokens.slice(0, index))}⟂${tokenizer.decode([token])}`;
    if (hasToken(state.mask(), token) !== (next !== null)) return `mask and advance disagree at ${where}`;
    if (next === null) return where;
    state = next;
  }
  return state.canEnd ? null : `${text}⟂`;
}

function wrongIn(given: SchemaCase, strategy: Strategy): string[] {
  const { start } = constraintOf(strategy, tokenizer);
  const stops = (value: Parameters<typeof instanceTextsOf>[1]) =>
    instanceTextsOf(given, value).map((text) => stopOf(start, text));
  return [
    ...given.valid.flatMap((value) => {
      const found = stops(value);
      return found.includes(null) ? [] : [`${given.name} rejects ${found[0]}`];
    }),
    ...given.invalid.flatMap(({ breaks, value }) =>
      stops(value).includes(null) ? [`${given.name} (${breaks}) accepts ${JSON.stringify(value)}`] : [],
    ),
  ];
}

test(`every ${every}th schema`, () => {
  const limits: string[] = [];
  const wrong = sample.flatMap((given) => {
    const made = strategyOfSchemaCase(given);
    if (isRefusal(made)) return [];
    try {
      return wrongIn(given, made);
    } catch (error) {
      // Refused after all, by a bound on the work of a step: one of those that the bench counts.
      if (!(error instanceof ConstraintLimitError)) throw error;
      limits.push(given.name);
      return [];
    }
  });
  expect(wrong).toEqual([]);
  expect(limits.length / sample.length, limits.join()).toBeLessThanOrEqual(0.03);
});
