/** The bytes that a vocabulary entry stands for, according to the decoder in tokenizer.json. */
import { isRecord } from "../../base/record.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

const encoder = new TextEncoder();

/**
 * The byte for each character of the GPT-2 byte alphabet: printable Latin-1 characters are themselves, the other bytes are U+0100
 * and up; -1 for other characters.
 */
const byteOfCharacter: Int16Array = (() => {
  const table = new Int16Array(512).fill(-1);
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    table[printable ? byte : next++] = byte;
  }
  return table;
})();

/** One step of a decoder: an entry's text to another text, or to its bytes, which ends the chain. */
type Step = (text: string) => string | Uint8Array;

/** The bytes of vocabulary entries (not of added tokens, which stand for their own text). */
export interface VocabularyEntryDecoder {
  /** The bytes of an entry, in an array that the caller may change. */
  bytesOf(entry: string): Uint8Array;
  /**
   * Writes the bytes of an entry to `into` from `at` on, if there is room for all of them.
   * @returns the number of the entry's bytes, also if there was no room
   */
  copy(entry: string, into: Uint8Array, at: number): number;
}

/**
 * Reads the `decoder` of a tokenizer.json; without one, an entry is its own text. Entries are decoded as a continuation: steps
 * that only concern the start of a text (a dropped first space) are left out.
 * @throws Error for a decoder that is no object, or that does not work entry by entry.
 */
export function createVocabularyEntryDecoder(decoder: unknown): VocabularyEntryDecoder {
  const steps = decoder === null || decoder === undefined ? [] : stepsOf(decoder);
  const isByteLevel = steps[0] === byteLevel;
  const bytesOf = (entry: string): Uint8Array => {
    let text = entry;
    for (const step of steps) {
      const result = step(text);
      if (typeof result !== "string") return result;
      text = result;
    }
    return encoder.encode(text);
  };
  return {
    bytesOf,
    copy(entry, into, at) {
      if (isByteLevel && at + entry.length <= into.length && copyByteLevel(entry, into, at))
        return entry.length;
      return copyBytesIfRoom(bytesOf(entry), into, at);
    },
  };
}

/** Writes bytes to `into` from `at` on, if there is room for all of them. @returns the length of `bytes`, also if there was no room */
export function copyBytesIfRoom(bytes: Uint8Array, into: Uint8Array, at: number): number {
  if (at + bytes.length <= into.length) into.set(bytes, at);
  return bytes.length;
}

function stepsOf(decoder: unknown): Step[] {
  if (!isRecord(decoder))
    throw new Error(`tokenizer.json: a decoder is ${JSON.stringify(decoder)}, not an object.`);
  switch (decoder.type) {
    case "Sequence":
      return (Array.isArray(decoder.decoders) ? decoder.decoders : []).flatMap(stepsOf);
    case "ByteLevel":
      return [byteLevel];
    case "ByteFallback":
      return [byteFallback];
    case "Metaspace":
      return [replaceAll(textOr(decoder.replacement, "▁"), " ")];
    case "Replace":
      return [replacement(decoder)];
    case "WordPiece":
      return [wordPiece(textOr(decoder.prefix, "##"))];
    case "BPEDecoder":
      return [replaceAll(textOr(decoder.suffix, "</w>"), " ")];
    case "Fuse":
    case "Strip":
      return [];
    default:
      throw new Error(
        `tokenizer.json: the decoder "${String(decoder.type)}" is not supported, because its tokens have no text of their own.`,
      );
  }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function byteLevel(text: string): string | Uint8Array {
  const bytes = new Uint8Array(text.length);
  return copyByteLevel(text, bytes, 0) ? bytes : text;
}

/**
 * Called for every token of a vocabulary, so it uses no map and no growing list.
 * @returns false if a character is outside the alphabet: the entry is then ordinary text
 */
function copyByteLevel(text: string, into: Uint8Array, at: number): boolean {
  for (let index = 0; index < text.length; index++) {
    const byte = byteOfCharacter[text.charCodeAt(index)] ?? -1;
    if (byte < 0) return false;
    into[at + index] = byte;
  }
  return true;
}

function byteFallback(text: string): string | Uint8Array {
  const hex = /^<0x([0-9A-Fa-f]{2})>$/.exec(text)?.[1];
  return hex === undefined ? text : Uint8Array.of(Number.parseInt(hex, 16));
}

function replaceAll(what: string, by: string): Step {
  return (text) => text.replaceAll(what, by);
}

function replacement(decoder: JsonObject): Step {
  const by = typeof decoder.content === "string" ? decoder.content : "";
  const pattern = isRecord(decoder.pattern) ? decoder.pattern : {};
  if (typeof pattern.String === "string") return replaceAll(pattern.String, by);
  if (typeof pattern.Regex === "string") {
    const expression = new RegExp(pattern.Regex, "gu");
    return (text) => text.replace(expression, () => by);
  }
  throw new Error("tokenizer.json: a Replace decoder has neither a String nor a Regex pattern.");
}

function wordPiece(prefix: string): Step {
  return (text) => (text.startsWith(prefix) ? text.slice(prefix.length) : ` ${text}`);
}
