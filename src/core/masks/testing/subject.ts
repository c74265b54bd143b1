/** A strategy over a vocabulary, and what it should be, for the conformance suite. */
import { strictEqual } from "node:assert";
import type { Expression } from "../automaton/expression.ts";
import { type ConstraintState, constraintOf } from "../masks/constraint.ts";
import { ReferenceLanguage } from "../strategies/testing/reference.ts";
import type { Strategy } from "../strategy.ts";
import { hasToken } from "../vocabulary/token-bits.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import { decodeWholeCharacters, quoteText, type SeededChooser, tokensOfMask } from "./draws.ts";
import { TokenSplitter } from "./splitter.ts";

const encoder = new TextEncoder();

export interface StrategyCase {
  readonly name: string;
  /** Made once; shared by all checks. */
  readonly strategy: Strategy;
  /** The texts that the strategy should allow, found by other means than its own. */
  readonly oracle: (text: string) => boolean;
  readonly allowed: readonly string[];
  readonly rejected: readonly string[];
  /** Texts and their answers, where those are not the whole text. */
  readonly answers?: Readonly<Record<string, string>>;
  /** The strategy counts tokens, so some splits of an allowed text into tokens are not allowed. */
  readonly countsTokens?: true;
}

export class StrategyUnderTest {
  readonly row: StrategyCase;
  readonly tokenizer: TokenBytes;
  readonly splitter: TokenSplitter;
  readonly reference: ReferenceLanguage;

  constructor(row: StrategyCase, tokenizer: TokenBytes) {
    this.row = row;
    this.tokenizer = tokenizer;
    this.splitter = TokenSplitter.of(tokenizer);
    this.reference = new ReferenceLanguage(row.strategy.build);
  }

  get start(): ConstraintState {
    return constraintOf(this.row.strategy, this.tokenizer).start;
  }

  split(text: string, draws: SeededChooser): number[] {
    return this.splitter.random(encoder.encode(text), (count) => draws.below(count));
  }

  /** Advances the state, and asserts that `advance`, `allows` and the mask say the same about the token. */
  advance(state: ConstraintState, token: number, bytes: readonly number[]): ConstraintState | null {
    const next = state.advance(token);
    const words = `token ${token} after ${quoteText(decodeWholeCharacters(bytes) ?? bytes.join())}`;
    strictEqual(state.allows(token), next !== null, `allows and advance, ${words}`);
    strictEqual(hasToken(state.mask(), token), next !== null, `mask and advance, ${words}`);
    return next;
  }

  /** Asserts that `isComplete` and `canEnd` are those of the reference. @param rest null: nothing is asserted */
  assertEndsLikeReference(state: ConstraintState, rest: Expression | null): void {
    if (rest === null) return;
    const canEnd = this.reference.canEnd(rest);
    strictEqual(state.canEnd, canEnd);
    strictEqual(state.isComplete, canEnd && this.reference.nextBytes(rest).length === 0, "isComplete");
    if (state.isComplete) strictEqual(tokensOfMask(state.mask()).length, 0);
  }

  /** A token that may come next: half of the time one of few bytes, which long walks need. Null where there is none. */
  randomToken(state: ConstraintState, draws: SeededChooser): number | null {
    const tokens = tokensOfMask(state.mask());
    if (tokens.length === 0) return null;
    const several = Array.from({ length: draws.below(2) ? 1 : 8 }, () => draws.of(tokens));
    const lengths = several.map((token) => this.tokenizer.tokenBytes(token).length);
    return several[lengths.indexOf(Math.min(...lengths))] ?? null;
  }

  stopped(text: string, tokens: readonly number[], bytes: readonly number[], token: number): string {
    const before = quoteText(decodeWholeCharacters(bytes) ?? bytes.join());
    return `${quoteText(text)} as ${this.spelled(tokens)} is stopped after ${before}, at token ${token}`;
  }

  spelled(tokens: readonly number[]): string {
    return tokens
      .map((token) =>
        quoteText(decodeWholeCharacters([...this.tokenizer.tokenBytes(token)]) ?? `bytes of ${token}`),
      )
      .join(" ");
  }
}
