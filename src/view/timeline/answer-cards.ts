/** The parts of an answer that a program would use: its tool calls, or its JSON. Pure. */
import { measureJson } from "../../core/base/json-bounds.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../core/trace/text/visible-text.ts";
import { answerToolCalls, type ShownToolCall } from "./answer-calls.ts";
import { mayHaveAnswerCards } from "./may-have-cards.ts";

export interface AnswerCard {
  readonly title: string;
  /** JSON text, indented unless that would change a value; of a call that was cut, the beginning. */
  readonly json: string;
}

/** How many cards a run has: none before it has ended, and none for an answer in prose. */
export function answerCardCount(trace: TraceModel): number {
  const { finished } = trace;
  if (!finished || !mayHaveAnswerCards(trace)) return 0;
  const calls = answerToolCalls(trace).length;
  if (calls > 0) return calls;
  return indentJson(finished.text) !== null ? 1 : 0;
}

/** The cards with the indices `from` to `to` (excluded); all cards by default. */
export function answerCards(trace: TraceModel, from = 0, to = answerCardCount(trace)): readonly AnswerCard[] {
  const { finished } = trace;
  if (!finished || to <= from) return [];
  const calls = answerToolCalls(trace);
  if (calls.length > 0) return calls.slice(from, to).map(callCard);
  return [{ title: "JSON answer", json: indentJson(finished.text) ?? finished.text }];
}

function callCard({ name, arguments: given, cut }: ShownToolCall): AnswerCard {
  if (name === "") return { title: `Tool call with an incomplete name, ${cut}`, json: given };
  const what = given === "" ? "Tool call without arguments" : "Tool call";
  const kind = cut === null ? "Tool call" : `${what}, ${cut}`;
  return { title: `${kind}: ${showInvisibleCharacters(name)}`, json: indentJson(given) ?? given };
}

/**
 * Longer texts, and texts with deeper nesting, are not indented: with n nested lists, the indented text has about n²
 * characters.
 */
const longestIndented = 200_000;
const deepestIndented = 100;

/**
 * A JSON text with one value per line. The text is returned unchanged if parsing would lose something, such as 1e400 or a
 * repeated key; null if it is not JSON, or too long or too deep to be indented.
 */
export function indentJson(text: string): string | null {
  if (text.length > longestIndented || measureJson(text).depth > deepestIndented) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const withoutSpace = text.replace(
    /("(?:[^"\\]|\\.)*")|\s+/g,
    (_all, string: string | undefined) => string ?? "",
  );
  return JSON.stringify(value) === withoutSpace ? JSON.stringify(value, null, 2) : text.trim();
}
