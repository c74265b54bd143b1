/**
 * Finds the tool calls of a recorded answer that was cut inside a call. A trace names neither the model's format nor its
 * special tokens, so the formats of all families are tried. A text counts as calls only if the request offered their tools.
 */

import type { PartialCall, PartialCallList } from "./format.ts";
import {
  findIncompleteNameCall,
  type IncompleteNameCall,
  isOnlyMarkBeginning,
} from "./incomplete-name-call.ts";
import { markedFormats, readBareCalls, readPartialCalls } from "./partial-calls.ts";

/** Beginnings of calls in a text without their mark, for families whose mark is a special token. */
const bareStart = /\[\s*[A-Za-z_][\w.-]*\(|\[\s*\{\s*"name"|\{\s*"name"/g;

/** Longer answers are not searched. */
const longestAnswer = 200_000;

/** The most places of a text that are tried, because a text may have many brackets. */
const mostTries = 20;

export interface CutCallRules {
  readonly names: readonly string[];
  /**
   * How to read an end that may be a call before its name. "call": as a call, because the request requires calls. "either": as
   * a call only if it clearly looks like one. "text": as text, because the answer has a response format or was not cut.
   */
  readonly unnamed: "call" | "either" | "text";
}

/**
 * The calls in order, of which the last was cut; empty if the answer was not cut inside a call. A call that was cut before the
 * end of its name has the name "", and its arguments are the text of the call that was written.
 * @param text the answer without its reasoning
 */
export function readCutCalls(text: string, tools: CutCallRules): readonly PartialCall[] {
  const { names, unnamed } = tools;
  if (names.length === 0 || text.length > longestAnswer) return [];
  let hasWhole = false;
  for (const { calls, isOpen } of listsIn(text)) {
    if (!calls.every(({ name }) => names.includes(name))) continue;
    if (isOpen && calls.at(-1)?.isWhole === false) return calls;
    const next = isOpen && calls.length > 0 ? findIncompleteNameCall(text, true) : null;
    if (next && mayBeOf(next, names)) return [...calls, withoutName(text, next.at)];
    hasWhole ||= calls.length > 0;
  }
  if (hasWhole) return [];
  if (unnamed === "call" && isOnlyMarkBeginning(text)) return [withoutName(text, 0)];
  const first = findIncompleteNameCall(text, false);
  return first && isFirstCall(text, first, tools) ? [withoutName(text, first.at)] : [];
}

function* listsIn(text: string): Iterable<PartialCallList> {
  for (const format of markedFormats) {
    const { calls, isOpen } = readPartialCalls(text, { format, hasText: true }, true);
    yield { calls: calls ?? [], isOpen };
  }
  for (const { index } of [...text.matchAll(bareStart)].slice(0, mostTries)) yield readBareCalls(text, index);
}

const withoutName = (text: string, at: number): PartialCall => ({
  name: "",
  arguments: text.slice(at),
  isWhole: false,
});

const mayBeOf = ({ name }: IncompleteNameCall, names: readonly string[]): boolean =>
  name === null || names.some((each) => each.startsWith(name));

/** Whether a text without whole calls before it is a call. Most brackets and braces in answers are not. */
function isFirstCall(text: string, call: IncompleteNameCall, { names, unnamed }: CutCallRules): boolean {
  if (unnamed === "text" || !mayBeOf(call, names)) return false;
  if (call.isMarked) return true;
  const written = text.slice(call.at);
  const isWhole = text.trim() === written.trim();
  if (unnamed === "call") return isWhole;
  if (isWhole && (written.includes("n") || call.name !== null)) return true;
  return written.includes('"name"') || (call.name ?? "").length > 2;
}
