/** A conjunction of atoms about the values of one type. */
import type { Effort } from "../effort.ts";
import type { Alternative } from "../normal-form.ts";
import type { Atom, Formula } from "./atoms.ts";

export interface Shape {
  /** Adds the atom. False when no value is left. */
  add(atom: Atom): boolean;
  copy(): Shape;
  /** True when the atom is known to change nothing; false does not say that it would. */
  entails(atom: Atom): boolean;
  /** True when it is known that no value has both the atom and this shape; false does not say that one has. Cheap: it saves a search. */
  excludes(formula: Formula): boolean;
  /** False when no value has this shape; true when one may have it. */
  isPossible(effort: Effort): boolean;
  /**
   * A choice that must be decided before the shape can become an alternative; null if there is none. @throws StrategyError for a
   * keyword that cannot be enforced
   */
  undecided(): Formula | null;
  alternative(): Alternative;
}
