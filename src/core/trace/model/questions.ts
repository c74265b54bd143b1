/** Questions that a mod asks the model inside the output, and the answers that come into the output from them. */
import type { AddedRecord, TraceRecord, TraceToken } from "../format/format.ts";
import type { TokenTable } from "./token-table.ts";
import type { RemovedSpan } from "./trace-items.ts";

interface Recorded {
  readonly tokens: Pick<TokenTable, "text" | "addedRecord">;
  readonly records: readonly TraceRecord[];
}

/** The record that added a token. */
const addedOf = ({ tokens, records }: Recorded, index = -1) =>
  records[tokens.addedRecord[index] ?? -1] as AddedRecord | undefined;

/** Whether a mod hid the token from the start, as it hides the tokens of a question. */
export const isHidden = (recorded: Recorded, index: number): boolean =>
  addedOf(recorded, index)?.hidden === true;

/** How many of a question's tokens are its prompt. The others are the answer. */
export function promptLength(recorded: Recorded, removed: readonly number[]): number {
  const first = addedOf(recorded, removed[0]);
  return first?.hidden && first.source !== "sampled" ? first.tokens.length : 0;
}

/**
 * How many of the tokens that come in the place of a span repeat it: all if the whole text comes again, or, after a question,
 * those that begin with its answer.
 */
export function countRepeated(
  recorded: Recorded,
  { removed, isQuestion }: Pick<RemovedSpan, "removed" | "isQuestion">,
  added: readonly TraceToken[],
): number {
  const isSame = comesAgain(recorded, { removed }, added);
  if (isSame || !isQuestion) return isSame ? added.length : 0;
  const start = promptLength(recorded, removed);
  const differs = added.findIndex(
    ({ text }, place) => text !== recorded.tokens.text[removed[start + place] ?? -1],
  );
  return differs < 0 ? added.length : differs;
}

/** Whether the whole text of a span comes again, in whatever tokens. */
export function comesAgain(
  { tokens }: Recorded,
  { removed }: Pick<RemovedSpan, "removed">,
  added: readonly TraceToken[],
): boolean {
  const text = textOf(removed.map((index) => tokens.text[index]));
  return text !== "" && text === textOf(added.map((each) => each.text));
}

const textOf = (texts: readonly (string | undefined)[]) => texts.join("").trim();
