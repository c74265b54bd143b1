/** Looks ahead for a `minProperties` that cannot be counted, or not be met: a text is not to come to a halt there. */
import { Expressions } from "../automaton/expression.ts";
import { StrategyError } from "../strategy-error.ts";
import type { Emission } from "./emit/emission.ts";
import { emissionOf } from "./emit/emit.ts";
import { isObjectPossible } from "./emit/emit-object.ts";
import type { Alternative, SchemaHandle } from "./normal-form.ts";
import { partsOf } from "./normalize/explore.ts";
import { pointerStep } from "./read/resolve.ts";

/** Most parts of a schema that are examined in advance. */
const MOST_AHEAD = 2_000;

/** @throws StrategyError */
export function checkCounts(schema: unknown, root: SchemaHandle): void {
  const paths: string[] = [];
  if (typeof schema === "object" && schema !== null) addCountedPaths(schema, "#", paths);
  if (paths.length === 0) return;
  const emission = emissionOf(new Expressions(), { order: "schema", whiteSpace: "compact" });
  const where = paths.length === 1 ? (paths[0] ?? "") : "minProperties";
  const seen = new Set([root]);
  for (const handle of seen) {
    const alternatives = handle.normal();
    // Asks about every alternative, because each may be refused. The emitter skips impossible alternatives.
    const possible = alternatives.filter((alternative) => isPossible(emission, alternative, where));
    if (possible.length === 0 && alternatives.length > 0) throw tooFewNames(where);
    for (const part of possible.flatMap(partsOf)) seen.add(part);
    if (seen.size > MOST_AHEAD) return;
  }
}

/** @throws StrategyError when the names cannot be counted */
function isPossible(emission: Emission, alternative: Alternative, where: string): boolean {
  if (alternative.type !== "object" || alternative.minProperties <= alternative.required.size) return true;
  try {
    return isObjectPossible(emission, alternative);
  } catch (error) {
    if (!(error instanceof StrategyError) || error.where !== "minProperties") throw error;
    throw new StrategyError(error.strategy, where, error.reason);
  }
}

function tooFewNames(where: string): StrategyError {
  return new StrategyError(
    "jsonSchema",
    where,
    "minProperties asks for more properties than there are names: lower minProperties, or allow more names.",
  );
}

/** Adds the paths at which the keyword occurs, perhaps also as the name of a member in data. Every schema is read so, most in vain. */
function addCountedPaths(schema: object, path: string, paths: string[]): void {
  for (const [key, value] of Object.entries(schema)) {
    // Negated, maxProperties asks for more names.
    const isCounted = key === "maxProperties" || (key === "minProperties" && value > 0);
    if (isCounted && typeof value === "number") paths.push(path + pointerStep(key));
    if (typeof value === "object" && value !== null) addCountedPaths(value, path + pointerStep(key), paths);
  }
}
