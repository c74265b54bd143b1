/** Texts of a language, for tests: is one in it, and some at random, by way of every state that they lead to. */
import { Automaton, DEAD } from "../automaton.ts";
import { type Expression, Expressions } from "../expression.ts";

export interface Language {
  /** True for a whole text. */
  accepts(text: string): boolean;
  /** True for a text that can be gone on with, or is whole. */
  begins(text: string): boolean;
  /**
   * A text that takes `steps` bytes at random, and then the shortest way to an end.
   * @throws Error at a state from which there is no end.
   */
  randomText(random: () => number, steps: number): string;
  /** States made so far. */
  readonly size: number;
}

/** Bytes that lead somewhere: structure is chosen as often as all the rest. */
const structure = new Set([...'{}[]",:'].map((character) => character.charCodeAt(0)));

export function languageOf(build: (expressions: Expressions) => Expression): Language {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, build(expressions));
  const encoder = new TextEncoder();
  const after = (text: string) => {
    let state = automaton.start;
    for (const byte of encoder.encode(text)) if (state !== DEAD) state = automaton.step(state, byte);
    return state;
  };
  const pick = <Item>(items: readonly Item[], random: () => number) =>
    items[Math.floor(random() * items.length)] as Item;
  return {
    accepts: (text) => automaton.isAccepting(after(text)),
    begins: (text) => after(text) !== DEAD,
    get size() {
      return automaton.size;
    },
    randomText(random, steps) {
      const bytes: number[] = [];
      let state = automaton.start;
      for (let step = 0; step < steps; step++) {
        const row = automaton.row(state);
        const next = [...row.keys()].filter((byte) => row[byte] !== DEAD);
        if (next.length === 0) break;
        const leading = next.filter((byte) => structure.has(byte));
        const byte = leading.length > 0 && random() < 0.4 ? pick(leading, random) : pick(next, random);
        bytes.push(byte);
        state = automaton.step(state, byte);
      }
      const rest = automaton.derivatives.shortest(automaton.expressionOf(state));
      return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from([...bytes, ...rest]));
    },
  };
}
