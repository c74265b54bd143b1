/** What one row of logits says, and how a mod's edit changes it. A row is `(vocabulary)` float32 and is never changed here. */
import type { SparseLogitsEdit } from "../sdk/action.ts";
import type { TokenId } from "../sdk/request.ts";
import { exponential } from "./exponential.ts";

/** Where the probability lies in a row of logits. */
export interface Summary {
  /** ln Σ exp(logit); a token's log-probability is its logit less this. Not finite when the row has NaN or no finite value. */
  readonly logSumExp: number;
  /** Of the whole distribution, in bits. */
  readonly entropy: number;
  /** The most likely, sorted; of equals the lower id first. */
  readonly top: readonly { readonly token: TokenId; readonly logprob: number }[];
}

/** Two passes over the row: the largest logits, then Σ exp(x) and Σ x·exp(x) about the largest. */
export function summarize(logits: Float32Array, topCount = 10): Summary {
  const tokens = topTokens(logits, topCount);
  const largest = logits[tokens[0] ?? 0] ?? Number.NaN;
  let sum = 0;
  let weighted = 0;
  for (let token = 0; token < logits.length; token++) {
    const distance = (logits[token] ?? 0) - largest;
    const weight = exponential(distance);
    sum += weight;
    // -∞ has weight 0, and 0 × -∞ is not a number.
    if (weight !== 0) weighted += weight * distance;
  }
  const logSumExp = largest + Math.log(sum);
  return {
    logSumExp,
    entropy: Math.max(0, (Math.log(sum) - weighted / sum) / Math.LN2),
    top: tokens.map((token) => ({ token, logprob: (logits[token] ?? 0) - logSumExp })),
  };
}

/** Ids of the `count` largest finite logits, largest first; of equals the lower id first. */
export function topTokens(logits: Float32Array, count: number): TokenId[] {
  const tokens: TokenId[] = [];
  let smallestKept = Number.NEGATIVE_INFINITY;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] ?? 0;
    if (!(logit > smallestKept)) continue;
    let place = tokens.length;
    while (place > 0 && (logits[tokens[place - 1] ?? 0] ?? 0) < logit) place--;
    tokens.splice(place, 0, token);
    if (tokens.length > count) tokens.pop();
    if (tokens.length === count) smallestKept = logits[tokens[count - 1] ?? 0] ?? 0;
  }
  return tokens;
}

/** Id of the largest logit; of equals the lowest. */
export function largestToken(logits: Float32Array): TokenId {
  let best = 0;
  let largest = Number.NEGATIVE_INFINITY;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] ?? 0;
    if (logit > largest) {
      largest = logit;
      best = token;
    }
  }
  return best;
}

/** The row after an edit, as a new row: `mask`, `only`, `ban`, then `add`. A dense edit takes its place. */
export function editLogits(logits: Float32Array, edit: Float32Array | SparseLogitsEdit): Float32Array {
  if (edit instanceof Float32Array) return edit.slice();
  const masked = edit.mask ? keepMasked(logits, edit.mask) : null;
  const edited = edit.only ? keepOnly(masked ?? logits, edit.only) : (masked ?? logits.slice());
  for (const token of edit.ban ?? []) edited[token] = Number.NEGATIVE_INFINITY;
  for (const [token, value] of Object.entries(edit.add ?? {})) {
    edited[Number(token)] = (edited[Number(token)] ?? 0) + value;
  }
  return edited;
}

/** Why nothing can be sampled from a row; null when something can. */
export function rowProblem(logits: Float32Array): string | null {
  let finite = 0;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] ?? 0;
    if (logit - logit === 0) finite++;
    else if (logit !== Number.NEGATIVE_INFINITY) return `The logit of token ${token} is ${logit}.`;
  }
  return finite > 0 ? null : "No token is left: every logit is -Infinity.";
}

function keepOnly(logits: Float32Array, tokens: readonly TokenId[]): Float32Array {
  const kept = new Float32Array(logits.length).fill(Number.NEGATIVE_INFINITY);
  for (const token of tokens) kept[token] = logits[token] ?? 0;
  return kept;
}

/** Word by word: most words of a constraint's mask are empty. Bits beyond the row name no token. */
function keepMasked(logits: Float32Array, mask: Uint32Array): Float32Array {
  const kept = new Float32Array(logits.length).fill(Number.NEGATIVE_INFINITY);
  for (let word = 0; word < mask.length; word++) {
    let bits = mask[word] as number;
    while (bits !== 0) {
      const place = 31 - Math.clz32(bits);
      const token = word * 32 + place;
      if (token < logits.length) kept[token] = logits[token] as number;
      bits ^= 1 << place;
    }
  }
  return kept;
}

/** How many tokens `mask` and `only` keep together; 0 where there is neither. */
export function keptCount({ mask, only }: SparseLogitsEdit, vocabularySize: number): number {
  if (!mask) return only?.length ?? 0;
  if (only) return only.filter((token) => (((mask[token >> 5] as number) >>> (token & 31)) & 1) === 1).length;
  let count = 0;
  for (let word = 0; word < mask.length; word++) {
    const left = vocabularySize - word * 32;
    count += bitCount(left < 32 ? (mask[word] as number) & ((1 << left) - 1) : (mask[word] as number));
  }
  return count;
}

/** Bits that are 1: of pairs, of fours, of bytes, and then their sum (Warren, Hacker's Delight, 5-1). */
function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
