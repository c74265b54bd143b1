/** Texts of a language, for tests: is one in it, and some at random, by way of every state that they lead to. */
import { Automaton, DEAD } from "../automaton.ts";
import { type Expression, Expressions } from "../expression.ts";

export interface Language {
  /** True for a whole text. */
  accepts(text: string): boolean;
  /** True for a text that can be gone on with, or is whole. */
  begins(text: string): boolean;
  /**
   * A text that takes `steps` bytes at random, and then goes to an end.
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
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const after = (text: string) => {
    automaton.begin();
    automaton.begin();
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
      automaton.begin();
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
      return decoder.decode(Uint8Array.from([...bytes, ...wayToEnd(automaton, state)]));
    },
  };
}

/** Bytes that close something come first, those that open something last. */
const closing = [...'}]"0123456789tfn:,'].map((character) => character.charCodeAt(0));
const opening = [..."[{"].map((character) => character.charCodeAt(0));
const preferred = [
  ...closing,
  ...Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => !closing.includes(byte) && !opening.includes(byte),
  ),
  ...opening,
];

/** Depth first, each state once. @throws Error when no end is found */
function wayToEnd(automaton: Automaton, start: number): readonly number[] {
  const seen = new Set([start]);
  const path: { readonly state: number; readonly byte: number; tried: number }[] = [
    { state: start, byte: -1, tried: 0 },
  ];
  for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
    if (automaton.isAccepting(place.state)) return path.slice(1).map(({ byte }) => byte);
    const byte = preferred[place.tried++];
    if (byte === undefined) {
      path.pop();
      continue;
    }
    const next = automaton.step(place.state, byte);
    if (next === DEAD || seen.has(next)) continue;
    seen.add(next);
    path.push({ state: next, byte, tried: 0 });
  }
  throw new Error(`No end can be reached from state ${start}.`);
}
