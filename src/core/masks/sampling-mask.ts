/**
 * The tokens to sample from: those of a mask that belong to a canonical spelling (canonical.ts). A token stays if the tokenizer
 * writes it after the token before it, and if allowed tokens follow that the tokenizer writes after it. A mask of many
 * tokens stays as it is: there the model finds the spelling that it would write without a constraint.
 */
import { isCanonicalPair } from "./canonical.ts";
import { ConstraintLimitError } from "./strategy-error.ts";
import { firstTokens, setByteIdenticalTokens, setToken } from "./token-bits.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** What is needed of a state. */
export interface MaskedState {
  readonly canEnd: boolean;
  mask(): Uint32Array;
  advance(token: number): MaskedState | null;
}

/** Tokens after the next one. "num" and "b" are a canonical pair, and yet "number" is never spelled with them. */
const LOOKED_AHEAD = 3;

/** Masks of more tokens stay as they are. */
const MOST_TOKENS = 256;

/** Whether the mask may lose tokens: there are several, and not too many. */
export function isNarrow(mask: Uint32Array): boolean {
  return (fewTokens(mask)?.length ?? 0) > 1;
}

/** Of a state whose mask is narrow. @param before the token before the state; null at the beginning. */
export function makeSamplingMask(
  vocabulary: Vocabulary,
  state: MaskedState,
  before: number | null,
): Uint32Array {
  const mask = state.mask();
  const tokens = fewTokens(mask) ?? [];
  const open = tokens.filter((token) => goesOn(vocabulary, state, token, LOOKED_AHEAD));
  const follow = before === null ? open : open.filter((token) => isCanonicalPair(vocabulary, before, token));
  // Where a text has no canonical spelling, any spelling has to do.
  const kept = follow.length > 0 ? follow : open;
  if (kept.length === 0 || kept.length === tokens.length) return mask;
  const narrowed = new Uint32Array(mask.length);
  for (const token of kept) setToken(narrowed, token);
  setByteIdenticalTokens(vocabulary.byteIdenticalTokens, narrowed);
  return narrowed;
}

/** Whether the text may end after the token, or `depth` tokens follow that the tokenizer writes one after the other. */
function goesOn(vocabulary: Vocabulary, state: MaskedState, token: number, depth: number): boolean {
  try {
    const next = state.advance(token);
    if (next === null || next.canEnd) return true;
    const tokens = fewTokens(next.mask());
    if (tokens === null) return true;
    const goesOnWith = (each: number) => depth === 1 || goesOn(vocabulary, next, each, depth - 1);
    return tokens.some((each) => isCanonicalPair(vocabulary, token, each) && goesOnWith(each));
  } catch (error) {
    // The answer may never come there.
    if (error instanceof ConstraintLimitError) return true;
    throw error;
  }
}

/** The tokens of a mask; null for more than a few. */
function fewTokens(mask: Uint32Array): readonly number[] | null {
  const tokens = firstTokens(mask, MOST_TOKENS + 1);
  return tokens.length > MOST_TOKENS ? null : tokens;
}
