/**
 * Finds the schemas that have any value. Recursion that never ends has none: `{ required: ["next"], properties: { next:
 * itself } }`. A schema is possible if this follows from schemas that were shown to be possible before: the least fixpoint.
 */
import { ConstraintLimitError } from "../../strategy-error.ts";
import { canHaveItems } from "../array-states.ts";
import type { Alternative, NormalSchema, SchemaHandle } from "../normal-form.ts";
import type { Handle } from "./handle.ts";
import { canHaveMembers } from "./members.ts";

/** The deepest nesting of required values. */
const DEEPEST = 500;

/** The alternatives of a schema; null while they are being computed. */
type RawAlternatives = (handle: SchemaHandle) => NormalSchema | null;

/** The alternatives that have any value. */
export function possibleAlternatives(handle: Handle, raw: RawAlternatives): NormalSchema {
  return (raw(handle) ?? []).filter((alternative) => isCertain(alternative, raw));
}

/** Repeats rounds until a round shows nothing new. A schema that is not shown to be possible by then is impossible. */
function isCertain(alternative: Alternative, raw: RawAlternatives): boolean {
  for (;;) {
    const round = new Round(raw);
    if (round.showsPossible(alternative)) return true;
    if (round.foundNew) continue;
    for (const handle of round.failed) handle.possible = false;
    return false;
  }
}

/** Looks at each schema once. */
class Round {
  readonly #raw: RawAlternatives;
  readonly failed = new Set<Handle>();
  /** A schema turned out to be possible after it had failed, or while it was examined. */
  foundNew = false;
  #depth = 0;

  constructor(raw: RawAlternatives) {
    this.#raw = raw;
  }

  /** Whether the alternative has a value, as far as this round knows. */
  showsPossible(alternative: Alternative): boolean {
    if (alternative.type === "array") return canHaveItems(alternative, (handle) => this.#isPossible(handle));
    if (alternative.type === "object")
      return canHaveMembers(alternative, (handle) => this.#isPossible(handle));
    return true;
  }

  #isPossible(of: SchemaHandle): boolean {
    const handle = of as Handle;
    if (handle.possible !== undefined) return handle.possible;
    if (this.failed.has(handle)) return false;
    // A schema counts as impossible while it is examined, so that it cannot justify itself.
    this.failed.add(handle);
    if (++this.#depth > DEEPEST) {
      throw new ConstraintLimitError(`every valid value is nested more than ${DEEPEST} levels deep`);
    }
    const raw = this.#raw(handle);
    const isPossible = raw?.some((alternative) => this.showsPossible(alternative)) ?? false;
    this.#depth--;
    if (!isPossible) return false;
    this.failed.delete(handle);
    handle.possible = true;
    this.foundNew = true;
    return true;
  }
}
