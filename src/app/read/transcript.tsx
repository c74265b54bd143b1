/** The run as a document: plain, selectable, printable, with real deletions and insertions and a note for each change. */
import { useMemo } from "react";
import type { TraceToolCall } from "../../trace/format-request.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { liveText, type TranscriptPart, transcript, transcriptParts } from "../../trace/trace-text.ts";
import { tokenRow } from "../../trace/trace-view.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import "./transcript.css";

interface TranscriptProps {
  readonly trace: TraceModel;
  readonly version: number;
}

export function Transcript({ trace, version }: TranscriptProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const parts = useMemo(() => transcriptParts(trace), [trace, version]);
  const notes = useMemo(() => notesOf(trace, parts), [trace, parts]);
  if (parts.length === 0)
    return <p className="inspector-empty">What the model writes appears here as plain text.</p>;
  return (
    <article className="transcript">
      <div className="transcript-actions">
        <CopyButton label="Copy text" text={() => trace.finished?.text ?? liveText(trace)} />
        <CopyButton label="Copy with marks" text={() => transcript(trace)} />
      </div>
      <p className="transcript-text">
        {parts.map((part) => (
          <Part key={part.firstToken} part={part} note={notes.findIndex((note) => note.part === part) + 1} />
        ))}
      </p>
      <ToolCalls calls={trace.finished?.toolCalls ?? []} />
      {notes.length > 0 && (
        <ol className="transcript-notes">
          {notes.map(({ part, text }) => (
            <li key={part.firstToken}>{text}</li>
          ))}
        </ol>
      )}
    </article>
  );
}

/** What the request ended with, where that is calls: name and arguments, as the client gets them. */
function ToolCalls({ calls }: { calls: readonly TraceToolCall[] }) {
  if (calls.length === 0) return null;
  return (
    <ul className="transcript-calls" aria-label="Tool calls">
      {calls.map(({ id, function: called }) => (
        <li key={id}>
          <b>{called.name}</b> <code>{called.arguments}</code>
        </li>
      ))}
    </ul>
  );
}

function Part({ part, note }: { part: TranscriptPart; note: number }) {
  const mark = note > 0 && <sup>{note}</sup>;
  // White space stands outside of the mark, so that no line hangs before a word.
  const lead = /^\s*/.exec(part.text)?.[0] ?? "";
  const text = part.text.slice(lead.length);
  switch (part.standing) {
    case "removed":
      return (
        <>
          {lead}
          <del>{text}</del>
          {mark}
        </>
      );
    case "forced":
    case "reinjected":
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
      return part.text;
  }
}

interface Note {
  readonly part: TranscriptPart;
  readonly text: string;
}

/** One note for each part that a mod changed. */
function notesOf(trace: TraceModel, parts: readonly TranscriptPart[]): readonly Note[] {
  return parts.flatMap((part) => {
    const row = tokenRow(trace, part.firstToken);
    const by = row.mods.join(" and ") || "a mod";
    const line = row.line === null ? "" : `, line ${row.line}`;
    const ghost = row.ghost ? ` The model would have written “${row.ghost.text.trim()}”.` : "";
    switch (part.standing) {
      case "removed": {
        const span = trace.spans[part.span ?? -1];
        const name = span ? (trace.request?.mods[span.mod]?.name ?? "a mod") : "a mod";
        return [{ part, text: `Removed by ${name}.` }];
      }
      case "forced":
        return [{ part, text: `Forced by ${by}${line}.${ghost}` }];
      case "reinjected":
        return [{ part, text: `Put in place of removed text by ${by}${line}.${ghost}` }];
      case "adjusted":
        return [{ part, text: `Adjusted by ${by}.${ghost}` }];
      default:
        return [];
    }
  });
}
