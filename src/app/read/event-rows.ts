/** Rows of the event table and their filter. Pure. */
import type { EventEntry } from "../../trace/event-list.ts";
import type { TraceModel } from "../../trace/trace-model.ts";

export interface EventRow {
  readonly key: string;
  /** False for the answer of a mod, whose row stands below the row of its event. */
  readonly isEvent: boolean;
  readonly timeUs: number | null;
  readonly step: number;
  readonly name: string;
  readonly what: string;
  /** Index of the token that a click on the row goes to. */
  readonly token: number | null;
  readonly mod: number | null;
  readonly line: number | null;
  readonly isFault: boolean;
  /** The text in lower case in which `filterRows` looks for words. */
  readonly haystack: string;
}

export function rowsOf(trace: TraceModel, { event, summary, calls }: EventEntry): readonly EventRow[] {
  const token = event.firstToken ?? nextToken(trace, event.number);
  const timeUs = trace.leftOut.has("timings") ? null : event.timeUs;
  const own: EventRow = {
    key: `event ${event.number}`,
    isEvent: true,
    timeUs,
    step: event.step,
    name: event.type,
    what: summary,
    token,
    mod: null,
    line: null,
    isFault: false,
    haystack: `${event.type} ${summary}`.toLowerCase(),
  };
  const answers = calls.map(({ record, modName, call, summary: said }): EventRow => {
    const logged = call.console.map(({ text }) => ` · ${text}`).join("");
    return {
      key: `call ${record}`,
      isEvent: false,
      timeUs: null,
      step: call.step,
      name: modName,
      what: said + logged,
      token,
      mod: call.mod,
      line: call.fault?.line ?? call.line,
      isFault: call.fault !== null,
      haystack: `${event.type} ${modName} ${call.action.type} ${said}${logged}`.toLowerCase(),
    };
  });
  return [own, ...answers];
}

/** The first token that was added at or after an event, or null. */
function nextToken(trace: TraceModel, event: number): number | null {
  const near = trace.events
    .slice(event, event + 12)
    .find(({ type, firstToken }) => type === "added" && firstToken !== null);
  return near?.firstToken ?? null;
}

/** Rows that hold every word of the filter, in any order and case. */
export function filterRows(rows: readonly EventRow[], filter: string): readonly EventRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0
    ? rows
    : rows.filter(({ haystack }) => words.every((word) => haystack.includes(word)));
}
