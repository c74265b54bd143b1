/** Random schemas and values: the normal form and the evaluator say what ajv says. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConstraintLimitError, StrategyError } from "../../strategy-error.ts";
import { validatorOf } from "../../testing/ajv.ts";
import type { Json, SchemaHandle } from "../normal-form.ts";
import { acceptsNormal } from "../testing/accepts-normal.ts";
import { isValid } from "../testing/is-valid.ts";
import { arbitraryJson, arbitrarySchemas } from "../testing/schemas.ts";
import { normalizeSchema } from "./normalize.ts";

/** More of them, others: RUNS=3000 SEED=7 npx vitest run src/core/masks/json-schema/normalize.fuzz */
const runs = Number(process.env.RUNS ?? 100);
const seed = Number(process.env.SEED ?? 1);

function normalized(schema: Json): SchemaHandle | StrategyError | ConstraintLimitError {
  try {
    return normalizeSchema(schema).root;
  } catch (error) {
    if (error instanceof StrategyError || error instanceof ConstraintLimitError) return error;
    throw error;
  }
}

/** Null where ajv fails: it sets a member of undefined for some `oneOf` with a `patternProperties` beside it. */
function verdictOf(judge: ReturnType<typeof validatorOf>, value: Json): boolean | null {
  try {
    return judge(value) as boolean;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

test.each([
  { what: "what has a finite form", refusable: false, mostRefused: 0.04 },
  { what: "all keywords", refusable: true, mostRefused: 0.1 },
])("the normal form and the evaluator accept what ajv accepts: $what", ({ refusable, mostRefused }) => {
  const counts = { refused: 0, valid: 0, invalid: 0, undecided: 0 };
  const samples = fc.array(arbitraryJson, { minLength: 20, maxLength: 20 });
  const property = fc.property(arbitrarySchemas({ refusable }), samples, (schema, tried) => {
    const handle = normalized(schema);
    if (handle instanceof Error) {
      counts.refused++;
      return;
    }
    const judge = validatorOf(schema, "2020-12");
    for (const value of tried) {
      const expected = verdictOf(judge, value);
      if (expected === null) {
        counts.undecided++;
        continue;
      }
      counts[expected ? "valid" : "invalid"]++;
      expect({ value, evaluated: isValid(value, handle), accepted: acceptsNormal(handle, value) }).toEqual({
        value,
        evaluated: expected,
        accepted: expected,
      });
    }
  });
  fc.assert(property, { numRuns: runs, seed });
  expect(counts.undecided).toBeLessThanOrEqual(runs / 100);
  expect(counts.refused / runs).toBeLessThan(mostRefused);
  // Both verdicts occur often: neither can be right by chance.
  expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(4 * runs);
});
