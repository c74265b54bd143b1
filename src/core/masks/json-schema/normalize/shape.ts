/** A conjunction of facts about the values of one type. */
import type { Effort } from "../effort.ts";
import type { Alternative } from "../normal-form.ts";
import type { Fact, Formula } from "./facts.ts";

export interface Shape {
  /** Adds the fact. False when no value is left. */
  add(fact: Fact): boolean;
  copy(): Shape;
  /** True when the fact is known to change nothing; false does not say that it would. */
  entails(fact: Fact): boolean;
  /** True when it is known that no value has both the fact and this shape; false does not say that one has. Cheap: it saves a search. */
  excludes(formula: Formula): boolean;
  /** False when no value has this shape; true when one may have it. */
  isPossible(effort: Effort): boolean;
  /** What has to be decided before it can be an alternative; null: nothing. @throws StrategyError what cannot be enforced */
  undecided(): Formula | null;
  alternative(): Alternative;
}
