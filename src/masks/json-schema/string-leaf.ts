/** Strings as leaves: what stands after the opening quote, with the closing one, shared by all schemas. */
import type { Expression, Expressions } from "../expression.ts";
import { leafMachine } from "../leaf-machine.ts";
import type { StringAlternative } from "./normal-form.ts";
import { stringContent } from "./string.ts";

/** `nothing` where no string is valid for any of the alternatives and there are no literals. @throws as stringContent does */
export function stringLeaf(
  expressions: Expressions,
  alternatives: readonly StringAlternative[],
  literals: readonly string[] = [],
): Expression {
  // JSON has no Infinity: a length without a bound is written as null, which no other length is.
  const key = JSON.stringify([alternatives, literals]);
  return leafMachine.leaf(expressions, key, (arena) =>
    arena.sequence(
      arena.union(
        ...alternatives.map((alternative) => stringContent(arena, alternative)),
        ...literals.map((text) => arena.literal(JSON.stringify(text).slice(1, -1))),
      ),
      arena.literal('"'),
    ),
  );
}
