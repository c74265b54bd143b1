/**
 * The tokens to sample from. A mask has every token that the text may go on with. It also has tokens after which a model is led
 * astray: where a string has to come after `"amount":`, both ` ` and ` "` are allowed. A model that wants to write a number takes
 * ` `, and then has to take a token that begins with a quote, which it has never seen there. So a token is left out if a longer
 * allowed token begins with it, and if
 * - only one byte may follow it, the tokenizer writes a token that has that byte too (` ` and ` "`), and either free text follows,
 *   or no allowed token follows it that the tokenizer would write after it (it writes `celsius` as `c` and `elsius`, so that `c`
 *   stays, though `ce` is a token), or
 * - no allowed tokens follow it that the tokenizer would write after it (`num` before `ber`: canonical.ts).
 * Every text of the language stays within reach: longer tokens are never left out for shorter ones. A vocabulary without a
 * tokenizer says neither, so its masks stay as they are.
 */

import { ConstraintLimitError } from "../strategy-error.ts";
import { isCanonicalPair, isCanonicalToken } from "../vocabulary/canonical.ts";
import { firstTokens, setByteIdenticalTokens, setToken } from "../vocabulary/token-bits.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** The parts of a constraint state that a sampling mask reads. */
export interface MaskedState {
  readonly canEnd: boolean;
  /** The one byte that may follow; below 0 where there is a choice, or nothing may follow. */
  readonly onlyByte: number;
  mask(): Uint32Array;
  advance(token: number): MaskedState | null;
}

/** Tokens that are looked at after a token. "num" and "b" are a canonical pair, and yet no "number" is spelled with them. */
const LOOKED_AHEAD = 3;

/** Masks of more tokens stay as they are: there the model finds the spelling that it would write without a constraint. */
const MOST_TOKENS = 1024;

/** Among more tokens than this, it is not asked which the tokenizer would write: one of them is, as a rule. */
const MOST_FOLLOWING = 128;

export function makeSamplingMask(vocabulary: Vocabulary, state: MaskedState): Uint32Array {
  const mask = state.mask();
  const tokens = new Map<string, number>();
  // The first of several tokens with the same bytes stands for all, so the loop goes from the last to the first.
  for (const token of fewTokens(mask, MOST_TOKENS)?.slice().reverse() ?? [])
    tokens.set(keyOf(vocabulary, token), token);
  const keys = [...tokens.keys()].sort();
  // A text that begins another one stands right before a text that it begins.
  const left = keys.filter((key, index) => {
    const isBeginning = keys[index + 1]?.startsWith(key) === true;
    return isBeginning && leadsAstray(vocabulary, state, tokens, key);
  });
  if (left.length === 0) return mask;
  const narrowed = new Uint32Array(mask.length);
  for (const key of left) tokens.delete(key);
  for (const token of tokens.values()) setToken(narrowed, token);
  setByteIdenticalTokens(vocabulary.byteIdenticalTokens, narrowed);
  return narrowed;
}

/** @param tokens the tokens of the mask, by their bytes */
function leadsAstray(
  vocabulary: Vocabulary,
  state: MaskedState,
  tokens: ReadonlyMap<string, number>,
  key: string,
): boolean {
  const token = tokens.get(key) as number;
  try {
    const next = state.advance(token);
    if (next === null || next.canEnd) return false;
    const { onlyByte } = next;
    const longer = onlyByte < 0 ? undefined : tokens.get(key + String.fromCharCode(onlyByte));
    if (longer !== undefined && isCanonicalToken(vocabulary, longer)) {
      // Before free text: the few texts that the tokenizer would spell with the shorter token are rare (`",` after ` [`).
      const after = state.advance(longer);
      if (after !== null && fewTokens(after.mask(), MOST_FOLLOWING) === null) return true;
      const following = firstTokens(next.mask(), MOST_FOLLOWING);
      return !following.some((other) => isCanonicalPair(vocabulary, token, other));
    }
    return tokens.size <= MOST_FOLLOWING && !goesOn(vocabulary, next, token, LOOKED_AHEAD);
  } catch (error) {
    // The answer may never come there.
    if (error instanceof ConstraintLimitError) return false;
    throw error;
  }
}

/** Whether the text may end in the state, or `depth` tokens follow that the tokenizer writes one after the other. */
function goesOn(vocabulary: Vocabulary, state: MaskedState, before: number, depth: number): boolean {
  if (depth === 0 || state.canEnd) return true;
  const tokens = fewTokens(state.mask(), MOST_FOLLOWING);
  if (tokens === null) return true;
  return tokens.some((token) => {
    if (!isCanonicalPair(vocabulary, before, token)) return false;
    const next = state.advance(token);
    return next === null || goesOn(vocabulary, next, token, depth - 1);
  });
}

/** The token's bytes as characters. */
function keyOf(vocabulary: Vocabulary, token: number): string {
  return String.fromCharCode(...vocabulary.bytesOf(token));
}

/** The tokens of a mask; null for more than `most`. */
function fewTokens(mask: Uint32Array, most: number): readonly number[] | null {
  const tokens = firstTokens(mask, most + 1);
  return tokens.length > most ? null : tokens;
}
