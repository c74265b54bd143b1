/** Inputs that ask for much work: each is refused when its strategy is made, or its texts are written without an error. */
import { expect, test } from "vitest";
import { uniformRandom } from "../base/random.ts";
import { constraintOf } from "./masks/constraint.ts";
import type { Strategy } from "./strategy.ts";
import { ConstraintLimitError, StrategyError } from "./strategy-error.ts";
import { tokensOfMask } from "./testing/draws.ts";
import { hostileInputs } from "./testing/hostile.ts";
import { testTokenizer } from "./testing/vocabularies.ts";

const TOKENS = 5;
const tokenizer = testTokenizer("smollm2-135m");

test("there are 200", () => {
  expect(hostileInputs.length).toBeGreaterThanOrEqual(200);
  expect(new Set(hostileInputs.map(({ name }) => name)).size).toBe(hostileInputs.length);
});

/** Null for an input that is refused; the error names a place, except for a regular expression as a whole. */
function madeOrRefused(make: () => Strategy, hasPath: boolean): Strategy | null {
  try {
    return make();
  } catch (error) {
    expect(error instanceof StrategyError || error instanceof ConstraintLimitError, String(error)).toBe(true);
    if (hasPath) expect((error as StrategyError).where).not.toBe("");
    return null;
  }
}

test.each(hostileInputs)("$name", ({ name, make }) => {
  const strategy = madeOrRefused(make, name.startsWith("schema") || name.startsWith("pattern"));
  if (strategy === null) return;
  let state = constraintOf(strategy, tokenizer).start;
  for (let taken = 0; taken < TOKENS && !state.isComplete; taken++) {
    state.samplingMask();
    const tokens = tokensOfMask(state.mask());
    const next = state.advance(tokens[Math.floor(uniformRandom(5, taken) * tokens.length)] as number);
    expect(next).not.toBeNull();
    state = next as typeof state;
  }
});
