/** Applies a mod's edit to a row of logits, `(vocabulary)` float32. Only `editInPlace` and `undoEdit` change the given row. */
import { hasToken } from "../../masks/vocabulary/token-bits.ts";
import type { SparseLogitsEdit } from "../../sdk/action.ts";
import type { TokenId } from "../../sdk/request.ts";
import { mostDifferences, type OverwrittenLogits } from "./differences.ts";

/**
 * Returns the row after an edit: `mask`, `only`, `ban`, then `add`. A dense edit replaces the row.
 * @param into receives the result; another array of the same length
 */
export function editLogits(
  logits: Float32Array,
  edit: Float32Array | SparseLogitsEdit,
  into: Float32Array = new Float32Array(logits.length),
): Float32Array {
  if (edit instanceof Float32Array) {
    into.set(edit);
    return into;
  }
  if (edit.mask) keepMasked(logits, edit.mask, into);
  else into.set(logits);
  if (edit.only) keepOnly(into, edit.only);
  for (const token of edit.ban ?? []) into[token] = Number.NEGATIVE_INFINITY;
  for (const [token, value] of Object.entries(edit.add ?? {})) {
    into[Number(token)] = (into[Number(token)] ?? 0) + value;
  }
  return into;
}

/** Whether an edit changes few logits, so that `editInPlace` costs less than `editLogits`. */
export function changesFew(
  { mask, only, ban = [], add = {} }: SparseLogitsEdit,
  vocabularySize: number,
): boolean {
  const masked = mask ? vocabularySize - allowedCount({ mask }, vocabularySize) : 0;
  return !only && masked + ban.length + Object.keys(add).length <= mostDifferences(vocabularySize);
}

/** Applies an edit without `only` to `logits` in place. Returns the overwritten logits, for `undoEdit`. */
export function editInPlace(
  logits: Float32Array,
  { mask, ban = [], add = {} }: SparseLogitsEdit,
): OverwrittenLogits {
  const before = new Map<TokenId, number>();
  const write = (token: TokenId, logit: number): void => {
    if (!before.has(token)) before.set(token, logits[token] as number);
    logits[token] = logit;
  };
  if (mask) eachBit(mask, -1, logits.length, (token) => write(token, Number.NEGATIVE_INFINITY));
  for (const token of ban) write(token, Number.NEGATIVE_INFINITY);
  for (const [token, value] of Object.entries(add))
    write(Number(token), (logits[Number(token)] ?? 0) + value);
  return before;
}

/** Restores the logits from before `editInPlace`. */
export function undoEdit(logits: Float32Array, differences: OverwrittenLogits): void {
  for (const [token, before] of differences) logits[token] = before;
}

/** The reason why no token can be sampled from a row; null if a token can be sampled. */
export function logitsProblem(logits: Float32Array): string | null {
  let finite = 0;
  for (let token = 0; token < logits.length; token++) {
    const logit = logits[token] ?? 0;
    if (logit - logit === 0) finite++;
    else if (logit !== Number.NEGATIVE_INFINITY) return `The logit of token ${token} is ${logit}.`;
  }
  return finite > 0 ? null : "No token is left: every logit is -Infinity.";
}

function keepOnly(row: Float32Array, tokens: readonly TokenId[]): void {
  const kept = tokens.map((token) => row[token] as number);
  row.fill(Number.NEGATIVE_INFINITY);
  for (const [place, token] of tokens.entries()) row[token] = kept[place] as number;
}

/**
 * One bit for each token; bits beyond the vocabulary are ignored. The loop visits the smaller set: the allowed tokens
 * or the others.
 */
function keepMasked(logits: Float32Array, mask: Uint32Array, into: Float32Array): void {
  if (2 * allowedCount({ mask }, logits.length) > logits.length) {
    into.set(logits);
    eachBit(mask, -1, logits.length, (token) => {
      into[token] = Number.NEGATIVE_INFINITY;
    });
  } else {
    into.fill(Number.NEGATIVE_INFINITY);
    eachBit(mask, 0, logits.length, (token) => {
      into[token] = logits[token] as number;
    });
  }
}

/** The tokens whose bits are 1 or, if `flip` is -1, 0. The loop skips words without such bits. */
function eachBit(mask: Uint32Array, flip: 0 | -1, size: number, visit: (token: TokenId) => void): void {
  for (let word = 0; word < mask.length; word++) {
    let bits = (mask[word] as number) ^ flip;
    while (bits !== 0) {
      const place = 31 - Math.clz32(bits);
      const token = word * 32 + place;
      if (token < size) visit(token);
      bits ^= 1 << place;
    }
  }
}

/** Whether any token of the mask has a logit above -Infinity. Ends at the first. */
export function hasPossibleTokenIn(logits: Float32Array, mask: Uint32Array): boolean {
  for (const [index, word] of mask.entries()) {
    for (let rest = word; rest !== 0; rest &= rest - 1) {
      const token = index * 32 + 31 - Math.clz32(rest & -rest);
      if ((logits[token] ?? Number.NEGATIVE_INFINITY) > Number.NEGATIVE_INFINITY) return true;
    }
  }
  return false;
}

/** Makes a bit mask of the listed tokens that are also in `within`; if `within` is null, of all listed tokens. */
export function maskOfListedTokens(
  tokens: readonly TokenId[],
  vocabularySize: number,
  within: Uint32Array | null,
): Uint32Array {
  const mask = new Uint32Array(Math.ceil(vocabularySize / 32));
  for (const token of tokens) {
    const word = token >> 5;
    (mask[word] as number) |= (within ? (within[word] as number) : -1) & (1 << (token & 31));
  }
  return mask;
}

/** How many tokens `mask` and `only` keep together; 0 if there is neither. */
export function allowedCount({ mask, only }: SparseLogitsEdit, vocabularySize: number): number {
  if (!mask) return only?.length ?? 0;
  if (only) return only.filter((token) => hasToken(mask, token)).length;
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
