/**
 * Reads the list of a response or of a stream's event without an object for each listed token. An event lists 64 tokens by default, and
 * `JSON.parse` makes an object, a text and a list of bytes of each, of which only ids and log-probabilities are used.
 *
 * Example: `{"tokens":[7],"completion_probabilities":[{"id":7,"top_logprobs":[{"id":7,"token":" a","bytes":[32,97],"logprob":-0.5}]}]}`
 * has the tokens [7] with the log-probabilities [-0.5]. The rest of the event, for `JSON.parse`, is
 * `{"tokens":[7],"completion_probabilities":[{"id":7,"top_logprobs":[]}]}`.
 */
import type { EventData } from "./event-stream.ts";
import { type ExpectedStepShape, type ListedTokens, readLogprob } from "./parse-responses.ts";

/** A list, and the place in the text after its closing bracket. */
export interface ListInText {
  readonly list: ListedTokens;
  readonly end: number;
}

/** The list of an event, and the JSON of the event with an empty list. */
export interface CutEvent {
  readonly list: ListedTokens;
  readonly rest: string;
}

/** The field of the list; within a string its quotes would be escaped. */
const listStart = '"top_logprobs":[';
/** Lengths of the texts between the values of an entry. */
const beforeId = '{"id":'.length;
const beforeText = ',"token":"'.length;
const beforeBytes = '","bytes":['.length;
const beforeLogprob = '],"logprob":'.length;

/** Character codes. */
const zero = 48;
const nine = 57;
const point = 46;
const minus = 45;
const quote = 34;
const backslash = 92;
const comma = 44;

const mostDecimals = 22;
const powersOfTen = Array.from({ length: mostDecimals + 1 }, (_, power) => 10 ** power);

/** Null where `readList` is null, and for an event without a list. */
export function cutList(data: EventData, shape: ExpectedStepShape): CutEvent | null {
  const { text, from, to } = data;
  const start = text.indexOf(listStart, from) + listStart.length;
  if (start < listStart.length || start > to) return null;
  const read = readList(text, start, shape);
  if (!read || read.end > to) return null;
  return { list: read.list, rest: text.slice(from, start) + text.slice(read.end - 1, to) };
}

/** A response as JSON, and its list if it was cut out of the response. */
export interface ParsedResponse {
  readonly response: unknown;
  readonly list: ListedTokens | null;
}

/** @throws SyntaxError for what is not JSON */
export function parseListResponse(text: string, shape: ExpectedStepShape): ParsedResponse {
  const cut = cutList({ text, from: 0, to: text.length }, shape);
  return { response: JSON.parse(cut?.rest ?? text), list: cut?.list ?? null };
}

/**
 * Null for a list that is not written as llama.cpp usually writes it (fields in another order, a number with an exponent), and for
 * a list that is wrong (a token twice, another number of tokens). `JSON.parse` and `parseStep` then read the whole event, or name
 * the wrong field.
 *
 * One function, whose position stays in a local variable: with a function for each field it takes twice as long.
 * @param start the place after the list's opening bracket
 */
export function readList(
  event: string,
  start: number,
  { listed, vocabularySize }: ExpectedStepShape,
): ListInText | null {
  const count = Math.min(listed, vocabularySize);
  const { tokens, logprobs } = createLists(count);
  const list = nextList(vocabularySize);
  let at = start;
  // V8 compiles `startsWith` into the loop for texts of at most three characters.
  for (let place = 0; place < count; place++) {
    if (!event.startsWith('{"i', at)) return null;
    at += beforeId;
    let token = 0;
    let code = event.charCodeAt(at);
    for (; code >= zero && code <= nine; code = event.charCodeAt(++at)) token = token * 10 + (code - zero);
    if (token >= vocabularySize || !event.startsWith(',"t', at)) return null;
    at += beforeText;
    for (code = event.charCodeAt(at); code !== quote; code = event.charCodeAt(at)) {
      if (Number.isNaN(code)) return null;
      at += code === backslash ? 2 : 1;
    }
    if (!event.startsWith('","', at)) return null;
    at += beforeBytes;
    for (code = event.charCodeAt(at); (code >= zero && code <= nine) || code === comma; )
      code = event.charCodeAt(++at);
    if (!event.startsWith('],"', at)) return null;
    at += beforeLogprob;
    if (event.charCodeAt(at) !== minus) return null;
    let digits = 0;
    let pointAt = -1;
    for (code = event.charCodeAt(++at); (code >= zero && code <= nine) || code === point; ) {
      if (code === point) pointAt = at;
      else digits = digits * 10 + (code - zero);
      code = event.charCodeAt(++at);
    }
    const decimals = pointAt < 0 ? 0 : at - pointAt - 1;
    const isLast = place === count - 1;
    if (decimals > mostDecimals || !event.startsWith(isLast ? "}]" : "},", at)) return null;
    // The server's numbers are float32, which come out exactly, although the digits of a double are rounded here.
    const logprob = readLogprob(-digits / (powersOfTen[decimals] as number));
    if (logprob === null) return null;
    if (listOfToken[token] === list) return null;
    listOfToken[token] = list;
    tokens[place] = token;
    logprobs[place] = logprob;
    at += 2;
  }
  return { list: { tokens, logprobs }, end: at };
}

/** The number of the last list that had the token, by token: shows a token that a list has twice, without a set for each list. */
let listOfToken = new Uint32Array();
let lists = 0;

/** The number of a new list. */
function nextList(vocabularySize: number): number {
  if (listOfToken.length < vocabularySize) listOfToken = new Uint32Array(vocabularySize);
  lists += 1;
  if (lists < 2 ** 32) return lists;
  listOfToken.fill(0);
  lists = 1;
  return lists;
}

/** Lists of this many bytes and more get memory of their own. */
const mostSharedBytes = 1_024;
const slabBytes = 16_384;
let slab = new ArrayBuffer(0);
let slabUsed = 0;

/** Empty lists of this length. Short lists are parts of one buffer, because a buffer for each takes longer to make than a list to read. */
function createLists(count: number): ListedTokens {
  const bytes = 4 * count;
  if (bytes >= mostSharedBytes) return { tokens: new Int32Array(count), logprobs: new Float32Array(count) };
  if (slabUsed + 2 * bytes > slab.byteLength) {
    slab = new ArrayBuffer(slabBytes);
    slabUsed = 0;
  }
  const from = slabUsed;
  slabUsed += 2 * bytes;
  return { tokens: new Int32Array(slab, from, count), logprobs: new Float32Array(slab, from + bytes, count) };
}
