/** Finds the text of each message in a rendered prompt, and the tokens of each text. */

import { textOfMessage } from "../../../core/base/message-text.ts";
import type { MessageSpan } from "../../../core/sdk/event.ts";
import type { Message, TokenId } from "../../../core/sdk/request.ts";
import type { Tokenizer } from "../../../core/sdk/tokenizer.ts";
import { PrivateCharacters } from "../../engine/prompt/special-names.ts";

/** In a longer prompt no messages are searched, because a mod waits meanwhile. */
const mostTokens = 200_000;

interface Asked {
  readonly messages: readonly Message[];
  readonly tokens: readonly TokenId[];
  readonly tokenizer: Tokenizer;
  /** The rendered prompt of these messages. */
  readonly textOf: (messages: readonly Message[]) => string;
}

/** One entry for each message; null if its text was not found. */
export function findMessageSpans(asked: Asked): readonly (MessageSpan | null)[] {
  const { messages, tokens, tokenizer } = asked;
  const none = messages.map(() => null);
  if (tokens.length > mostTokens) return none;
  const text = asked.textOf(messages);
  const ranges = rangesIn(text, asked);
  const places = ranges && placesOf(tokens, text, tokenizer);
  if (!ranges || !places) return none;
  const offsets = byteOffsets(text, ranges);
  return ranges.map((range) => {
    if (range === null) return null;
    const from = offsets.get(range.from) as number;
    const to = offsets.get(range.to) as number;
    const start = places.findIndex((place) => place.to > from);
    const after = places.findIndex((place) => place.from >= to && place.to > to);
    if (start < 0) return null;
    return { start, end: after < 0 ? lastBefore(places, to) : after, text: text.slice(range.from, range.to) };
  });
}

/** Tokens without bytes may follow the text. */
function lastBefore(places: readonly Range[], to: number): number {
  return places.findLastIndex((place) => place.from < to && place.to > place.from) + 1;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Renders the messages with private characters at both ends of their texts, and finds these characters. Null if the template
 * then renders a different prompt.
 */
function rangesIn(text: string, { messages, textOf: render }: Asked): (Range | null)[] | null {
  const texts = messages.map(textOfMessage);
  const characters = new PrivateCharacters([text, ...texts]);
  const ends = texts.map((each) => markedEnds(each, characters));
  const changed = messages.map((message, place) => {
    const content = ends[place]?.text;
    return content === undefined ? message : { ...message, content };
  });
  const marked = render(changed);
  if (characters.restore(marked) !== text) return null;
  return ends.map((end, place) => {
    const from = end ? onlyPlace(marked, end.first) : -1;
    const last = end ? onlyPlace(marked, end.last) : -1;
    if (from < 0 || last < from) return null;
    return withSpaces(text, { from, to: last + 1 }, texts[place] as string);
  });
}

interface MarkedText {
  readonly text: string;
  readonly first: string;
  readonly last: string;
}

/** Templates remove spaces at the ends of texts, so the marks are placed inside the spaces. */
function markedEnds(text: string, characters: PrivateCharacters): MarkedText | null {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const start = text.indexOf(trimmed);
  const end = start + trimmed.length - 1;
  const first = characters.create(text.charAt(start));
  const last = end === start ? first : characters.create(text.charAt(end));
  if (first === null || last === null) return null;
  const rest = end === start ? "" : text.slice(start + 1, end) + last;
  return { text: text.slice(0, start) + first + rest + text.slice(end + 1), first, last };
}

function onlyPlace(text: string, character: string): number {
  const place = text.indexOf(character);
  return place === text.lastIndexOf(character) ? place : -1;
}

/** The range, extended by the message's own spaces that the template did not remove. */
function withSpaces(text: string, range: Range, message: string): Range {
  let { from, to } = range;
  const lead = message.length - message.trimStart().length;
  const trail = message.length - message.trimEnd().length;
  if (lead > 0 && text.slice(from - lead, from) === message.slice(0, lead)) from -= lead;
  if (trail > 0 && text.slice(to, to + trail) === message.slice(-trail)) to += trail;
  return { from, to };
}

const encoder = new TextEncoder();

/** For both ends of each range, the byte offset in the text. */
function byteOffsets(text: string, ranges: readonly (Range | null)[]): ReadonlyMap<number, number> {
  const ends = [...new Set(ranges.flatMap((range) => (range ? [range.from, range.to] : [])))];
  const offsets = new Map<number, number>();
  let bytes = 0;
  let before = 0;
  for (const end of ends.sort((a, b) => a - b)) {
    bytes += encoder.encode(text.slice(before, end)).length;
    before = end;
    offsets.set(end, bytes);
  }
  return offsets;
}

/**
 * The range of each token in the bytes of the text. A tokenizer may add a space before a text, and a special token may
 * include the spaces beside it. Null if the tokens do not spell the text, for example after a Unicode normalization.
 */
function placesOf(tokens: readonly TokenId[], text: string, tokenizer: Tokenizer): Range[] | null {
  const bytes = encoder.encode(text);
  const places: Range[] = [];
  let at = 0;
  for (const token of tokens) {
    const own = tokenizer.tokenBytes(token);
    const name = own.length > 0 ? own : encoder.encode(tokenizer.tokenText(token));
    const from = at;
    const to = matchAt(bytes, at, name);
    if (to === null && own.length > 0) return null;
    // A special token that the template does not write, such as the one at the beginning of a text.
    at = to ?? at;
    places.push({ from, to: at });
  }
  return places;
}

function matchAt(bytes: Uint8Array, start: number, own: Uint8Array): number | null {
  let at = start;
  for (const byte of own) {
    if (bytes[at] !== byte && byte === 0x20) continue;
    while (bytes[at] !== byte && isSpace(bytes[at])) at += 1;
    if (bytes[at] !== byte) return null;
    at += 1;
  }
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte !== undefined && (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}
