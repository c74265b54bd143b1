/** Questions that a mod asks the model inside the output, and their answers, which may become part of the output. */
import type { AddedRecord, TraceRecord, TraceToken } from "../format/format.ts";
import type { TokenTable } from "./token-table.ts";

interface Recorded {
  readonly tokens: Pick<TokenTable, "text" | "addedRecord">;
  readonly records: readonly TraceRecord[];
}

/** Tokens that were removed together (`RemovedSpan`). */
interface PossibleQuestion {
  readonly removed: readonly number[];
  isQuestion: boolean;
  isRepeated: boolean;
}

/** The record that added a token. */
const addedOf = ({ tokens, records }: Recorded, index = -1) =>
  records[tokens.addedRecord[index] ?? -1] as AddedRecord | undefined;

/** Whether a mod hid the token from the start, as it hides a question's tokens. */
export const isHidden = (recorded: Recorded, index: number): boolean =>
  addedOf(recorded, index)?.hidden === true;

/** How many of a question's tokens are its prompt. The others are the answer. */
export function questionPromptLength(recorded: Recorded, removed: readonly number[]): number {
  const first = addedOf(recorded, removed[0]);
  return first?.hidden && first.source !== "sampled" ? first.tokens.length : 0;
}

/**
 * Compares a removed span with the tokens that replace it, and marks the span if their text equals its whole text. Returns how
 * many of these tokens repeat the span: all of them if the texts are equal; after a question, the first tokens that equal its
 * answer.
 */
export function markSpanWrittenAgain(
  recorded: Recorded,
  span: PossibleQuestion,
  added: readonly TraceToken[],
): number {
  const texts = span.removed.map((index) => recorded.tokens.text[index]);
  const whole = textOf(texts);
  if (whole !== "" && whole === textOf(added.map(({ text }) => text))) {
    span.isQuestion = true;
    span.isRepeated = true;
    return added.length;
  }
  if (!span.isQuestion) return 0;
  const start = questionPromptLength(recorded, span.removed);
  const differs = added.findIndex(({ text }, place) => text !== texts[start + place]);
  return differs < 0 ? added.length : differs;
}

const textOf = (texts: readonly (string | undefined)[]) => texts.join("").trim();
