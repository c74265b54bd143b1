/** What a program would take from an answer: its tool calls, or its JSON. Pure. */
import type { TraceModel } from "../../trace/trace-model.ts";

export interface AnswerCard {
  readonly title: string;
  /** JSON, indented where that changes none of its values. */
  readonly json: string;
}

/** The cards of a run that has ended; none for an answer in prose. */
export function answerCards({ finished }: TraceModel): readonly AnswerCard[] {
  if (!finished) return [];
  if (finished.toolCalls.length > 0) {
    return finished.toolCalls.map(({ function: { name, arguments: given } }) => ({
      title: `Tool call: ${name}`,
      json: indented(given) ?? given,
    }));
  }
  const json = /^\s*[{[]/.test(finished.text) ? indented(finished.text) : null;
  return json === null ? [] : [{ title: "JSON answer", json }];
}

/**
 * A JSON text with one value to a line. It comes back unchanged where parsing would lose something, such as 1e400 or a key
 * that comes twice; null when it is not JSON.
 */
export function indented(text: string): string | null {
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
