/** The raw records of the active row, as JSON. */
import type { EventItem } from "../../../core/trace/model/trace-items.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { visibleSource } from "../../../core/trace/text/visible-source.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { formatCount } from "../../ui/format.ts";
import { recordsOf, recordText } from "./record-text.ts";

interface RecordViewProps {
  readonly trace: TraceModel;
  /** Raised as the trace grows: the record of an event may come later than the event. */
  readonly version: number;
  readonly event: EventItem | null;
  /** Number of the call's record, or `noCallRecord`. */
  readonly call: number;
}

export function RecordView({ trace, event, call }: RecordViewProps) {
  if (!event) return <p className="record record-empty">Choose a row to see its record.</p>;
  const numbers = recordsOf(trace, event, call);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
    <section className="record" aria-label="Raw record" tabIndex={0}>
      {numbers.length === 0 && (
        <p className="record-empty">This event did not finish, so it has no record.</p>
      )}
      {numbers.map((number) => (
        <div key={number}>
          <header>
            <h2>
              {trace.records[number]?.type}, record {formatCount(number + 1)} of{" "}
              {formatCount(trace.records.length)}
            </h2>
            <CopyButton label="Copy" text={() => JSON.stringify(trace.records[number], null, 2)} />
          </header>
          <pre translate="no">{visibleSource(recordText(trace.records[number])).text}</pre>
        </div>
      ))}
    </section>
  );
}
