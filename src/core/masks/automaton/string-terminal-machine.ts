/**
 * String terminals: the texts between two quotes, with the closing one. Schemas have the same ones again and again (any string, a date,
 * a name), so all constraints share one arena and one automaton for them: their steps are made once, their masks once per
 * vocabulary. In the arena of a constraint a terminal is one expression, stepped by the shared automaton.
 */
import { Automaton, DEAD } from "./automaton.ts";
import type { Followed } from "./beginnings.ts";
import { Expressions } from "./expression.ts";
import type { Expression, StringTerminalMaker, WorkBudget } from "./expression-node.ts";
import { getOrCreate } from "./get-or-create.ts";
import type { DerivativeStep } from "./partition.ts";

class StringTerminalMachine implements StringTerminalMaker {
  readonly automaton: Automaton;
  readonly #expressions = new Expressions();
  readonly #texts = new Map<string, Expression>();
  readonly #steps = new Map<Expression, readonly DerivativeStep[]>();
  #epoch = 0;

  constructor() {
    this.automaton = new Automaton(this.#expressions, this.#expressions.nothing);
  }

  /** A new piece of work begins in the arena of some constraint. */
  begin(): void {
    this.automaton.begin();
    if (this.#epoch === this.automaton.epoch) return;
    this.#epoch = this.automaton.epoch;
    this.#texts.clear();
    this.#steps.clear();
  }

  /** The state of the automaton in which a terminal has ended. */
  get end(): number {
    return this.automaton.stateOf(this.#expressions.empty);
  }

  /** From now on work is counted there. */
  chargeTo({ meter }: WorkBudget): void {
    this.#expressions.meter = meter;
  }

  /**
   * The string terminal for a text, in the arena that asks for it; `nothing` if no text is allowed. @param key identifies the
   * language. No text of the language begins another one.
   */
  stringTerminal(
    expressions: Expressions,
    key: string,
    make: (expressions: Expressions) => Expression,
  ): Expression {
    const text = getOrCreate(this.#texts, key, () => {
      this.chargeTo(expressions);
      const made = make(this.#expressions);
      return this.automaton.stateOf(made) === DEAD ? this.#expressions.nothing : made;
    });
    return text.kind === "nothing" ? expressions.nothing : expressions.stringTerminal(this, text);
  }

  follow(
    text: Expression,
    bytes: ArrayLike<number>,
    from: number,
    to: number,
    workBudget: WorkBudget,
  ): Followed | null {
    this.chargeTo(workBudget);
    const { automaton, end } = this;
    let state = automaton.stateOf(text);
    let index = from;
    while (index < to && state !== end) {
      const row = automaton.findRow(state);
      state = automaton.table[row + (bytes[index++] as number)] as number;
      if (state === DEAD) return null;
    }
    return { rest: automaton.expressionOf(state), taken: index - from };
  }

  steps(text: Expression, workBudget: WorkBudget): readonly DerivativeStep[] {
    return getOrCreate(this.#steps, text, () => {
      this.chargeTo(workBudget);
      const { automaton } = this;
      const sets = new Map<number, Uint32Array>();
      for (const [byte, target] of automaton.row(automaton.stateOf(text)).entries()) {
        if (target === DEAD) continue;
        const set = getOrCreate(sets, target, () => new Uint32Array(8));
        (set[byte >> 5] as number) |= 1 << (byte & 31);
      }
      return [...sets].map(([target, set]) => ({ set, next: automaton.expressionOf(target) }));
    });
  }

  union(texts: readonly Expression[], workBudget: WorkBudget): Expression {
    this.chargeTo(workBudget);
    return this.#expressions.unionOf(texts);
  }
}

export const stringTerminalMachine = new StringTerminalMachine();

/** The machines of arenas that share nothing. */
const ownMachines = new WeakMap<Expressions, StringTerminalMachine>();

/**
 * An arena for a check. The arena shares no work with others, so the count of its work, and the answer of the check, does not
 * depend on schemas that were read before.
 */
export function createUnsharedArena(mostWork?: number): Expressions {
  const expressions = new Expressions(mostWork);
  ownMachines.set(expressions, new StringTerminalMachine());
  return expressions;
}

/** The machine of the arena's string terminals: the shared one, unless the arena was made by `createUnsharedArena`. */
export function terminalMachineOf(expressions: Expressions): StringTerminalMachine {
  return ownMachines.get(expressions) ?? stringTerminalMachine;
}
