/** Random schemas and values: the normal form and the evaluator say what ajv says. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import { validatorOf } from "../testing/ajv.ts";
import type { Json, SchemaHandle } from "./normal-form.ts";
import { isValid, normalizeSchema } from "./normalize.ts";
import { acceptsNormal } from "./testing/accepts-normal.ts";
import { schemas, values } from "./testing/schemas.ts";

function normalized(schema: Json): SchemaHandle | StrategyError | ConstraintLimitError {
  try {
    return normalizeSchema(schema);
  } catch (error) {
    if (error instanceof StrategyError || error instanceof ConstraintLimitError) return error;
    throw error;
  }
}

for (const hard of [false, true]) {
  test(`the normal form accepts what ajv accepts (${hard ? "all keywords" : "what has a finite form"})`, () => {
    const counts = { schemas: 0, refused: 0, limits: 0, valid: 0, invalid: 0 };
    const reasons = new Map<string, number>();
    fc.assert(
      fc.property(
        schemas({ hard }),
        fc.array(values, { minLength: 20, maxLength: 20 }),
        (schema, samples) => {
          counts.schemas++;
          const handle = normalized(schema);
          if (handle instanceof Error) {
            const reason =
              handle instanceof StrategyError ? (handle.where.match(/[^/]*$/)?.[0] ?? "") : "limit";
            reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
            counts.refused++;
            return;
          }
          const judge = validatorOf(schema, "2020-12");
          for (const value of samples) {
            const expected = judge(value) as boolean;
            counts[expected ? "valid" : "invalid"]++;
            let accepted: boolean;
            try {
              accepted = acceptsNormal(handle, value);
            } catch (error) {
              if (error instanceof StrategyError || error instanceof ConstraintLimitError) {
                counts.limits++;
                continue;
              }
              throw error;
            }
            expect({ value, evaluated: isValid(value, handle), accepted }).toEqual({
              value,
              evaluated: expected,
              accepted: expected,
            });
          }
        },
      ),
      { numRuns: Number(process.env.RUNS ?? 300), seed: Number(process.env.SEED ?? 1) },
    );
    console.log(counts, Object.fromEntries(reasons));
  });
}
