/** The state of an answer in its constraints. A state never changes, so going back in the answer restores an older state. */
import type { ConstraintState } from "../masks/masks/constraint.ts";
import { hasToken } from "../masks/vocabulary/token-bits.ts";
import type { TokenId } from "../sdk/request.ts";
import type { AnswerConstraints } from "./answer-constraints.ts";
import type { VocabularyWithSpecialTokens } from "./vocabulary-with-special-tokens.ts";

/** The allowed next tokens. Several states share the object, so nobody may change it. */
export interface AllowedTokens {
  /**
   * A bit for each token; end-of-sequence tokens are allowed if the answer may end. From `allowed()`, without the tokens that
   * `samplingMask` leaves out.
   */
  readonly mask: Uint32Array;
  /** The one token that is allowed; null if there is a choice, or nothing. */
  readonly only: TokenId | null;
  /** Tokens with a text that are not allowed. Empty unless the text is free. */
  readonly banned: readonly TokenId[];
}

export class AnswerConstraintState {
  constructor(
    readonly constraints: AnswerConstraints,
    readonly vocabulary: VocabularyWithSpecialTokens,
    readonly text: ConstraintState | null,
    readonly calls: ConstraintState | null,
  ) {}

  static start(
    constraints: AnswerConstraints,
    vocabulary: VocabularyWithSpecialTokens,
  ): AnswerConstraintState {
    return new AnswerConstraintState(
      constraints,
      vocabulary,
      constraints.text?.start ?? null,
      constraints.calls?.start ?? null,
    );
  }

  /** True if any text is allowed. A call, once begun, must still be valid. */
  get isFree(): boolean {
    return this.constraints.isFree && this.text !== null;
  }

  /** True if the answer so far is complete, so that it may end here. */
  get canEnd(): boolean {
    return this.isFree || this.text?.canEnd === true || this.calls?.canEnd === true;
  }

  /** True if nothing may follow. */
  get isComplete(): boolean {
    const states = [this.text, this.calls].filter((state) => state !== null);
    return !this.isFree && states.length > 0 && states.every((state) => state.isComplete);
  }

  /** True if the answer so far ends with calls that are all whole. */
  get endsCalls(): boolean {
    return this.calls?.canEnd === true;
  }

  /** The state after the token; null if the token is not allowed. */
  advance(token: TokenId): AnswerConstraintState | null {
    // Some models have rows of logits for which their tokenizer has no token. Such a token adds no text.
    if (this.isFree && this.vocabulary.tokenBytes(token).length === 0) return this;
    const text = this.text?.advance(token) ?? null;
    const calls = this.calls?.advance(token) ?? null;
    return text === null && calls === null
      ? null
      : new AnswerConstraintState(this.constraints, this.vocabulary, text, calls);
  }

  /** Tokens of the only possible continuation; empty if there is a choice, or if the answer may end. */
  forcedTokens(): readonly TokenId[] {
    if (this.canEnd || (this.text && this.calls)) return [];
    const forced = (this.text ?? this.calls)?.forcedTokens() ?? [];
    if (forced.length > 0) return forced;
    const { only } = this.allowed();
    return only === null ? [] : [only];
  }

  /** The allowed next tokens, without those that `samplingMask` leaves out. @throws ConstraintLimitError */
  allowed(): AllowedTokens {
    return this.#allowed((state) => state.samplingMask());
  }

  /**
   * Like `allowed()`, with every spelling: for a request whose mods ban all tokens of `allowed()`. @throws
   * ConstraintLimitError
   */
  allowedInAnySpelling(): AllowedTokens {
    return this.#allowed((state) => state.mask());
  }

  #allowed(maskOf: (state: ConstraintState) => Uint32Array): AllowedTokens {
    const masks = [this.text, this.calls].flatMap((state) => (state ? [maskOf(state)] : []));
    const first = masks[0];
    if (!first) throw new Error("The answer can be neither text nor calls.");
    return remembered(first, masks[1] ?? first, `${this.isFree},${this.canEnd}`, () => this.#compute(masks));
  }

  #compute(masks: readonly Uint32Array[]): AllowedTokens {
    const mask = new Uint32Array(masks[0]?.length ?? 0);
    for (const each of masks)
      for (let word = 0; word < mask.length; word++) (mask[word] as number) |= each[word] as number;
    if (this.canEnd) {
      for (const token of this.vocabulary.eosTokenIds) (mask[token >> 5] as number) |= 1 << (token & 31);
    }
    const banned = this.isFree ? bannedTokens(mask, this.vocabulary) : [];
    return { mask, only: onlyToken(mask), banned };
  }
}

/** Computed results by the masks of the two constraints: a constraint in the same state returns the same mask object. */
const known = new WeakMap<Uint32Array, WeakMap<Uint32Array, Map<string, AllowedTokens>>>();

function remembered(
  a: Uint32Array,
  b: Uint32Array,
  key: string,
  compute: () => AllowedTokens,
): AllowedTokens {
  const ofFirst = known.get(a) ?? new WeakMap<Uint32Array, Map<string, AllowedTokens>>();
  known.set(a, ofFirst);
  const ofBoth = ofFirst.get(b) ?? new Map<string, AllowedTokens>();
  ofFirst.set(b, ofBoth);
  const found = ofBoth.get(key) ?? compute();
  ofBoth.set(key, found);
  return found;
}

function bannedTokens(mask: Uint32Array, { vocabSize, tokenBytes }: VocabularyWithSpecialTokens): TokenId[] {
  const banned: TokenId[] = [];
  for (let token = 0; token < vocabSize; token++) {
    if (!hasToken(mask, token) && tokenBytes(token).length > 0) banned.push(token);
  }
  return banned;
}

function onlyToken(mask: Uint32Array): TokenId | null {
  let only: TokenId | null = null;
  for (const [index, word] of mask.entries()) {
    if (word === 0) continue;
    // A second token: the word has more than one bit, or an earlier word has one.
    if (only !== null || (word & (word - 1)) !== 0) return null;
    only = index * 32 + 31 - Math.clz32(word);
  }
  return only;
}
