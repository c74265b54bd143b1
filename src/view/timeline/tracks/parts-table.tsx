/** The tracks in words: the work for the selected tokens, how often it was done, and how long it took. */
import { memo, useMemo } from "react";
import { formatCount, formatDuration } from "../../../core/base/number-text.ts";
import {
  rangeOf,
  type Selection,
  selectToken,
  type TokenRange,
} from "../../../core/trace/model/selection.ts";
import { timeByPart, type WorkPartTime } from "../../../core/trace/model/time-by-part.ts";
import { spanRangeOf } from "../../../core/trace/model/time-spans.ts";
import { timeOfRange } from "../../../core/trace/model/token-times.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { rangeName } from "../range-name.ts";
import { timePartName } from "./part-labels.ts";
import { describeSpan } from "./span-labels.ts";
import { lanesOf, timeSpansOfLane } from "./track-lanes.ts";
import "./parts-table.css";

interface PartsTableProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection) => void;
}

export const TimeByPartTable = memo(function PartsTable(props: PartsTableProps) {
  const { trace, version, selection, onSelect } = props;
  const count = trace.tokens.text.length;
  const chosen = selection && rangeOf(selection);
  const range = chosen && chosen.end <= count ? chosen : { first: 0, end: Math.max(1, count) };
  const isWhole = range.end - range.first >= count;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const parts = useMemo(() => timeByPart(trace, range), [trace, version, range.first, range.end]);
  if (count === 0) return null;
  const timed = !trace.leftOut.has("timings");
  const { fromUs, toUs } = timeOfRange(trace, range);
  return (
    <div className="parts">
      <table className="parts-table">
        <caption>
          <strong>{isWhole ? "All tokens" : rangeName(range)}</strong>
          {timed && ` took ${formatDuration(toUs - fromUs)}`}
          {timed || ": the times were not saved"}
        </caption>
        {/* A token that a mod forced together with others may have no work of its own. */}
        {parts.length > 0 && (
          <thead>
            <tr>
              <th scope="col">part</th>
              <th scope="col">count</th>
              {timed && (
                <>
                  <th scope="col">total</th>
                  <th scope="col">each</th>
                  <th scope="col">longest</th>
                </>
              )}
            </tr>
          </thead>
        )}
        <tbody>
          {parts.map((part) => (
            <PartRow
              key={typeof part.part === "object" ? part.part.mod : part.part}
              name={timePartName(trace, part.part)}
              part={part}
              isMod={typeof part.part === "object"}
              onToken={(token) => onSelect(selectToken(Math.min(token, count - 1)))}
            />
          ))}
        </tbody>
      </table>
      <SpanList trace={trace} range={range} />
    </div>
  );
});

interface PartRowProps {
  readonly name: string;
  readonly part: WorkPartTime;
  readonly isMod: boolean;
  readonly onToken: (token: number) => void;
}

function PartRow({ name, part: { count, totalUs, longestUs, longestToken }, isMod, onToken }: PartRowProps) {
  return (
    <tr>
      <th scope="row" className={isMod ? "parts-mod" : undefined}>
        {name}
      </th>
      <td>{formatCount(count)}</td>
      {totalUs !== null && longestUs !== null && (
        <>
          <td>{formatDuration(totalUs)}</td>
          <td>{formatDuration(totalUs / count)}</td>
          <td>
            {count === 1 ? (
              formatDuration(longestUs)
            ) : (
              <button type="button" className="link" onClick={() => onToken(longestToken)}>
                {formatDuration(longestUs)}
                <span className="visually-hidden"> at token {formatCount(longestToken + 1)}</span>
              </button>
            )}
          </td>
        </>
      )}
    </tr>
  );
}

/** The most spans that are listed one by one. */
const mostListed = 60;

/** Every span of a few tokens, lane by lane. */
function SpanList({ trace, range }: { trace: TraceModel; range: TokenRange }) {
  const lanes = lanesOf(trace).flatMap((lane) => {
    const table = timeSpansOfLane(trace, lane);
    return table ? [{ lane, spans: spanRangeOf(table, range) }] : [];
  });
  const total = lanes.reduce((sum, { spans }) => sum + spans.end - spans.first, 0);
  if (total === 0 || total > mostListed) return null;
  return (
    <ul className="parts-spans" aria-label="Every forward pass, sampling step and mod call">
      {lanes.flatMap(({ lane, spans }) =>
        Array.from({ length: spans.end - spans.first }, (_, place) => {
          const { what, took } = describeSpan(trace, lane, spans.first + place);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: spans are only added
            <li key={`${lane.kind} ${lane.mod} ${spans.first + place}`}>
              {what}
              {took && <span className="parts-took"> {took}</span>}
            </li>
          );
        }),
      )}
    </ul>
  );
}
