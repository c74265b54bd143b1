/** A conjunction of atoms about the values of one type. */
import type { EffortMeter } from "../effort.ts";
import type { Alternative } from "../normal-form.ts";
import type { Atom, Choice, Formula } from "./atoms.ts";

export interface Shape {
  /** Adds the atom. Returns false if no value is left. */
  add(atom: Atom): boolean;
  copy(): Shape;
  /** Whether the atom certainly changes nothing; false if this is not certain. */
  entails(atom: Atom): boolean;
  /** True if no value can fulfil both the formula and this shape; absent or false if a value may. This quick check saves a search. */
  excludes?(formula: Formula): boolean;
  /** Turns many choices into conditions that stay open in the alternative. Returns the choices that are left. */
  keepOpen?(choices: readonly Choice[]): readonly Choice[];
  /** False if no value has this shape; true if a value may have it. */
  isPossible(effort: EffortMeter): boolean;
  /**
   * A choice that must be decided before the shape can become an alternative; null or absent if there is none. The caller has to
   * assert the choice, because the shape may forget what the choice replaces. @throws StrategyError for a keyword that cannot be enforced
   */
  undecided?(): Formula | null;
  alternative(): Alternative;
}
