/** The run as a document: plain, selectable, printable, with real deletions and insertions and a note for each change. */
import { memo, useMemo, useState } from "react";
import { indexOfHealingToken } from "../../core/trace/model/healed-by.ts";
import { outputTextOf } from "../../core/trace/model/output-text.ts";
import { questionLabel } from "../../core/trace/model/question-text.ts";
import { replacesCounterfactual } from "../../core/trace/model/replaces-counterfactual.ts";
import {
  isRange,
  overlap,
  rangeOf,
  type Selection,
  type TokenRange,
} from "../../core/trace/model/selection.ts";
import { describeTokenSteering } from "../../core/trace/model/steered-layers.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { modName, tokenRow } from "../../core/trace/model/trace-view.ts";
import { type TranscriptPart, transcript, transcriptPage } from "../../core/trace/model/transcript.ts";
import {
  isolateDirection,
  isPartOfCharacter,
  partOfCharacter,
  showInvisibleCharacters,
} from "../../core/trace/text/visible-text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { formatCount, shorten } from "../ui/format.ts";
import { PagedList, PageNavigation } from "../ui/paged.tsx";
import { answerToolCalls, type ShownToolCall } from "./answer-calls.ts";
import "../ui/empty-state.css";
import "./transcript.css";

interface TranscriptProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  /** How much of the run is drawn at a time. */
  readonly most: TranscriptPageLimits;
}

interface TranscriptPageLimits {
  /** The most parts (stretches of tokens of one kind), and the most UTF-16 units. */
  readonly parts: number;
  readonly characters: number;
}

/** Sizes for the panel, which shows one page, and for paper, which has room for many. */
export const transcriptPageLimits = {
  panel: { parts: 150, characters: 50_000 },
  paper: { parts: 2_000, characters: 1_000_000 },
} as const satisfies Readonly<Record<string, TranscriptPageLimits>>;

/** The beginning of a page: index of its first token, and the number of notes before it. */
interface PageStart {
  readonly token: number;
  readonly notes: number;
}

const firstPage: readonly PageStart[] = [{ token: 0, notes: 0 }];

export const Transcript = memo(function Transcript({ trace, version, selection, most }: TranscriptProps) {
  const chosen = isRange(selection) ? rangeOf(selection) : null;
  const [starts, setStarts] = useState({ trace, pages: firstPage });
  const pages = starts.trace === trace ? starts.pages : firstPage;
  const start = pages.at(-1) ?? { token: 0, notes: 0 };
  const count = trace.tokens.text.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const { parts, next } = useMemo(
    () => transcriptPage(trace, start.token, most),
    [trace, version, start.token, most],
  );
  const notes = useMemo(() => notesOf(trace, parts), [trace, parts]);
  if (parts.length === 0)
    return <p className="inspector-empty">The model’s text appears here as plain text.</p>;
  const goTo = (to: readonly PageStart[]) => setStarts({ trace, pages: to });
  const range = `Tokens ${formatCount(start.token + 1)} to ${formatCount(next)} of ${formatCount(count)}`;
  return (
    <article className="transcript">
      <div className="transcript-actions">
        <CopyButton label="Copy text" text={() => trace.finished?.text ?? outputTextOf(trace)} />
        <CopyButton label="Copy with marks" text={() => transcript(trace)} />
      </div>
      <p className="transcript-text" translate="no">
        {parts.map((part, place) => (
          <Part
            key={part.firstToken}
            part={part}
            selected={chosen && selectedText(trace, part, chosen)}
            note={numbered(notes[place]?.number, start.notes)}
          />
        ))}
      </p>
      <ToolCalls calls={answerToolCalls(trace)} />
      <Notes notes={notes} before={start.notes} />
      {(start.token > 0 || next < count) && (
        <PageNavigation
          range={range}
          onEarlier={pages.length > 1 ? () => goTo(pages.slice(0, -1)) : null}
          onLater={
            next < count
              ? () => goTo([...pages, { token: next, notes: start.notes + countNotes(notes) }])
              : null
          }
        />
      )}
    </article>
  );
});

const numbered = (number: number | null | undefined, before: number): number | null =>
  number === null || number === undefined ? null : number + before;

const countNotes = (notes: readonly Note[]): number => notes.filter(({ number }) => number !== null).length;

/** The notes of a page; `before`: the number of notes on the pages before it. */
function Notes({ notes, before }: { notes: readonly Note[]; before: number }) {
  const written = notes.filter(({ number }) => number !== null);
  if (written.length === 0) return null;
  return (
    <ol className="transcript-notes" start={before + 1}>
      {written.map(({ number, text }) => (
        <li key={number}>{text}</li>
      ))}
    </ol>
  );
}

/** The most tool calls that are drawn at a time, and the most characters of each. */
const callsShown = 20;
const callLength = 10_000;

/** The calls that the request ended with: name and arguments, as the client gets them. */
function ToolCalls({ calls }: { calls: readonly ShownToolCall[] }) {
  if (calls.length === 0) return null;
  return (
    <PagedList count={calls.length} size={callsShown} noun="calls">
      {(from, to) => (
        <ul className="transcript-calls" aria-label="Tool calls">
          {calls.slice(from, to).map((call, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the calls of a run that has ended never change places
            <li key={from + place}>
              {call.name === "" ? "Call without a name" : <b>{showInvisibleCharacters(call.name)}</b>}{" "}
              <code translate="no">{shorten(call.arguments, callLength)}</code>
              {call.cut !== null && ` (${call.cut})`}
            </li>
          ))}
        </ul>
      )}
    </PagedList>
  );
}

/** A range of a part's text, in UTF-16 units; the end is not included. */
interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The selected range of a part's text; null if none is selected. */
function selectedText(trace: TraceModel, part: TranscriptPart, range: TokenRange): TextRange | null {
  const { firstToken, tokenCount } = part;
  const both = overlap(range, { first: firstToken, end: firstToken + tokenCount });
  if (!both) return null;
  const lengthOf = (first: number, end: number) => {
    let length = 0;
    for (let index = first; index < end; index += 1) length += trace.tokens.text[index]?.length ?? 0;
    return length;
  };
  const from = lengthOf(firstToken, both.first);
  return { from, to: from + lengthOf(both.first, both.end) };
}

interface PartProps {
  readonly part: TranscriptPart;
  readonly selected: TextRange | null;
  readonly note: number | null;
}

function Part({ part, selected, note }: PartProps) {
  const mark = note !== null && <sup>{note}</sup>;
  // White space stays outside of the mark, so that no underline begins before the word.
  const leadLength = /^\s*/.exec(part.text)?.[0].length ?? 0;
  const shown = (from: number, to: number) => {
    if (!selected) return part.text.slice(from, to);
    const at = (place: number) => Math.max(from, Math.min(to, place));
    return (
      <>
        {part.text.slice(from, at(selected.from))}
        {at(selected.from) < at(selected.to) && (
          <mark>{part.text.slice(at(selected.from), at(selected.to))}</mark>
        )}
        {part.text.slice(at(selected.to), to)}
      </>
    );
  };
  const lead = shown(0, leadLength);
  const text = shown(leadLength, part.text.length);
  switch (part.standing) {
    case "removed":
      return (
        <>
          {lead}
          <del>{text}</del>
          {mark}
        </>
      );
    case "asked":
      return (
        <>
          {lead}
          <span className="transcript-asked">{text}</span>
          {mark}
        </>
      );
    case "forced":
    case "reinjected":
    case "moved":
      return (
        <>
          {lead}
          <ins className={`transcript-${part.standing}`}>{text}</ins>
          {mark}
        </>
      );
    case "adjusted":
      return (
        <>
          {lead}
          <span className="transcript-adjusted">{text}</span>
          {mark}
        </>
      );
    case "end":
      return <span> ¶</span>;
    case "sampled":
      if (!part.steered) return shown(0, part.text.length);
      return (
        <>
          {lead}
          <span className="transcript-steered">{text}</span>
          {mark}
        </>
      );
  }
}

interface Note {
  /** Number of the note on the page, from 1; null for a part without a note. */
  readonly number: number | null;
  readonly text: string;
}

/** One entry for each part; parts that a mod changed have a note. */
function notesOf(trace: TraceModel, parts: readonly TranscriptPart[]): readonly Note[] {
  let number = 0;
  return parts.map((part) => {
    const text = noteOf(trace, part);
    if (text === null) return { number: null, text: "" };
    number += 1;
    return { number, text };
  });
}

/** The names of tokens with which models of many families end a text. */
const endTokens = /^(<\/?s>|<eos>|<end_of_turn>|<\|(im_end|endoftext|end_of_text|eot_id|end|eot|return)\|>)$/;
/** The name of any other token that is no text, such as <|im_start|>. */
const specialToken = /^<\|[^<>|\s]+\|>$/;

/** A token's text in quotes, or a description in words if the text says nothing to a visitor or would be invisible. */
export function describeQuotedToken(text: string): string {
  const trimmed = text.trim();
  if (endTokens.test(trimmed)) return `the end of the text (the token ${trimmed})`;
  if (specialToken.test(trimmed)) return `the control token ${trimmed}`;
  if (isPartOfCharacter(trimmed)) return partOfCharacter;
  if (trimmed !== "") return `“${isolateDirection(showInvisibleCharacters(trimmed))}”`;
  if (text.includes("\n")) return "a line break";
  return text === "" ? "a token without text" : "a space";
}

function noteOf(trace: TraceModel, part: TranscriptPart): string | null {
  const row = tokenRow(trace, part.firstToken);
  const by = row.mods.join(" and ") || "a mod";
  const line = row.line === null ? "" : `, line ${row.line}`;
  const counterfactual = row.counterfactual
    ? ` The model would have written ${describeQuotedToken(row.counterfactual.text)}.`
    : "";
  switch (part.standing) {
    case "removed": {
      const span = trace.spans[part.span ?? -1];
      if (span && indexOfHealingToken(trace, span) !== null) return "Removed by token healing.";
      return `Removed by ${span ? modName(trace, span.mod) : "a mod"}.`;
    }
    case "asked": {
      const span = trace.spans[part.span ?? -1];
      const asked = span ? `, ${questionLabel(trace, span.number)}` : "";
      return `Question from ${span ? modName(trace, span.mod) : by}, not in the output${asked}.`;
    }
    case "moved":
      return `The model’s answer to a question, inserted by ${by}${line}.`;
    case "forced":
      return `Forced by ${by}${line}.${counterfactual}`;
    case "reinjected":
      return `Replacement by ${by}${line}.${replacesCounterfactual(trace, row) ? "" : counterfactual}`;
    case "adjusted":
      return `Adjusted by ${by}.${counterfactual}`;
    case "sampled":
      return part.steered && describeTokenSteering(trace, part.steered);
    default:
      return null;
  }
}
