/** Which bytes a vocabulary entry stands for, as the decoder of a tokenizer.json says. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const encoder = new TextEncoder();

/** Byte per character code of the GPT-2 byte alphabet: printable Latin-1 stands for itself, the other bytes for U+0100 and on; -1 for none. */
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

/**
 * Gives the bytes of vocabulary entries (not of added tokens, which stand for their own text).
 * The text is a continuation: steps that only concern the start of a text (a dropped first space) are left out.
 * @throws Error for a decoder that does not work entry by entry.
 */
export function createTokenBytes(decoder: unknown): (entry: string) => Uint8Array {
  const steps = decoder === null || decoder === undefined ? [] : stepsOf(decoder);
  return (entry) => {
    let text = entry;
    for (const step of steps) {
      const result = step(text);
      if (typeof result !== "string") return result;
      text = result;
    }
    return encoder.encode(text);
  };
}

function stepsOf(decoder: unknown): Step[] {
  if (!isObject(decoder))
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

/** Runs for every token of a vocabulary when one is first read: no map, no list that grows. */
function byteLevel(text: string): string | Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const byte = byteOfCharacter[text.charCodeAt(index)] ?? -1;
    // An entry outside the alphabet was never made of bytes: it stands for itself.
    if (byte < 0) return text;
    bytes[index] = byte;
  }
  return bytes;
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
  const pattern = isObject(decoder.pattern) ? decoder.pattern : {};
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
