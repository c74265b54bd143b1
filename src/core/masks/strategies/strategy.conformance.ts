/**
 * The rules that every strategy must keep, over every vocabulary. A check throws on failure. Texts and token splits are drawn from a
 * seed, so that a failure can be repeated.
 */
import { deepStrictEqual, fail, ok, strictEqual } from "node:assert";
import type { Expression } from "../automaton/expression.ts";
import type { ConstraintState } from "../masks/constraint.ts";
import {
  decodeWholeCharacters,
  mutateText,
  quoteText,
  SeededChooser,
  tokensOfMask,
} from "../testing/draws.ts";
import { type StrategyCase, StrategyUnderTest } from "../testing/subject.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";

export type { StrategyCase } from "../testing/subject.ts";

export interface StrategyCheck {
  readonly name: string;
  run(seed: number): void;
}

const encoder = new TextEncoder();

/** The checks of one strategy over one vocabulary. @param openTokenizer called by the first check that runs. */
export function strategyConformance(
  row: StrategyCase,
  openTokenizer: () => TokenBytes,
): readonly StrategyCheck[] {
  let made: Suite | null = null;
  const suite = () => {
    made ??= new Suite(row, openTokenizer());
    return made;
  };
  return [
    {
      name: "allowed texts in any split, others in none",
      run: (seed) => suite().texts(new SeededChooser(seed)),
    },
    { name: "mutations of allowed texts", run: (seed) => suite().mutations(new SeededChooser(seed)) },
    {
      name: "random walks: masks, dead ends, completion",
      run: (seed) => suite().walk(new SeededChooser(seed)),
    },
    { name: "states are values", run: (seed) => suite().values(new SeededChooser(seed)) },
    { name: "forced continuations", run: (seed) => suite().forced(new SeededChooser(seed)) },
    { name: "answers", run: () => suite().answers() },
  ];
}

class Suite extends StrategyUnderTest {
  texts(draws: SeededChooser): void {
    for (const text of this.row.allowed) {
      ok(this.row.oracle(text), `${quoteText(text)} is a row's allowed text, and its oracle rejects it`);
      this.#accepts(this.tokenizer.encode(text), text);
      if (this.row.countsTokens) continue;
      this.#accepts(this.splitter.bytes(encoder.encode(text)), text);
      this.#accepts(this.split(text, draws), text);
    }
    for (const text of this.row.rejected) {
      ok(!this.row.oracle(text), `${quoteText(text)} is a row's rejected text, and its oracle allows it`);
      this.#rejects(this.tokenizer.encode(text), text);
      this.#rejects(this.split(text, draws), text);
    }
  }

  /** Texts like the allowed ones: the oracle says what is to become of each, the reference how far it is right. */
  mutations(draws: SeededChooser): void {
    const alphabet = [...new Set([...this.row.allowed, ...this.row.rejected].join("")), "x", "é", "🙂", '"'];
    for (let count = 0; count < 12; count++) {
      const text = mutateText(draws.of(this.row.allowed), alphabet, draws);
      const tokens = this.split(text, draws);
      if (!this.row.oracle(text)) this.#rejects(tokens, text);
      else if (!this.row.countsTokens) this.#accepts(tokens, text);
    }
  }

  /** Every token is allowed, and exactly the prefixes that are whole texts may end. */
  #accepts(tokens: readonly number[], text: string): void {
    let state = this.start;
    const bytes: number[] = [];
    for (const token of tokens) {
      const before = decodeWholeCharacters(bytes);
      const expected = before !== null && this.row.oracle(before);
      if (!this.row.countsTokens) strictEqual(state.canEnd, expected, `may ${quoteText(before)} end?`);
      state = this.advance(state, token, bytes) ?? fail(this.stopped(text, tokens, bytes, token));
      bytes.push(...this.tokenizer.tokenBytes(token));
    }
    ok(state.canEnd, `${quoteText(text)} as ${this.spelled(tokens)} should be a whole text`);
    this.assertEndsLikeReference(state, this.reference.after(this.reference.whole, Uint8Array.from(bytes)));
  }

  /** The text is refused at the first token with which nothing allowed can begin, and if there is none, it may not end. */
  #rejects(tokens: readonly number[], text: string): void {
    let state = this.start;
    let rest: Expression | null = this.reference.whole;
    const bytes: number[] = [];
    for (const token of tokens) {
      const text = this.tokenizer.tokenBytes(token);
      const next = this.advance(state, token, bytes);
      rest = rest && this.reference.after(rest, text);
      bytes.push(...text);
      if (next === null && this.row.countsTokens) return;
      strictEqual(
        next !== null,
        rest !== null,
        `${this.spelled(tokens)} is stopped at the wrong place: ${bytes.length}`,
      );
      if (next === null) return;
      state = next;
    }
    ok(!state.canEnd, `${quoteText(text)} as ${this.spelled(tokens)} should not be a whole text`);
  }

  walk(draws: SeededChooser): void {
    let state = this.start;
    let rest: Expression | null = this.reference.whole;
    const bytes: number[] = [];
    for (let step = 0; step < 10; step++) {
      this.#maskIsExact(state, rest, draws);
      if (!this.row.countsTokens) this.assertEndsLikeReference(state, rest);
      const token = this.randomToken(state, draws);
      if (token === null) break;
      state = state.advance(token) ?? fail(`token ${token} is in the mask, and advance refuses it`);
      const text = this.tokenizer.tokenBytes(token);
      bytes.push(...text);
      rest = rest && this.reference.after(rest, text);
      ok(
        rest !== null,
        `${quoteText(decodeWholeCharacters(bytes) ?? bytes.join())} was allowed, and can not be finished`,
      );
    }
    this.#finish(state, rest, bytes);
  }

  /** From any state there is a way to the end, and what came out is an allowed text. */
  #finish(start: ConstraintState, from: Expression, before: readonly number[]): void {
    let state = start;
    let rest: Expression | null = from;
    const bytes = [...before];
    for (let step = 0; !state.canEnd; step++) {
      ok(step < 2000, `no end is in sight after ${quoteText(decodeWholeCharacters(bytes) ?? bytes.join())}`);
      const way: Uint8Array = (rest && this.reference.shortest(rest)) ?? new Uint8Array();
      // A token count may leave another of the shortest ways.
      const candidates = this.splitter
        .prefixes(way, 0)
        .concat(this.row.countsTokens ? tokensOfMask(state.mask()) : []);
      const token =
        candidates.find((candidate) => state.allows(candidate)) ??
        fail(`a dead end: ${quoteText(decodeWholeCharacters(bytes))}`);
      state = state.advance(token) ?? fail("allows and advance disagree");
      const text = this.tokenizer.tokenBytes(token);
      bytes.push(...text);
      rest = rest && this.reference.after(rest, text);
    }
    const text = decodeWholeCharacters(bytes);
    ok(
      text !== null && this.row.oracle(text),
      `${quoteText(text ?? bytes.join())} was allowed, and should not be`,
    );
  }

  /** All tokens of a small vocabulary; of a large one some that are in the mask, and some of all. */
  #maskIsExact(state: ConstraintState, rest: Expression | null, draws: SeededChooser): void {
    const mask = state.mask();
    const { vocabSize, eosTokenIds } = this.tokenizer;
    strictEqual(mask.length, Math.ceil(vocabSize / 32));
    for (const token of eosTokenIds)
      ok(!hasToken(mask, token), `end-of-sequence token ${token} is in a mask`);
    const inside = tokensOfMask(mask);
    // Words are put together only for what is wrong: a large vocabulary has 150,000 tokens.
    const { tokenizer } = this;
    for (const token of inside) {
      if (token >= vocabSize || tokenizer.tokenBytes(token).length === 0)
        fail(`token ${token} without text is in a mask`);
    }
    const sample =
      vocabSize <= 1000
        ? Array.from({ length: vocabSize }, (_, token) => token)
        : Array.from({ length: 40 }, () =>
            draws.below(2) && inside.length > 0 ? draws.of(inside) : draws.below(vocabSize),
          );
    for (const token of sample) {
      strictEqual(hasToken(mask, token), state.allows(token), `mask and allows, token ${token}`);
      strictEqual(state.advance(token) !== null, state.allows(token), `advance and allows, token ${token}`);
      if (rest === null || this.row.countsTokens) continue;
      const text = this.tokenizer.tokenBytes(token);
      const possible =
        text.length > 0 && !eosTokenIds.includes(token) && this.reference.after(rest, text) !== null;
      strictEqual(
        hasToken(mask, token),
        possible,
        `mask and reference, token ${token}, ${quoteText(decodeWholeCharacters([...text]) ?? text.join())}`,
      );
    }
    ok(inside.length > 0 || state.canEnd, "nothing may follow, and it may not end");
  }

  values(draws: SeededChooser): void {
    const path = [{ state: this.start, token: -1, mask: this.start.mask().slice() }];
    for (let step = 0; step < 6; step++) {
      const last = path.at(-1) ?? fail();
      const token = this.randomToken(last.state, draws);
      if (token === null) break;
      const state = last.state.advance(token) ?? fail();
      path.push({ state, token, mask: state.mask().slice() });
    }
    // Branches from old states, after newer ones were made: nothing of the path changes.
    for (const { state } of path) {
      const token = this.randomToken(state, draws);
      if (token !== null) state.advance(token)?.mask();
    }
    for (const [index, { state, mask, token }] of path.entries()) {
      deepStrictEqual(state.mask(), mask);
      const before = path[index - 1];
      if (before === undefined) continue;
      const again = before.state.advance(token) ?? fail("a token that was allowed is not any more");
      deepStrictEqual(again.mask(), mask);
      strictEqual(again.canEnd, state.canEnd);
      strictEqual(again.isComplete, state.isComplete);
    }
  }

  /** Along a text in random tokens: what is forced is the only way, and is spelled as the tokenizer spells it. */
  forced(draws: SeededChooser): void {
    const text = draws.of(this.row.allowed);
    const tokens = this.row.countsTokens ? this.tokenizer.encode(text) : this.split(text, draws);
    let state = this.start;
    let rest: Expression = this.reference.whole;
    for (const token of tokens) {
      this.#forcedIsOnly(state, rest);
      state = state.advance(token) ?? fail();
      rest = this.reference.after(rest, this.tokenizer.tokenBytes(token)) ?? fail();
    }
    strictEqual(state.isComplete ? state.forcedTokens().length : 0, 0);
  }

  #forcedIsOnly(start: ConstraintState, from: Expression): void {
    const forced = start.forcedTokens();
    const only = this.#onlyBytes(from);
    const bytes = forced.flatMap((token) => [...this.tokenizer.tokenBytes(token)]);
    if (!this.row.countsTokens) {
      deepStrictEqual(bytes, only.slice(0, bytes.length), "what is forced is not the only way on");
    }
    let state = start;
    for (const token of forced)
      state = state.advance(token) ?? fail(`the forced token ${token} is not allowed`);
    const whole = decodeWholeCharacters(only);
    if (whole === null || this.row.countsTokens) return;
    const own = this.tokenizer.encode(whole);
    if (decodeWholeCharacters(bytes) !== null) {
      deepStrictEqual([...forced], own.slice(0, forced.length), `${quoteText(whole)} is spelled otherwise`);
    }
    // Where the whole text is decided, all of it is forced.
    if (this.#isDecided(from, only))
      strictEqual(bytes.length, only.length, `not all of ${quoteText(whole)} is forced`);
  }

  /** The bytes that must come next, up to a choice or a place where the text may end. */
  #onlyBytes(from: Expression): number[] {
    const bytes: number[] = [];
    let rest = from;
    while (!this.reference.canEnd(rest) && bytes.length < 500) {
      const next = this.reference.nextBytes(rest);
      const [byte] = next;
      if (byte === undefined || next.length > 1) break;
      bytes.push(byte);
      rest = this.reference.after(rest, Uint8Array.of(byte)) ?? fail();
    }
    return bytes;
  }

  #isDecided(from: Expression, only: readonly number[]): boolean {
    const end = this.reference.after(from, Uint8Array.from(only)) ?? fail();
    return this.reference.canEnd(end) && this.reference.nextBytes(end).length === 0;
  }

  answers(): void {
    for (const text of this.row.allowed) {
      const answer = this.row.answers?.[text] ?? text;
      strictEqual(this.row.strategy.answerOf(text), answer, `the answer in ${quoteText(text)}`);
    }
  }
}
