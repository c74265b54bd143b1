/**
 * A plain run: how many characters of a class a state surely survives, whichever characters these are. Then every token of at
 * most so many of them is allowed, without a walk. For example a state inside `{"type": "string", "maxLength": 9}` that has read
 * two characters survives any seven. The number is never too large. A state of which nothing can be shown has no run.
 */
import { type Automaton, DEAD } from "../automaton/automaton.ts";
import {
  type CharacterClass,
  characterClass,
  hasCharacter,
  intersectCharacterClasses,
  wideCharacters,
} from "../automaton/characters.ts";
import type { Expression } from "../automaton/expression-node.ts";
import { mostBytes } from "../automaton/most-bytes.ts";
import type { PlainRun } from "../vocabulary/slices.ts";

/** A run that the form of an expression suggests. It is certain if `shown` is true; otherwise it must be checked. */
interface Guess extends PlainRun {
  readonly shown: boolean;
}

/** The most states that are examined to confirm a run. */
const MOST_STATES = 80;

/** A class with less weight has few tokens, which a walk finds quickly. */
const LEAST_WEIGHT = 12;

/** Runs of at least this length count as endless, since no token is longer. */
const LONG = 64;

export class PlainRuns {
  readonly #automaton: Automaton;
  #epoch = 0;
  readonly #guesses = new Map<Expression, Guess | null>();
  readonly #bodies = new Map<Expression, CharacterClass | null>();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /** The run of a state; null if there is no useful one. */
  of(state: number): PlainRun | null {
    this.#refresh();
    const guess = this.#guess(this.#automaton.expressionOf(state));
    if (guess === null || guess.characters.weight < LEAST_WEIGHT) return null;
    return guess.shown
      ? guess
      : { characters: guess.characters, length: this.#survived(state, guess.characters) };
  }

  #refresh(): void {
    if (this.#epoch === this.#automaton.epoch) return;
    this.#epoch = this.#automaton.epoch;
    this.#guesses.clear();
    this.#bodies.clear();
  }

  #guess(expression: Expression): Guess | null {
    if (expression.kind === "sequence" && expression.head.kind === "bytes") return null;
    const known = this.#guesses.get(expression);
    if (known !== undefined) return known;
    // An expression that contains itself adds nothing to the guess.
    this.#guesses.set(expression, null);
    const answer = this.#automaton.derivatives.nested(() => this.#makeGuess(expression));
    this.#guesses.set(expression, answer);
    return answer;
  }

  #makeGuess(expression: Expression): Guess | null {
    switch (expression.kind) {
      case "repeat": {
        const characters = this.#charactersOf(expression.body);
        return characters && { characters, length: expression.max, shown: true };
      }
      case "sequence":
        return this.#automaton.derivatives.isEmpty(expression.tail) ? null : this.#guess(expression.head);
      case "union":
        return this.#best(expression.members.map((member) => this.#guess(member)));
      case "budget":
        return this.#guess(expression.body);
      case "rule":
        return this.#guess(this.#automaton.derivatives.expand(expression));
      case "intersection":
        return this.#guessIntersection(expression.members);
      default:
        return null;
    }
  }

  #best(guesses: readonly (Guess | null)[]): Guess | null {
    let best: Guess | null = null;
    const worth = (guess: Guess) =>
      guess.characters.weight * (guess.shown ? Math.min(guess.length, LONG) : LONG / 2);
    for (const guess of guesses) if (guess && (!best || worth(guess) > worth(best))) best = guess;
    return best;
  }

  #guessIntersection(members: readonly Expression[]): Guess | null {
    let taken = 0;
    let guess: Guess | null = null;
    let others = 0;
    for (const member of members) {
      if (member.kind === "complement") {
        taken = Math.max(
          taken,
          mostBytes(this.#automaton.derivatives, member.body, ({ max }) => max),
        );
        continue;
      }
      const own = this.#guess(member);
      if (!own) return null;
      others++;
      guess =
        guess === null
          ? own
          : { ...own, characters: intersectCharacterClasses(guess.characters, own.characters) };
    }
    if (guess === null) return null;
    // The other member excludes a finite number of texts. As long as a longer text is possible, something is left.
    const shown = others === 1 && guess.shown && taken < Number.POSITIVE_INFINITY;
    return shown ? { ...guess, length: Math.max(0, guess.length - taken - 1) } : { ...guess, shown: false };
  }

  /** The characters that are each a whole text of `body`. */
  #charactersOf(body: Expression): CharacterClass | null {
    const known = this.#bodies.get(body);
    if (known !== undefined) return known;
    const answer = this.#makeCharacters(body);
    this.#bodies.set(body, answer);
    return answer;
  }

  #makeCharacters(body: Expression): CharacterClass | null {
    const automaton = this.#automaton;
    const ascii = new Uint32Array(4);
    if (body.kind === "bytes") {
      ascii.set(body.set.subarray(0, 4));
      return characterClass(ascii, false);
    }
    const state = automaton.stateOf(body);
    if (state === DEAD) return null;
    for (let byte = 0; byte < 128; byte++) {
      if (automaton.isAccepting(automaton.step(state, byte)))
        (ascii[byte >> 5] as number) |= 1 << (byte & 31);
    }
    const ends = new Set<number>();
    const wide = this.#addWide(state, ends) && [...ends].every((end) => automaton.isAccepting(end));
    return characterClass(ascii, wide);
  }

  /**
   * The number of characters of the class that the state certainly allows, found by stepping through all of them, level by
   * level.
   */
  #survived(start: number, characters: CharacterClass): number {
    const seen = new Set<number>([start]);
    let level: readonly number[] = [start];
    for (let length = 0; ; length++) {
      if (seen.size > MOST_STATES) return length;
      const ends = new Set<number>();
      for (const state of level) if (!this.#addCharacters(state, characters, ends)) return length;
      level = [...ends].filter((state) => !seen.has(state));
      if (level.length === 0) return Number.POSITIVE_INFINITY;
      for (const state of level) seen.add(state);
    }
  }

  /** Adds the states after each character of the class; false when one of them is not allowed. */
  #addCharacters(state: number, { ascii, wide }: CharacterClass, ends: Set<number>): boolean {
    const automaton = this.#automaton;
    const row = automaton.findRow(state);
    let last = DEAD;
    for (let byte = 0; byte < 128; byte++) {
      if (!hasCharacter(ascii, byte)) continue;
      const next = automaton.table[row + byte] as number;
      if (next === DEAD) return false;
      if (next !== last) ends.add(next);
      last = next;
    }
    return !wide || this.#addWide(state, ends);
  }

  #addWide(start: number, ends: Set<number>): boolean {
    for (const ranges of wideCharacters) {
      let states = new Set<number>([start]);
      for (const [first, last] of ranges) {
        const nexts = new Set<number>();
        for (const state of states) {
          const row = this.#automaton.findRow(state);
          for (let byte = first; byte <= last; byte++) nexts.add(this.#automaton.table[row + byte] as number);
        }
        if (nexts.has(DEAD)) return false;
        states = nexts;
      }
      for (const state of states) ends.add(state);
    }
    return true;
  }
}
