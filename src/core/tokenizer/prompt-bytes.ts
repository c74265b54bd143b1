/**
 * Computes how much text one token can stand for. With this bound, a prompt that is longer than any full context can be
 * refused before it is tokenized.
 */
import { isRecord } from "../base/record.ts";
import type { JsonObject } from "../masks/vocabulary/entry-bytes.ts";

/** The factor by which Unicode normalization may shorten a text: mathematical letters of 4 bytes become 1 byte, so 6 is safe. */
const normalizedShare = 6;

/**
 * The most bytes of text that one token can stand for. Null if there is no bound: a tokenizer without byte tokens may read a
 * long word as one unknown token, and a normalizer may remove text.
 */
export function mostBytesOfToken(tokenizerJson: JsonObject): number | null {
  const { model, normalizer, pre_tokenizer: split, decoder, added_tokens: added } = tokenizerJson;
  if (!isRecord(model) || !isRecord(model.vocab)) return null;
  const isByteLevel = hasPart(split, "ByteLevel") || hasPart(decoder, "ByteLevel");
  if (!isByteLevel && model.byte_fallback !== true) return null;
  const share = shareOf(normalizer);
  if (share === null) return null;
  const encoder = new TextEncoder();
  let most = 4;
  const see = (entry: string, isBytes: boolean) => {
    // A UTF-16 unit has at most three bytes, so most entries need not be encoded.
    if (entry.length * 3 > most) most = Math.max(most, isBytes ? entry.length : encoder.encode(entry).length);
  };
  for (const entry of Object.keys(model.vocab)) see(entry, isByteLevel);
  for (const token of Array.isArray(added) ? added : [])
    if (isRecord(token) && typeof token.content === "string") see(token.content, false);
  return most * share;
}

/** Null for a normalizer that may remove any amount of text. */
function shareOf(normalizer: unknown): number | null {
  if (normalizer === undefined || normalizer === null) return 1;
  if (!isRecord(normalizer)) return null;
  const { type } = normalizer;
  if (type === "Prepend") return 1;
  if (type === "NFC" || type === "NFKC" || type === "NFD" || type === "NFKD") return normalizedShare;
  if (type === "Replace") return replacesWithNoLess(normalizer) ? 1 : null;
  if (type !== "Sequence" || !Array.isArray(normalizer.normalizers)) return null;
  let product = 1;
  for (const part of normalizer.normalizers) {
    const share = shareOf(part);
    if (share === null) return null;
    product *= share;
  }
  return product;
}

function replacesWithNoLess({ pattern, content }: JsonObject): boolean {
  const from = isRecord(pattern) ? pattern.String : undefined;
  return typeof from === "string" && typeof content === "string" && content.length >= from.length;
}

function hasPart(part: unknown, type: string): boolean {
  if (!isRecord(part)) return false;
  if (part.type === type) return true;
  const { pretokenizers, decoders } = part;
  return [pretokenizers, decoders].flat().some((inner) => isRecord(inner) && inner.type === type);
}

/**
 * Number of UTF-16 units of a text that are not white space. It is at most the number of bytes; white space is not counted,
 * because templates and some tokens remove it. Counting stops at `enough`.
 */
export function nonSpaceLength(text: string, enough = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = 0; at < text.length && count < enough; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x20 && unit !== 0xa0 && (unit < 0x2000 || unit > 0x3000) && unit !== 0xfeff) count += 1;
  }
  return count;
}
