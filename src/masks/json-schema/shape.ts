/** A conjunction of facts about the values of one type. */
import type { Effort } from "./effort.ts";
import type { Fact, Formula } from "./facts.ts";
import type { Alternative } from "./normal-form.ts";

export interface Shape {
  /** Asks for this too. False: nothing is left. */
  add(fact: Fact): boolean;
  copy(): Shape;
  /** The fact changes nothing. Never wrongly true. */
  entails(fact: Fact): boolean;
  /** No value has both it and this. Never wrongly true, and cheap: it saves a search. */
  excludes(formula: Formula): boolean;
  /** False: no value has it. True: perhaps one has. */
  isPossible(effort: Effort): boolean;
  /** What has to be decided before it can be an alternative; null: nothing. @throws StrategyError what cannot be enforced */
  undecided(): Formula | null;
  alternative(): Alternative;
}
