/** Details of one step: the probabilities of the token in numbers, and what the mods did and logged there. */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { visibleSource } from "../../../core/trace/text/visible-source.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun, formatDuration, formatProbability, shorten } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { PagedList } from "../../ui/paged.tsx";
import { wrapQuotes } from "../whole-quotes.tsx";
import { type ModCallEntry, modCallEntry, type OpenSource } from "./call-entry.ts";
import { describeDrawSettings } from "./draw-labels.ts";
import { aboutSign, isChosenByUser, type StepInspection } from "./inspection.ts";

interface StepDetailsProps {
  readonly inspection: StepInspection;
  readonly trace: TraceModel;
  readonly onOpenSource: OpenSource | null;
}

export function StepDetails({ inspection, trace, onOpenSource }: StepDetailsProps) {
  const { calls, row } = inspection;
  return (
    <>
      <Details inspection={inspection} trace={trace} />
      <Calls key={row.index} trace={trace} calls={calls} onOpenSource={onOpenSource} />
    </>
  );
}

function Details({ inspection: { row, rank, topCount }, trace }: Omit<StepDetailsProps, "onOpenSource">) {
  const about = aboutSign(trace);
  const details: [string, string | null, string][] = [
    [
      "model’s probability",
      probabilityDetail(row, about),
      "Before the mods, temperature, top-k, top-p and min-p",
    ],
    ["rank", rankDetail(rank, topCount), "Among all tokens, before the mods"],
    ["entropy", entropyDetail(row, about), "0 bits: the model was certain"],
    ["random number", randomNumberDetail(row, trace), "Between 0 and 1; decided which token was chosen"],
    [
      finalName(trace, row),
      row.candidates === null || row.probability === null ? null : about + formatProbability(row.probability),
      "Among the tokens that could be chosen",
    ],
    [
      "chosen from",
      row.candidates === null ? null : countWithNoun(row.candidates, "token"),
      "After top-k, top-p and min-p",
    ],
    ["token id", row.token === null ? null : String(row.token), "Its number in the vocabulary"],
    [
      "time since the start",
      row.timeUs === null ? null : formatDuration(row.timeUs),
      "From the start of the run to this token",
    ],
  ];
  return (
    <dl className="facts">
      {details.map(
        ([name, value, help]) =>
          value !== null && (
            <div key={name} title={help}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Names what changed the model's probability: "after temperature 0.7 and top-p 0.95". */
function finalName({ request }: TraceModel, row: StepInspection["row"]): string {
  const settings = request
    ? describeDrawSettings(request.sampling, row.temperature ?? request.sampling.temperature)
    : "";
  const names = [row.editsProbabilities && !row.healed ? "the mods" : "", settings].filter(Boolean);
  return names.length === 0 ? "final probability" : `after ${names.join(", ")}`;
}

function entropyDetail({ entropyBefore, before }: StepInspection["row"], about: string): string | null {
  if (entropyBefore === null) return null;
  const digits = about === "" ? 2 : 1;
  const least = entropyBefore.toFixed(digits);
  const most = before?.partial?.mostEntropy.toFixed(digits) ?? least;
  return `${about}${most === least ? "" : `${least} to `}${most} bits`;
}

function probabilityDetail(row: StepInspection["row"], about: string): string | null {
  if (row.probabilityBefore === null) return null;
  const before = about + formatProbability(row.probabilityBefore);
  const after = row.temperature === null ? row.logprobAfter && Math.exp(row.logprobAfter) : row.probability;
  return row.kind !== "adjusted" || after === null ? before : `${before} → ${formatProbability(after)}`;
}

/** Null where the number decided nothing: at temperature 0, and for a token that the user chose. */
function randomNumberDetail(row: StepInspection["row"], trace: TraceModel): string | null {
  const temperature = row.temperature ?? trace.request?.sampling.temperature;
  const isUsed = temperature !== 0 && !isChosenByUser(trace, row.index);
  return (isUsed && row.draw?.toFixed(4)) || null;
}

function rankDetail(rank: number | null, topCount: number): string | null {
  if (rank !== null) return String(rank);
  return topCount > 0 ? `not in the top ${topCount}` : null;
}

interface CallsProps {
  readonly trace: TraceModel;
  readonly calls: readonly number[];
  readonly onOpenSource: OpenSource | null;
}

/** The most calls, and the most console lines of a call, that are drawn at a time. */
const callsShown = 12;
const linesShown = 12;
/** The most characters of a console line that are drawn. */
const lineLength = 10_000;

function Calls({ trace, calls, onOpenSource }: CallsProps) {
  if (calls.length === 0) return null;
  return (
    <PagedList count={calls.length} size={callsShown} noun="calls">
      {(from, to) => (
        <ul className="calls" aria-label="What the mods did here">
          {calls.slice(from, to).map((record) => {
            const call = modCallEntry(trace, record);
            return call && <Call key={record} call={call} onOpenSource={onOpenSource} />;
          })}
        </ul>
      )}
    </PagedList>
  );
}

function Call({ call, onOpenSource }: { call: ModCallEntry; onOpenSource: OpenSource | null }) {
  return (
    <li className={call.isFault ? "call call-fault" : "call"}>
      <p>
        {call.isFault && <Icon name="warning" />}
        <span className="call-mod">{call.modName}</span> in {call.event}():{" "}
        {wrapQuotes(showInvisibleCharacters(call.summary))} <Source call={call} onOpenSource={onOpenSource} />
        {call.durationUs > 0 && <span className="call-time">{formatDuration(call.durationUs)}</span>}
      </p>
      <PagedList count={call.console.length} size={linesShown} noun="lines">
        {(from, to) =>
          call.console.slice(from, to).map((line, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was logged never changes
            <pre key={from + place} className={`logged logged-${line.level}`} translate="no">
              {visibleSource(shorten(line.text, lineLength)).text}
            </pre>
          ))
        }
      </PagedList>
    </li>
  );
}

function Source({ call, onOpenSource }: { call: ModCallEntry; onOpenSource: OpenSource | null }) {
  if (call.line === null) return null;
  const words = `${call.modName}, line ${call.line}`;
  if (!onOpenSource) return <span className="call-line">{words}</span>;
  return (
    <button type="button" className="link call-line" onClick={() => onOpenSource(call.mod, call.line)}>
      {words}
    </button>
  );
}
