/** Texts of a language, for tests: whether the language has a text, and random texts, read state by state. */
import { Automaton, DEAD } from "../automaton/automaton.ts";
import { withoutWritten } from "../automaton/distinct.ts";
import { type Expression, Expressions } from "../automaton/expression.ts";

export interface FormalLanguage {
  /** True for a whole text. */
  accepts(text: string): boolean;
  /** True for the beginning of a text of the language, and for a whole text. */
  begins(text: string): boolean;
  /**
   * A text of at most `steps` random bytes, and then a way to an end.
   * @throws Error at a state from which there is no end.
   */
  randomText(random: () => number, steps: number): string;
  /** States made so far. */
  readonly size: number;
}

/** Bytes that lead somewhere: structure is chosen as often as all the rest. */
const structure = new Set([...'{}[]",:'].map((character) => character.charCodeAt(0)));

export function formalLanguageOf(build: (expressions: Expressions) => Expression): FormalLanguage {
  const expressions = new Expressions();
  const automaton = new Automaton(expressions, build(expressions));
  const encoder = new TextEncoder();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const stateAfter = (text: string) => {
    automaton.begin();
    let state = automaton.start;
    for (const byte of encoder.encode(text)) if (state !== DEAD) state = automaton.step(state, byte);
    return state;
  };
  const pick = <Item>(items: readonly Item[], random: () => number) =>
    items[Math.floor(random() * items.length)] as Item;
  return {
    accepts: (text) => automaton.isAccepting(stateAfter(text)),
    begins: (text) => stateAfter(text) !== DEAD,
    get size() {
      return automaton.size;
    },
    randomText(random, steps) {
      automaton.begin();
      const bytes: number[] = [];
      let place: Place = {
        state: automaton.start,
        isInString: false,
        isEscaped: false,
        open: 0,
        length: 0,
        byte: -1,
        before: null,
      };
      for (let step = 0; step < steps; step++) {
        const row = Array.from({ length: 256 }, (_, byte) => automaton.step(place.state, byte));
        const next = [...row.keys()].filter((byte) => row[byte] !== DEAD);
        if (next.length === 0) break;
        const leading = next.filter((byte) => structure.has(byte));
        const byte = leading.length > 0 && random() < 0.4 ? pick(leading, random) : pick(next, random);
        bytes.push(byte);
        place = after(place, byte, row[byte] as number);
      }
      return decoder.decode(Uint8Array.from([...bytes, ...wayToEnd(automaton, place)]));
    },
  };
}

/** A place in a JSON text: inside a string or not, and how many brackets are open. */
interface Place {
  readonly state: number;
  readonly isInString: boolean;
  readonly isEscaped: boolean;
  readonly open: number;
  readonly length: number;
  readonly byte: number;
  readonly before: Place | null;
}

const byteOf = (character: string) => character.charCodeAt(0);
const [quote, backslash] = [byteOf('"'), byteOf("\\")];
const opening = new Set([..."[{"].map(byteOf));
const closing = new Set([..."]}"].map(byteOf));

function after(before: Place, byte: number, state: number): Place {
  const { isInString, isEscaped } = before;
  const change = isInString ? 0 : Number(opening.has(byte)) - Number(closing.has(byte));
  return {
    state,
    isInString: byte === quote && !isEscaped ? !isInString : isInString,
    isEscaped: isInString && byte === backslash && !isEscaped,
    open: before.open + change,
    length: before.length + 1,
    byte,
    before,
  };
}

/** Best first: an open bracket counts as much as 30 bytes, an open quote as 10; each state once. @throws Error when no end is found */
function wayToEnd(automaton: Automaton, path: Place): readonly number[] {
  const start: Place = { ...path, length: 0, before: null };
  const queues: Place[][] = [];
  const put = (place: Place) => {
    const cost = 30 * place.open + 10 * Number(place.isInString) + place.length;
    queues[cost] ??= [];
    (queues[cost] as Place[]).push(place);
    return cost;
  };
  const formOf = (state: number) => withoutWritten(automaton.expressions, automaton.expressionOf(state));
  const seen = new Set([formOf(start.state)]);
  for (let cost = put(start); cost < queues.length; ) {
    const place = queues[cost]?.pop();
    if (place === undefined) {
      cost++;
      continue;
    }
    automaton.expressions.begin();
    if (automaton.isAccepting(place.state)) {
      const bytes: number[] = [];
      for (let at: Place = place; at.before !== null; at = at.before) bytes.push(at.byte);
      return bytes.reverse();
    }
    for (let byte = 0; byte < 256; byte++) {
      const state = automaton.step(place.state, byte);
      if (state === DEAD || seen.has(formOf(state))) continue;
      seen.add(formOf(state));
      cost = Math.min(cost, put(after(place, byte, state)));
    }
  }
  throw new Error(`No end can be reached from state ${start.state}.`);
}
