/**
 * Turns a formula into its alternatives: collects atoms until only a choice is left, then continues separately with each branch
 * of the choice.
 */
import type { EffortMeter } from "../effort.ts";
import type { Alternative, Json } from "../normal-form.ts";
import { canonicalText } from "../read/json-value.ts";
import { refusal } from "../read/scan.ts";
import type { Choice, Formula, OneOf } from "./atoms.ts";
import type { Shape } from "./shape.ts";

/** The effort, in units, for a branch, and for each of its atoms and choices. */
const BRANCH = 10;
const ATOM = 1;

/** The decisions so far. */
interface Branch {
  readonly shape: Shape;
  /** Choices that are still to be made. */
  choices: readonly Choice[];
  readonly asserted: Set<Formula>;
  values: readonly Json[] | null;
  refused: { readonly path: string; readonly reason: string } | null;
}

export interface ExpansionCallbacks {
  /** Called with the values of a branch that lists values, without the values that other conditions of the branch exclude. */
  readonly values: (values: readonly Json[]) => void;
  readonly alternative: (alternative: Alternative) => void;
}

/**
 * Calls `found` with each alternative of a conjunction of formulas; twice with an alternative that is found twice.
 * @param shape without atoms; the formulas are added to it
 * @throws StrategyError if something that is refused would have to be enforced; ConstraintLimitError
 */
export function expandFormulas(
  formulas: readonly Formula[],
  shape: Shape,
  effort: EffortMeter,
  found: ExpansionCallbacks,
): void {
  const branch: Branch = { shape, choices: [], asserted: new Set(), values: null, refused: null };
  if (!formulas.every((formula) => assert(branch, formula))) return;
  new Expansion(effort).explore(branch, (decided) => {
    if (decided.values !== null) found.values(decided.values);
    else if (decided.refused !== null) throw refusal(decided.refused.path, decided.refused.reason);
    else found.alternative(decided.shape.alternative());
    return false;
  });
}

class Expansion {
  readonly #effort: EffortMeter;

  constructor(effort: EffortMeter) {
    this.#effort = effort;
  }

  /** Calls `decided` with each branch without a choice, until `decided` returns that this is enough. */
  explore(branch: Branch, decided: (branch: Branch) => boolean): boolean {
    this.#effort.spend(BRANCH + ATOM * branch.choices.length);
    if (branch.values !== null) return branch.values.length > 0 && decided(branch);
    branch.choices = branch.shape.keepOpen?.(branch.choices) ?? branch.choices;
    if (!branch.shape.isPossible(this.#effort)) return false;
    const choice = nextChoice(branch);
    if (choice !== null) return this.#choose(branch, choice, decided);
    const undecided = branch.shape.undecided?.() ?? null;
    if (undecided === null) return decided(branch);
    if (!assert(branch, undecided)) return false;
    return undecided.kind === "refused" ? decided(branch) : this.explore(branch, decided);
  }

  #choose(branch: Branch, choice: Choice, decided: (branch: Branch) => boolean): boolean {
    const parts = choice.kind === "or" ? choice.parts : choice.members.map((member) => member.yes);
    for (const part of parts) {
      this.#effort.spend(BRANCH + ATOM * branch.asserted.size);
      const next = copyBranch(branch);
      if (!assert(next, part)) continue;
      if (choice.kind === "oneOf" && !this.#exclude(next, choice, part)) continue;
      if (this.explore(next, decided)) return true;
    }
    return false;
  }

  /**
   * Requires that no other member of the `oneOf` holds. A member that cannot hold together with the chosen one need not be
   * negated; this is the usual case.
   */
  #exclude(branch: Branch, { members }: OneOf, chosen: Formula): boolean {
    // Without the negations, because these are choices, and to find a value under many choices takes a long search.
    const chosenOnly = copyBranch(branch);
    let isChosenAhead = true;
    for (const member of members) {
      // A `oneOf` that lists one schema twice: either both members hold or neither does.
      if (isChosenAhead && member.yes === chosen) {
        isChosenAhead = false;
        continue;
      }
      this.#effort.spend(ATOM);
      if (branch.shape.excludes?.(member.yes)) continue;
      this.#effort.spend(BRANCH + ATOM * branch.asserted.size);
      const probe = copyBranch(chosenOnly);
      if (!assert(probe, member.yes) || !this.explore(probe, () => true)) continue;
      if (!assert(branch, member.no())) return false;
    }
    return true;
  }
}

function copyBranch(branch: Branch): Branch {
  return { ...branch, shape: branch.shape.copy(), asserted: new Set(branch.asserted) };
}

/** Adds a formula to the branch. Returns false if no value is left. */
function assert(branch: Branch, formula: Formula): boolean {
  switch (formula.kind) {
    case "true":
      return true;
    case "false":
      return false;
    case "atom":
      return branch.shape.add(formula.atom);
    case "values":
      branch.values = branch.values === null ? formula.values : commonValues(branch.values, formula.values);
      return branch.values.length > 0;
    case "refused":
      branch.refused ??= formula;
      return true;
    case "and":
    case "or":
    case "oneOf": {
      if (branch.asserted.has(formula)) return true;
      if (formula.opposite !== null && branch.asserted.has(formula.opposite)) return false;
      branch.asserted.add(formula);
      if (formula.kind === "and") return formula.parts.every((part) => assert(branch, part));
      branch.choices = [...branch.choices, formula];
      return true;
    }
  }
}

/**
 * Removes the choice with the fewest remaining branches from the list and returns it. Choices that are already decided are
 * dropped.
 */
function nextChoice(branch: Branch): Choice | null {
  let best: Choice | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  const open: Choice[] = [];
  for (const choice of branch.choices) {
    if (choice.kind === "or" && choice.parts.some((part) => holds(branch, part))) continue;
    open.push(choice);
    const count = choice.kind === "or" ? choice.parts.length : 1_000 + choice.members.length;
    if (count >= fewest) continue;
    best = choice;
    fewest = count;
  }
  branch.choices = open.filter((choice) => choice !== best);
  return best;
}

function commonValues(some: readonly Json[], others: readonly Json[]): Json[] {
  const keys = new Set(others.map(canonicalText));
  return some.filter((value) => keys.has(canonicalText(value)));
}

/** Never wrongly true. */
function holds(branch: Branch, formula: Formula): boolean {
  if (formula.kind === "atom") return branch.shape.entails(formula.atom);
  if (formula.kind === "and" && formula.parts.every((part) => holds(branch, part))) return true;
  return branch.asserted.has(formula);
}
