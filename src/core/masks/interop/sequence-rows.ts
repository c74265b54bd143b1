/** The rows of a batch, followed from call to call: where the constraint of each stands, and when an answer begins anew. */
import type { ConstraintState } from "../masks/constraint.ts";

/** Token ids of a row, prompt and answer, as generate() hands them on. */
export type TokenRow = readonly (bigint | number)[];

/** A row as it was when the processor was last asked. A value: a later call makes another one. */
export interface SequenceRow {
  /** The row's number in the batch, which chooses its strategy. */
  readonly index: number;
  readonly tokens: TokenRow;
  /** How many of the tokens are the prompt's. */
  readonly promptLength: number;
  readonly state: ConstraintState;
  /** The answer has ended by a token that ends the sequence. */
  readonly hasEnded: boolean;
}

export interface RowRules {
  /** Where the answer of a row begins: a fixed place, or wherever a row stands that does not go on with a former one. */
  readonly promptLength: number | null;
  readonly eosTokenIds: readonly number[];
  /** The state in which row number `index` of a batch of `count` begins. */
  start(index: number, count: number): ConstraintState;
  /** The error for a token that the state does not allow. */
  notAllowed(row: SequenceRow, token: number): Error;
}

/**
 * The rows of this call. Each goes on from the former row whose tokens it begins with, whichever that was, so that rows may
 * be left out, doubled or reordered, as a beam search does; what it has more is read. Without a fixed length of the prompt,
 * a batch goes on only where every row is one token longer than a former one; anything else is a new batch of prompts.
 */
export function followRows(
  rules: RowRules,
  former: readonly SequenceRow[],
  given: readonly TokenRow[],
): SequenceRow[] {
  const origins = given.map((tokens, index) => originOf(former, tokens, index));
  const { promptLength } = rules;
  const goesOn =
    promptLength !== null ||
    given.every((tokens, index) => origins[index]?.tokens.length === tokens.length - 1);
  return given.map((tokens, index) => {
    const origin = goesOn ? origins[index] : undefined;
    const start: SequenceRow = origin ?? {
      index,
      tokens: [],
      promptLength: promptLength ?? tokens.length,
      state: rules.start(index, given.length),
      hasEnded: false,
    };
    return readFurther(rules, start, tokens);
  });
}

/** The longest former row that a row begins with: the one in its own place, unless another is longer. */
function originOf(former: readonly SequenceRow[], tokens: TokenRow, index: number): SequenceRow | undefined {
  let best: SequenceRow | undefined;
  const own = former[index];
  for (const row of own === undefined ? former : [own, ...former]) {
    if (row.tokens.length > (best?.tokens.length ?? 0) && beginsWith(tokens, row.tokens)) best = row;
  }
  return best;
}

function beginsWith(tokens: TokenRow, beginning: TokenRow): boolean {
  if (beginning.length > tokens.length) return false;
  // From the end, where rows of one prompt differ.
  for (let index = beginning.length - 1; index >= 0; index--)
    if (tokens[index] !== beginning[index]) return false;
  return true;
}

function readFurther(rules: RowRules, from: SequenceRow, tokens: TokenRow): SequenceRow {
  let row = from;
  for (let place = Math.max(from.tokens.length, from.promptLength); place < tokens.length; place++) {
    // Tokens after the end of an answer are padding.
    if (row.hasEnded) break;
    const token = Number(tokens[place]);
    if (rules.eosTokenIds.includes(token) && row.state.canEnd) {
      row = { ...row, hasEnded: true };
      continue;
    }
    const state = row.state.advance(token);
    if (state === null) throw rules.notAllowed({ ...row, tokens: tokens.slice(0, place) }, token);
    row = { ...row, state };
  }
  return { ...row, tokens: [...tokens] };
}
