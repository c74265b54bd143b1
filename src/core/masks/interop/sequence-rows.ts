/** Follows the rows of a batch from call to call: the constraint's state for each row, and whether a row begins a new answer. */
import type { ConstraintState } from "../masks/constraint.ts";

/** The token ids of a row, prompt and answer, as generate() passes them. */
export type TokenRow = readonly (bigint | number)[];

/** A row at the last call of the processor. Rows are values: a later call makes new ones. */
export interface SequenceRow {
  /** The row's number in the batch, which chooses its strategy. */
  readonly index: number;
  readonly tokens: TokenRow;
  /** How many tokens belong to the prompt. */
  readonly promptLength: number;
  readonly state: ConstraintState;
  /** The answer has ended by a token that ends the sequence. */
  readonly hasEnded: boolean;
}

export interface RowRules {
  /**
   * The place at which the answers of all rows begin; null if the answer of a row begins where the row does not continue an
   * earlier row.
   */
  readonly promptLength: number | null;
  readonly eosTokenIds: readonly number[];
  /** The state in which row number `index` of a batch of `count` begins. */
  start(index: number, count: number): ConstraintState;
  /** The error for a token that the state does not allow. */
  notAllowed(row: SequenceRow, token: number): Error;
}

/**
 * The rows of this call. Each row continues the earlier row whose tokens it begins with, so rows may be dropped, doubled or
 * reordered, as a beam search does; only its further tokens are read. Without a fixed prompt length, a batch continues only if
 * every row is an earlier row with one more token; otherwise it is a new batch of prompts.
 * @throws the error of `rules.notAllowed`, and those of `rules.start`
 */
export function followRows(
  rules: RowRules,
  earlier: readonly SequenceRow[],
  inputIds: readonly TokenRow[],
): SequenceRow[] {
  const origins = inputIds.map((tokens, index) => originOf(earlier, tokens, index));
  const { promptLength } = rules;
  const isContinued =
    promptLength !== null ||
    inputIds.every((tokens, index) => origins[index]?.tokens.length === tokens.length - 1);
  return inputIds.map((tokens, index) => {
    const origin = isContinued ? origins[index] : undefined;
    const start: SequenceRow = origin ?? {
      index,
      tokens: [],
      promptLength: promptLength ?? tokens.length,
      state: rules.start(index, inputIds.length),
      hasEnded: false,
    };
    return readFurther(rules, start, tokens);
  });
}

/** The longest earlier row with which a row begins; among equally long ones, the row in the same place. */
function originOf(earlier: readonly SequenceRow[], tokens: TokenRow, index: number): SequenceRow | undefined {
  let best: SequenceRow | undefined;
  const own = earlier[index];
  for (const row of own === undefined ? earlier : [own, ...earlier]) {
    if (row.tokens.length > (best?.tokens.length ?? 0) && beginsWith(tokens, row.tokens)) best = row;
  }
  return best;
}

function beginsWith(tokens: TokenRow, beginning: TokenRow): boolean {
  if (beginning.length > tokens.length) return false;
  // Compares from the end, because rows with the same prompt differ there.
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
