/**
 * The tool calls of a recorded answer that was cut in one of them. A trace names neither the model's format nor its special
 * tokens, so the calls are looked for in the formats of all families. A text counts as calls only if the request offered their
 * tools.
 */
import { readBareCalls, readBegunCalls } from "./begun-calls.ts";
import type { BegunCall, BegunCallList, ToolFormat } from "./format.ts";

/** Families that write a mark before their calls. In some models the mark is text, in others a token without text. */
const marked: readonly ToolFormat["name"][] = ["granite", "hermes", "lfm2"];

/** Beginnings of calls in a text without their mark, for families whose mark is a special token. */
const bareStart = /\[\s*[A-Za-z_][\w.-]*\(|\[\s*\{\s*"name"|\{\s*"name"/g;

/** A longer answer is not searched. */
const longestAnswer = 200_000;

/** Places in a text that are tried: a text may have many brackets. */
const mostTries = 20;

/**
 * The calls in their order, the last of them cut; empty if the answer was not cut in a call, or before its name had come.
 * @param text the answer without its reasoning
 * @param tools names of the tools that the request offered
 */
export function cutCalls(text: string, tools: readonly string[]): readonly BegunCall[] {
  if (tools.length === 0 || text.length > longestAnswer) return [];
  const isCut = ({ calls, isOpen }: BegunCallList) =>
    isOpen && calls.at(-1)?.isWhole === false && calls.every(({ name }) => tools.includes(name));
  for (const format of marked) {
    const { calls, isOpen } = readBegunCalls(text, { format, hasText: true }, true);
    const row = { calls: calls ?? [], isOpen };
    if (isCut(row)) return row.calls;
  }
  const starts = [...text.matchAll(bareStart)].slice(0, mostTries);
  const rows = starts.map(({ index }) => readBareCalls(text, index));
  return rows.find(isCut)?.calls ?? [];
}
