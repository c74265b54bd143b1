/**
 * The tool calls in an answer that is still growing or was cut off: the text before them, and the arguments of each
 * call so far. A longer text never changes the result of a shorter text; it only adds to it.
 *
 * The engine keeps an answer inside the language of its format (`request-host.ts`), so every text here begins a text of that
 * language. From any other text, some calls may be missed, but no wrong calls are read.
 */

import type { PartialCall, PartialCallList, ToolFormat } from "./format.ts";
import { beginsCallObject, mayBeginCallObject, unfinishedMarkStart } from "./incomplete-name-call.ts";
import { skipSpace } from "./json-text.ts";
import { readPartialCallObject } from "./partial-object.ts";
import { readPartialPythonCalls } from "./partial-python.ts";

export interface PartialAnswer {
  /** UTF-16 length of the text before the calls; while no call has begun, of the text in which none can begin any more. */
  readonly textLength: number;
  /** Null while no call has begun. A call whose name has not come is left out. */
  readonly calls: readonly PartialCall[] | null;
  /** True if the last call is incomplete: the last of `calls`, or a further call whose name has not come. */
  readonly isOpen: boolean;
}

export interface PartialCallRules {
  readonly format: ToolFormat["name"];
  /** Whether text may stand before the calls: not if the answer has a response format, and not if a call is required. */
  readonly hasText: boolean;
  /** Whether a call is required: then `{` can only be the beginning of a call. */
  readonly isRequired?: boolean;
}

/** For formats that write a mark before their calls. */
interface Marks {
  /** The texts that begin a call. */
  readonly opens: readonly string[];
  /** Reads the calls from the index after such a mark. */
  readonly read: (text: string, start: number) => PartialCallList;
}

/** For formats whose answer is a call if it begins with a call's JSON. */
interface Lead {
  /** A mark that the model may write before the JSON; null if there is none. */
  readonly lead: string | null;
}

/** How the calls of each format begin. */
const starts: Readonly<Record<ToolFormat["name"], Marks | Lead>> = {
  granite: { opens: ["<|tool_call|>", "<tool_call>"], read: readList },
  hermes: { opens: ["<tool_call>"], read: readTagged },
  lfm2: {
    opens: ["<|tool_call_start|>"],
    read: (text, start) => readPartialPythonCalls(text.slice(start)),
  },
  llama3: { lead: "<|python_tag|>" },
  plain: { lead: null },
};

const formatNames = Object.keys(starts) as ToolFormat["name"][];

/** Formats that write a mark before their calls. In some models the mark is text, in others a token without text. */
export const markedFormats = formatNames.filter((name) => "opens" in starts[name]);

/**
 * Reads the calls in an answer that may still grow, and the length of the text before them. `text`: the answer without its
 * reasoning, in which special tokens are written by their names. `isOver`: the answer has ended.
 */
export function readPartialCalls(text: string, rules: PartialCallRules, isOver: boolean): PartialAnswer {
  const start = starts[rules.format];
  return "opens" in start ? readMarked(text, start, rules, isOver) : readLeading(text, start, rules, isOver);
}

function readMarked(text: string, { opens, read }: Marks, { hasText }: PartialCallRules, isOver: boolean) {
  const found = opens
    .map((open) => ({ open, at: text.indexOf(open) }))
    .filter(({ at }) => at >= 0 && (hasText || text.slice(0, at).trim() === ""))
    .sort((one, other) => one.at - other.at)[0];
  if (found) return answerWithCalls(text, found.at, read(text, found.at + found.open.length));
  const mayBegin = hasText || opens.some((open) => open.startsWith(text.trim()));
  if (!isOver) return noCalls(mayBegin ? lengthBefore(text, opens) : text.length);
  if (hasText) return cutInMark(text, opens);
  return mayBegin ? cutAtStart(text) : noCalls(text.length);
}

function readLeading(text: string, { lead }: Lead, rules: PartialCallRules, isOver: boolean): PartialAnswer {
  const at = lead === null || !rules.hasText ? -1 : text.indexOf(lead);
  if (lead !== null && at >= 0) return answerWithCalls(text, at, readRow(text, at + lead.length));
  if (beginsAsCall.test(text)) return answerWithCalls(text, 0, readRow(text, 0));
  if (!isOver) {
    if (mayBeginCallObject(text)) return noCalls(0);
    return noCalls(lead === null ? text.length : lengthBefore(text, [lead]));
  }
  if (rules.isRequired ? mayBeginCallObject(text) : rules.hasText && beginsCallObject(text))
    return cutAtStart(text);
  return rules.hasText && lead !== null ? cutInMark(text, [lead]) : noCalls(text.length);
}

const beginsAsCall = /^\s*\{\s*"name"\s*:/;

/** Reads the whole answer as the beginning of a call without a name; a blank answer has no calls. */
function cutAtStart(text: string): PartialAnswer {
  return text.trim() === "" ? noCalls(text.length) : answerWithCalls(text, 0, noneNamed);
}

/** Reads an answer that was cut in a mark, or that has no calls. */
function cutInMark(text: string, opens: readonly string[]): PartialAnswer {
  const at = unfinishedMarkStart(text, opens);
  return at < 0 ? noCalls(text.length) : answerWithCalls(text, at, noneNamed);
}

const noneNamed: PartialCallList = { calls: [], isOpen: true };

const noCalls = (textLength: number): PartialAnswer => ({ textLength, calls: null, isOpen: false });

function answerWithCalls(text: string, at: number, { calls, isOpen }: PartialCallList): PartialAnswer {
  return { textLength: text.slice(0, at).trimEnd().length, calls, isOpen };
}

/** Hermes: an object between tags; white space between several such objects. */
function readTagged(text: string, start: number): PartialCallList {
  const calls: PartialCall[] = [];
  let at = start;
  for (;;) {
    const { call, end } = readPartialCallObject(text, skipSpace(text, at));
    if (call) calls.push(call);
    if (!call?.isWhole || end < 0) return { calls, isOpen: !call?.isWhole };
    const close = skipSpace(text, end);
    if (!text.startsWith("</tool_call>", close)) return { calls, isOpen: false };
    const next = skipSpace(text, close + "</tool_call>".length);
    if (!text.startsWith("<tool_call>", next)) return { calls, isOpen: next < text.length };
    at = next + "<tool_call>".length;
  }
}

/** Granite: objects in a list. */
function readList(text: string, start: number): PartialCallList {
  const from = skipSpace(text, start);
  if (text[from] !== "[") return { calls: [], isOpen: true };
  return readRow(text, from + 1);
}

/** The calls of a text whose marks are lost, from the index where they begin: `[name(`, `[{"name"` or `{"name"`. */
export function readBareCalls(text: string, at: number): PartialCallList {
  if (text[at] !== "[") return readRow(text, at);
  const isObject = text[skipSpace(text, at + 1)] === "{";
  return isObject ? readList(text, at) : readPartialPythonCalls(text.slice(at));
}

/** Objects with commas, semicolons or white space between them. */
function readRow(text: string, start: number): PartialCallList {
  const calls: PartialCall[] = [];
  let at = skipSpace(text, start);
  for (;;) {
    const { call, end } = readPartialCallObject(text, at);
    if (call) calls.push(call);
    if (!call?.isWhole || end < 0) return { calls, isOpen: !call?.isWhole };
    const after = skipSpace(text, end);
    const isSeparated = text[after] === "," || text[after] === ";";
    at = isSeparated ? skipSpace(text, after + 1) : after;
    if (text[at] !== "{") return { calls, isOpen: isSeparated };
  }
}

/** UTF-16 length of the text without an end that may become a mark, and without the white space before that end. */
function lengthBefore(text: string, opens: readonly string[]): number {
  let length = text.length;
  for (const open of opens) {
    for (let size = Math.min(open.length - 1, text.length); size > 0; size--) {
      if (!text.endsWith(open.slice(0, size))) continue;
      length = Math.min(length, text.length - size);
      break;
    }
  }
  return text.slice(0, length).trimEnd().length;
}
