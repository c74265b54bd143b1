/** Finds the rows of the event list that match a filter. In steps, since a run may have a million rows. Pure. */
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import type { ModCallRecord } from "../../../core/trace/format/format.ts";
import { isHidden } from "../../../core/trace/model/questions.ts";
import { noIndex, type TokenKind } from "../../../core/trace/model/token-table.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modName, recordOf } from "../../../core/trace/model/trace-view.ts";
import { steeringMods } from "../ribbon/ribbon-cells.ts";
import { type EventRows, noCallRecord, rowAt, tokensOfRow } from "./event-rows.ts";
import type {
  FilterCondition,
  FilterNumberKey,
  FilterTerm,
  FilterWordKey,
  KindWord,
} from "./filter-language.ts";

/** Returns whether the text of a row matches. @throws Error if matching takes too much work. */
export type MatchText = (text: string) => boolean;

/** A term of the filter with the compiled matcher of its regular expression. */
export interface CompiledTerm {
  readonly isNot: boolean;
  readonly condition: FilterCondition;
  readonly match: MatchText | null;
}

export function termWithMatcher(
  { isNot, condition }: FilterTerm,
  match: MatchText | null = null,
): CompiledTerm {
  return { isNot, condition, match };
}

/** Work of a step, in rows. 1,000 searched characters count as one row. */
const rowsPerStep = 256;

/** In steps: appends to `found` the numbers of the rows, from `first` on, that match all terms. */
export function* searchRows(
  trace: TraceModel,
  rows: EventRows,
  terms: readonly CompiledTerm[],
  found: number[],
  first = 0,
): ResumableWork<void> {
  let work = 0;
  for (let row = first; row < rows.count; row += 1) {
    let text: string | null = null;
    const textOf = () => {
      text ??= searchedText(trace, rows, row);
      work += text.length / 1000;
      return text;
    };
    if (terms.every((term) => holds(trace, rows, row, term, textOf) !== term.isNot)) found.push(row);
    work += 1;
    if (work < rowsPerStep) continue;
    work = 0;
    yield row / rows.count;
  }
}

function holds(
  trace: TraceModel,
  rows: EventRows,
  row: number,
  { condition, match }: CompiledTerm,
  textOf: () => string,
): boolean {
  switch (condition.type) {
    case "text":
      return textOf().toLowerCase().includes(condition.text);
    case "regex":
      return match?.(textOf()) ?? false;
    case "mod":
      return modsOf(trace, rows, row).some((mod) =>
        modName(trace, mod).toLowerCase().includes(condition.name),
      );
    case "word":
      return hasWord(trace, rows, row, condition.key, condition.word);
    case "number": {
      const { key, least, most, isOpen } = condition;
      const isIn = (value: number) =>
        isOpen ? value > least && value < most : value >= least && value <= most;
      return someNumber(trace, rows, row, key, isIn);
    }
  }
}

/** The most console lines of a row that are searched, and the most characters of each. */
const linesSearched = 100;
const lineSearched = 10_000;

/** The text of a row, and the mod's console output. */
function searchedText(trace: TraceModel, rows: EventRows, row: number): string {
  const { name, what } = rowAt(trace, rows, row);
  const call = callAt(trace, rows, row);
  if (!call) return `${name} ${what}`;
  const lines = call.console.slice(0, linesSearched).map(({ text }) => text.slice(0, lineSearched));
  return [`${call.event} ${call.action.type} ${name} ${what}`, ...lines].join("\n");
}

function callAt(trace: TraceModel, { calls }: EventRows, row: number): ModCallRecord | null {
  return calls[row] === noCallRecord ? null : recordOf(trace, calls[row], "modCall");
}

/** The mod of a call; for an event, the mods that forced, removed or changed something at it, or steered it. */
function modsOf(trace: TraceModel, rows: EventRows, row: number): readonly number[] {
  const call = callAt(trace, rows, row);
  if (call) return [call.mod];
  const event = trace.events[rows.events[row] ?? -1];
  if (!event) return [];
  if (event.editedBy.length > 0) return event.editedBy;
  const span = event.span === null ? undefined : trace.spans[event.span];
  if (span) return [span.mod];
  const first = event.type === "added" ? (event.firstToken ?? noIndex) : noIndex;
  const forcedBy = trace.tokens.mod[first] ?? noIndex;
  return forcedBy === noIndex ? [...steeringMods(trace, first)] : [forcedBy];
}

function hasWord(trace: TraceModel, rows: EventRows, row: number, key: FilterWordKey, word: string): boolean {
  const call = callAt(trace, rows, row);
  switch (key) {
    case "event":
      return trace.events[rows.events[row] ?? -1]?.type === word;
    case "action":
      return call !== null && call.fault === null && call.action.type === word;
    case "fault":
      return call !== null && call.fault !== null && (word === "any" || call.fault.kind === word);
    case "log":
      return call?.console.some(({ level }) => word === "any" || level === word) ?? false;
    case "kind":
      return someToken(trace, rows, row, (token) => kindTests[word as KindWord](trace, token));
  }
}

const hasKind =
  (kind: TokenKind) =>
  ({ tokens }: TraceModel, token: number): boolean =>
    tokens.kind[token] === kind;

/** Whether a token is of a kind. */
const kindTests: Readonly<Record<KindWord, (trace: TraceModel, token: number) => boolean>> = {
  sampled: hasKind("sampled"),
  adjusted: hasKind("adjusted"),
  forced: hasKind("forced"),
  reinjected: hasKind("reinjected"),
  end: hasKind("end"),
  moved: hasKind("moved"),
  removed: ({ tokens }, token) => tokens.removedBy[token] !== noIndex,
  asked: ({ tokens, spans }, token) => spans[tokens.removedBy[token] ?? noIndex]?.isQuestion === true,
  steered: ({ tokens }, token) => tokens.steered[token] != null,
  hidden: isHidden,
};

function someToken(
  trace: TraceModel,
  rows: EventRows,
  row: number,
  isWanted: (token: number) => boolean,
): boolean {
  const own = tokensOfRow(trace, rows, row);
  if (!own) return false;
  for (let token = own.first; token < own.first + own.count; token += 1) if (isWanted(token)) return true;
  return false;
}

function someNumber(
  trace: TraceModel,
  rows: EventRows,
  row: number,
  key: FilterNumberKey,
  isIn: (value: number) => boolean,
): boolean {
  const event = trace.events[rows.events[row] ?? -1];
  if (!event) return false;
  const call = callAt(trace, rows, row);
  const { tokens, leftOut } = trace;
  switch (key) {
    case "step":
      return isIn(call?.step ?? event.step);
    case "token":
      return someToken(trace, rows, row, (token) => isIn(token + 1));
    case "took": {
      const took = call ?? recordOf(trace, event.record ?? noIndex, "forwardPass");
      return took !== null && !leftOut.has("timings") && isIn(took.durationUs);
    }
    case "p":
      // NaN, which means unknown, is in no range.
      if (leftOut.has("probabilities")) return false;
      return someToken(trace, rows, row, (token) =>
        isIn(Math.exp(tokens.logprobBefore[token] ?? Number.NaN)),
      );
    case "entropy":
      if (leftOut.has("probabilities")) return false;
      return someToken(trace, rows, row, (token) => isIn(tokens.entropyBefore[token] ?? Number.NaN));
  }
}
