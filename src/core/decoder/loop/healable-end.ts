/** The healable end of a text: the last tokens that healing may take back (`healing.ts`), and the logits before them. */
import { hasLongerToken, tokensThatBeginWith } from "../../masks/vocabulary/token-prefixes.ts";
import { type Vocabulary, vocabularyOf } from "../../masks/vocabulary/vocabulary.ts";
import { countUnfinishedBytes } from "../../sdk/detokenizer.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { ModelLogits } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";

/** The last tokens of a text, whose bytes begin a longer token. */
export interface HealableTail {
  readonly count: number;
  /** The first token of the tail. */
  readonly token: TokenId;
  readonly bytes: Uint8Array;
}

/** How many rows of logits before the last row the next pass must return, so that the end of the text can be healed. */
export function countLogitsToHeal(state: DecodeState): number {
  return findHealableTails(state)[0]?.count ?? 0;
}

/**
 * The ends of the text with which longer tokens begin, the longest first. Special tokens, stop sequences and incomplete
 * characters end the search.
 */
export function findHealableTails(state: DecodeState): readonly HealableTail[] {
  const { output, request, ports } = state;
  const open = output.healableEnd;
  if (!open || request.heal === false) return [];
  const vocabulary = vocabularyOf(ports.tokenizer);
  const tails: HealableTail[] = [];
  let bytes: Uint8Array = new Uint8Array();
  for (let end = output.sequence.length - 1; end >= Math.max(1, open.start); end--) {
    const token = output.sequence[end] ?? 0;
    const own = vocabulary.bytesOf(token);
    if (own.length === 0 || own.length + bytes.length > vocabulary.longest) break;
    bytes = joined(own, bytes);
    const count = output.sequence.length - end;
    if (hasStop(bytes, request.stop)) break;
    if (isWhole(bytes) && begins(vocabulary, bytes, count)) tails.unshift({ count, token, bytes });
  }
  return tails;
}

/** Whether another token can stand in the place of the tail. */
function begins(vocabulary: Vocabulary, bytes: Uint8Array, count: number): boolean {
  if (hasLongerToken(vocabulary, bytes)) return true;
  return count > 1 && tokensThatBeginWith(vocabulary, bytes) !== null;
}

function hasStop(bytes: Uint8Array, stops: readonly string[]): boolean {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return stops.some((stop) => text.includes(stop));
}

/** Whether the bytes begin and end with whole characters. */
function isWhole(bytes: Uint8Array): boolean {
  const isInside = ((bytes[0] ?? 0) & 0xc0) === 0x80;
  return !isInside && countUnfinishedBytes(bytes) === 0;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}

/** The logits before the last tokens of the text; undefined if the model gave none. */
export function logitsBeforeLast({ logits }: DecodeState, tokens: number): ModelLogits | undefined {
  const row = logits.rows.at(-1 - tokens);
  if (row) return row;
  return logits.beforeHealableEnd?.tokens === tokens ? logits.beforeHealableEnd.row : undefined;
}

/** Releases the logits before the healable end. */
export function releaseLogitsBeforeHealableEnd({ logits }: DecodeState): void {
  logits.beforeHealableEnd?.snapshot.forget();
  logits.beforeHealableEnd = null;
}
