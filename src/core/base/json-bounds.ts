/** Counts the values of JSON from outside before parsing it, because even a short text may have a value that takes all memory. */
import { formatCount } from "./number-text.ts";

export interface JsonDepthAndCount {
  /** The deepest nesting of lists and objects. */
  readonly depth: number;
  /** Number of all list entries, object members, lists and objects together. */
  readonly values: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Counts the values of a JSON text without parsing it, in one pass and constant memory. In a text that is not JSON, brackets,
 * commas and strings are counted all the same.
 */
export function measureJson(text: string): JsonDepthAndCount {
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

/** Place of the closing quote of the string that begins at `start`; the text's length if the string is not closed. */
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

export interface JsonBounds extends JsonDepthAndCount {
  readonly characters: number;
}

/** Thrown for JSON above a limit. The message names the count and the limit. */
export class JsonBoundsError extends Error {
  override name = "JsonBoundsError";
}

/**
 * Parses JSON, after it has checked that the text keeps to the bounds.
 *
 * @param what the beginning of the error's sentence, for example "The file".
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
  const { depth, values } = measureJson(text);
  refuse(depth, bounds.depth, "levels of nested lists or objects");
  refuse(values, bounds.values, "entries");
  return JSON.parse(text);
}
