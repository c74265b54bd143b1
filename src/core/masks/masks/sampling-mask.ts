/**
 * The tokens to sample from. A mask has every token that the text may go on with. It also has tokens after which a model is led
 * astray: where a string has to come after `"amount":`, both ` ` and ` "` are allowed. A model that wants to write a number takes
 * ` `, and then has to take a token that begins with a quote, which it has never seen there. So a token is left out if a longer
 * allowed token begins with it and the tokenizer would not write the shorter token in any text that may follow:
 * - `num` before `ber` is left out: the tokenizer writes `number` as one token;
 * - `c` before `elsius` stays: the tokenizer writes `celsius` as `c` and `elsius`, though `ce` is a token.
 *
 * One exception: a token is left out, too, if only one byte may follow it, that byte belongs to a longer token, and then free text
 * follows. For example ` [` before a list of strings, because ` ["` is a token. The tokenizer writes ` [` there only if the string is
 * empty or begins with punctuation, as in ` [""]`; such a text can still be written, as ` ["` and `"]`.
 *
 * Every text of the language stays within reach: longer tokens are never left out for shorter ones. A vocabulary without a
 * tokenizer cannot say what the tokenizer would write, so its masks stay as they are.
 */

import { ConstraintLimitError } from "../strategy-error.ts";
import { isCanonicalPair, isCanonicalToken } from "../vocabulary/canonical.ts";
import { firstTokens, setByteIdenticalTokens, setToken } from "../vocabulary/token-bits.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

/** The parts of a constraint state that a sampling mask reads. */
export interface MaskedState {
  readonly canEnd: boolean;
  /** The only byte that may follow; below 0 if several bytes or none may follow. */
  readonly onlyByte: number;
  /** How many different bytes may follow; a few more where texts have to differ. */
  readonly knownBytes: number;
  mask(): Uint32Array;
  advance(token: number): MaskedState | null;
}

/** The number of tokens to look ahead. "num" and "b" are a canonical pair, but no text with "number" contains them. */
const LOOKED_AHEAD = 3;

/**
 * Masks with more tokens are not changed: there the model can choose the spelling that it would write without a constraint.
 */
const MOST_TOKENS = 1024;

/**
 * If more tokens than this may follow, the search does not ask which of them the tokenizer would write, because usually
 * there is one.
 */
const MOST_FOLLOWING = 128;

/**
 * If more different bytes than this may follow, usually more tokens than MOST_FOLLOWING may follow, too, so the mask is not
 * computed.
 */
const FREE_BYTES = 32;

/** If at least so many different bytes may follow, text is free: all of ASCII and more, as inside a JSON string. */
const FREE_TEXT_BYTES = 100;

/** The most pairs of tokens and states that the search for one mask examines. Tokens that are undecided then stay. */
const MOST_PAIRS = 4096;
const MOST_STATES = 128;

/** The state's mask without the tokens that lead a model astray; the mask itself, which is shared, if no token is left out. */
export function makeSamplingMask(vocabulary: Vocabulary, state: MaskedState): Uint32Array {
  const mask = state.mask();
  const tokens = tokensByBytes(vocabulary, mask);
  const keys = [...tokens.keys()].sort();
  const search = new Search(vocabulary, state, tokens);
  // In sorted order, a text is directly before a text that begins with it.
  const left = keys.filter((key, index) => {
    const isBeginning = keys[index + 1]?.startsWith(key) === true;
    return isBeginning && search.leadsAstray(key);
  });
  if (left.length === 0) return mask;
  const narrowed = new Uint32Array(mask.length);
  for (const key of left) tokens.delete(key);
  for (const token of tokens.values()) setToken(narrowed, token);
  setByteIdenticalTokens(vocabulary.byteIdenticalTokens, narrowed);
  return narrowed;
}

/** The tokens of a mask by their bytes as characters; none for a mask of many tokens. */
function tokensByBytes(vocabulary: Vocabulary, mask: Uint32Array): Map<string, number> {
  const found = new Map<string, number>();
  // The first of several tokens with equal bytes represents all of them, so the loop goes from the last to the first.
  for (const token of fewTokens(mask, MOST_TOKENS)?.slice().reverse() ?? [])
    found.set(String.fromCharCode(...vocabulary.bytesOf(token)), token);
  return found;
}

/** The search for one mask. */
class Search {
  readonly #vocabulary: Vocabulary;
  readonly #state: MaskedState;
  readonly #tokens: ReadonlyMap<string, number>;
  /** The tokens of the examined states if they are few; null if they are many. */
  readonly #following = new Map<MaskedState, readonly number[] | null>();
  #pairs = 0;

  /** @param tokens the tokens of the mask, by their bytes */
  constructor(vocabulary: Vocabulary, state: MaskedState, tokens: ReadonlyMap<string, number>) {
    this.#vocabulary = vocabulary;
    this.#state = state;
    this.#tokens = tokens;
  }

  leadsAstray(key: string): boolean {
    const token = this.#tokens.get(key) as number;
    try {
      const next = this.#state.advance(token);
      if (next === null || next.canEnd) return false;
      if (this.#isBeforeFreeText(key, next)) return true;
      return this.#tokens.size <= MOST_FOLLOWING && !this.#goesOn(next, token, LOOKED_AHEAD);
    } catch (error) {
      // Looking ahead took too much work, at a place that the answer may never reach, so the token stays.
      if (error instanceof ConstraintLimitError) return false;
      throw error;
    }
  }

  /** Whether a longer token has the only byte that may follow, and free text follows the longer token. */
  #isBeforeFreeText(key: string, next: MaskedState): boolean {
    const { onlyByte } = next;
    const longer = onlyByte < 0 ? undefined : this.#tokens.get(key + String.fromCharCode(onlyByte));
    if (longer === undefined || !isCanonicalToken(this.#vocabulary, longer)) return false;
    const after = this.#state.advance(longer);
    if (after === null) return false;
    return after.knownBytes >= FREE_TEXT_BYTES || this.#fewFollowing(after) === null;
  }

  /** Whether the text may end in the state, or `depth` tokens follow that the tokenizer writes one after the other. */
  #goesOn(state: MaskedState, before: number, depth: number): boolean {
    if (depth === 0 || state.canEnd || state.knownBytes > FREE_BYTES) return true;
    const tokens = this.#fewFollowing(state);
    if (tokens === null) return true;
    this.#pairs += tokens.length;
    if (this.#pairs > MOST_PAIRS) return true;
    return tokens.some((token) => {
      if (!isCanonicalPair(this.#vocabulary, before, token)) return false;
      const next = state.advance(token);
      return next === null || this.#goesOn(next, token, depth - 1);
    });
  }

  /** The tokens that may follow a state; null if they are more than MOST_FOLLOWING, or if the search has examined many states. */
  #fewFollowing(state: MaskedState): readonly number[] | null {
    let tokens = this.#following.get(state);
    if (tokens === undefined) {
      tokens = this.#following.size < MOST_STATES ? fewTokens(state.mask(), MOST_FOLLOWING) : null;
      this.#following.set(state, tokens);
    }
    return tokens;
  }
}

/** The tokens of a mask; null for more than `most`. */
function fewTokens(mask: Uint32Array, most: number): readonly number[] | null {
  const tokens = firstTokens(mask, most + 1);
  return tokens.length > most ? null : tokens;
}
