/** Parses JSON from outside after counting what it holds: a text may be short and its value still take all memory. */
import { formatCount } from "./number-text.ts";

export interface JsonShape {
  /** Most lists and objects within each other. */
  readonly depth: number;
  /** Entries of lists, members of objects, lists and objects, all together. */
  readonly values: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Counts without parsing, in one pass and constant memory. A text that is not JSON is counted as far as brackets go. */
export function jsonShape(text: string): JsonShape {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = endOfString(text, at);
    } else if (code === openBracket || code === openBrace) {
      depth += 1;
      values += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === closeBracket || code === closeBrace) {
      depth -= 1;
    } else if (code === comma) {
      values += 1;
    }
  }
  return { depth: deepest, values };
}

/** Place of the quote that ends the string which begins at `start`; the text's length if none does. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

export interface JsonBounds extends JsonShape {
  readonly characters: number;
}

/** JSON that is larger than its reader takes. The message names the count and the limit. */
export class JsonBoundsError extends Error {
  override name = "JsonBoundsError";
}

/**
 * @param what begins the sentence that refuses it, for example "The file".
 * @throws JsonBoundsError, before anything is parsed; SyntaxError for a text that is not JSON.
 */
export function parseBoundedJson(text: string, bounds: JsonBounds, what: string): unknown {
  const refuse = (count: number, most: number, noun: string) => {
    if (count <= most) return;
    throw new JsonBoundsError(
      `${what} has ${formatCount(count)} ${noun}; the limit is ${formatCount(most)}.`,
    );
  };
  refuse(text.length, bounds.characters, "characters");
  const { depth, values } = jsonShape(text);
  refuse(depth, bounds.depth, "levels of nested lists or objects");
  refuse(values, bounds.values, "entries");
  return JSON.parse(text);
}
