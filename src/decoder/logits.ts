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

/** The row after an edit, as a new row: `only`, then `ban`, then `add`. A dense edit takes its place. */
export function editLogits(logits: Float32Array, edit: Float32Array | SparseLogitsEdit): Float32Array {
  if (edit instanceof Float32Array) return edit.slice();
  const edited = edit.only ? keepOnly(logits, edit.only) : logits.slice();
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
