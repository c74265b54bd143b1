/** Why one token is here: what did it, what else could have come, and what the mods changed. */
import { memo } from "react";
import { formatNumber } from "../../../core/base/number-text.ts";
import { branchPlace } from "../../../core/trace/model/branch-place.ts";
import { isRange, rangeOf, type Selection } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { TokenRow } from "../../../core/trace/model/trace-view.ts";
import {
  isPartOfCharacter,
  partOfCharacter,
  visibleSource,
  visibleText,
} from "../../../core/trace/text/visible-text.ts";
import { IconButton } from "../../ui/button.tsx";
import { formatCount, formatDuration, formatProbability, plural, shorten } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Paged } from "../../ui/paged.tsx";
import { type Alternative, type CallEntry, callEntry, type Inspection, inspect } from "./inspection.ts";
import "../../ui/empty-state.css";
import "./step-inspector.css";

/** Puts the cursor on a line of a mod. Absent if the page has no editor. */
export type OpenSource = (mod: number, line: number | null) => void;

/** Continues from a token of the run with another token in its place. Absent if nothing can run. */
export type Branch = (index: number, token: number) => void;

/** Fetched where the record has the probabilities of a step: most links have not. */
const DrawPanel = lazyPart({
  part: "The picture of the draw",
  load: () => import("./draw-panel.tsx"),
  component: "DrawPanel",
});

const AskedLine = lazyPart({
  part: "The question of a mod",
  load: () => import("./asked-line.tsx"),
  component: "AskedLine",
});

interface StepInspectorProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  readonly onOpenSource: OpenSource | null;
  readonly onBranch: Branch | null;
  /** Further actions that continue from here. */
  readonly goOn?: React.ReactNode;
}

export const StepInspector = memo(function StepInspector({
  trace,
  selection,
  onOpenSource,
  onBranch,
  goOn,
}: StepInspectorProps) {
  const selected = selection?.cursor ?? null;
  if (selected === null || selected >= trace.tokens.text.length) {
    return (
      <p className="inspector-empty">
        {trace.tokens.text.length === 0
          ? "The probabilities of each word appear here."
          : "Choose a word to see why it is there. Arrow keys move; n and p go to changes."}
      </p>
    );
  }
  const inspection = inspect(trace, selected);
  const canBranch = onBranch !== null && trace.finished !== null && branchPlace(trace, selected) !== null;
  return (
    <div className="inspector">
      <div className="inspector-why">
        <Headline inspection={inspection} count={trace.tokens.text.length} selection={selection} />
        {inspection.isQuestion && inspection.row.removedBy !== null && (
          <AskedLine trace={trace} span={inspection.row.removedBy} />
        )}
        {goOn}
        <Facts inspection={inspection} about={trace.leftOut.has("exactNumbers") ? "≈ " : ""} />
        <Calls key={selected} trace={trace} calls={inspection.calls} onOpenSource={onOpenSource} />
      </div>
      <Alternatives
        inspection={inspection}
        onTake={canBranch ? (token) => onBranch(selected, token) : null}
      />
      {(inspection.row.before?.top.length ?? 0) > 0 && <DrawPanel trace={trace} index={selected} />}
    </div>
  );
});

interface HeadlineProps {
  readonly inspection: Inspection;
  readonly count: number;
  readonly selection: Selection | null;
}

function Headline({ inspection: { row, sentences, isQuestion }, count, selection }: HeadlineProps) {
  const range = isRange(selection) ? rangeOf(selection) : null;
  const taken = isQuestion ? "asked" : "removed";
  const mark = row.removedBy !== null ? taken : row.kind;
  return (
    <header className="inspector-head">
      <h2>
        <q className={`inspector-token inspector-${mark}`} translate="no">
          {headlineText(row)}
        </q>
        <span className="inspector-place">
          token {formatCount(row.index + 1)} of {formatCount(count)}
          {range && `, the cursor of ${formatCount(range.end - range.first)} that are selected`}
        </span>
      </h2>
      <p>{sentences.join(" ")}</p>
    </header>
  );
}

function headlineText({ kind, text }: TokenRow): string {
  if (text === "" && kind === "end") return "¶";
  return text === "" || isPartOfCharacter(text) ? partOfCharacter : visibleText(text);
}

interface FactsProps {
  readonly inspection: Inspection;
  /** "≈ " where the record holds rounded numbers: an entropy of 4 bits may be off by 0.3. Else empty. */
  readonly about: string;
}

function Facts({ inspection: { row, rank, kept }, about }: FactsProps) {
  const facts: [string, string | null, string][] = [
    [
      "model’s probability",
      probabilityFact(row, about),
      "Before the mods, temperature, top-k, top-p and min-p",
    ],
    ["rank", rankFact(rank, kept), "Among all tokens, before the mods"],
    ["entropy", entropyFact(row, about), "0 bits: the model was certain"],
    ["random number", row.draw?.toFixed(4) ?? null, "From 0 to 1: chose the token"],
    [
      "final probability",
      row.candidates === null || row.probability === null ? null : about + formatProbability(row.probability),
      "After the mods, temperature, top-k, top-p and min-p",
    ],
    [
      "could be drawn",
      row.candidates === null ? null : plural(row.candidates, "token"),
      "After top-k, top-p and min-p",
    ],
    ["token id", row.token === null ? null : String(row.token), "Its number in the vocabulary"],
    ["written after", row.timeUs === null ? null : formatDuration(row.timeUs), "Since the request began"],
  ];
  return (
    <dl className="facts">
      {facts.map(
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

function entropyFact({ entropyBefore, before }: Inspection["row"], about: string): string | null {
  if (entropyBefore === null) return null;
  const digits = about === "" ? 2 : 1;
  const least = entropyBefore.toFixed(digits);
  const most = before?.partial?.mostEntropy.toFixed(digits) ?? least;
  return `${about}${most === least ? "" : `${least} to `}${most} bits`;
}

function probabilityFact(row: Inspection["row"], about: string): string | null {
  if (row.probabilityBefore === null) return null;
  const before = about + formatProbability(row.probabilityBefore);
  const after = row.temperature === null ? row.logprobAfter && Math.exp(row.logprobAfter) : row.probability;
  return row.kind !== "adjusted" || after === null ? before : `${before} → ${formatProbability(after)}`;
}

function rankFact(rank: number | null, kept: number): string | null {
  if (rank !== null) return String(rank);
  return kept > 0 ? `> ${kept}` : null;
}

interface CallsProps {
  readonly trace: TraceModel;
  readonly calls: readonly number[];
  readonly onOpenSource: OpenSource | null;
}

/** How many calls, and how many console lines of a call, are drawn at a time. */
const callsShown = 12;
const linesShown = 12;
/** Characters of a console line that are drawn. */
const lineLength = 10_000;

function Calls({ trace, calls, onOpenSource }: CallsProps) {
  if (calls.length === 0) return null;
  return (
    <Paged count={calls.length} size={callsShown} noun="calls">
      {(from, to) => (
        <ul className="calls" aria-label="What the mods did here">
          {calls.slice(from, to).map((record) => {
            const call = callEntry(trace, record);
            return call && <Call key={record} call={call} onOpenSource={onOpenSource} />;
          })}
        </ul>
      )}
    </Paged>
  );
}

function Call({ call, onOpenSource }: { call: CallEntry; onOpenSource: OpenSource | null }) {
  return (
    <li className={call.isFault ? "call call-fault" : "call"}>
      <p>
        {call.isFault && <Icon name="warning" />}
        <span className="call-mod">{call.modName}</span> in {call.event}(): {visibleText(call.summary)}{" "}
        <Source call={call} onOpenSource={onOpenSource} />
        {call.durationUs > 0 && <span className="call-time">{formatDuration(call.durationUs)}</span>}
      </p>
      <Paged count={call.console.length} size={linesShown} noun="lines">
        {(from, to) =>
          call.console.slice(from, to).map((line, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: what was logged never changes
            <pre key={from + place} className={`logged logged-${line.level}`} translate="no">
              {visibleSource(shorten(line.text, lineLength)).text}
            </pre>
          ))
        }
      </Paged>
    </li>
  );
}

function Source({ call, onOpenSource }: { call: CallEntry; onOpenSource: OpenSource | null }) {
  if (call.line === null) return null;
  const words = `${call.modName}, line ${call.line}`;
  if (!onOpenSource) return <span className="call-line">{words}</span>;
  return (
    <button type="button" className="link call-line" onClick={() => onOpenSource(call.mod, call.line)}>
      {words}
    </button>
  );
}

/** Takes another token in place of the one that was written. */
type Take = (token: number) => void;

function Alternatives({ inspection, onTake }: { inspection: Inspection; onTake: Take | null }) {
  const { row, alternatives, hasAfter, temperature, unlisted, rank } = inspection;
  if (alternatives.length === 0) {
    return <p className="inspector-empty">The alternatives to this token were not recorded.</p>;
  }
  return (
    <table className="alternatives">
      <caption className="visually-hidden">The most likely tokens at this step</caption>
      <thead>
        <tr>
          <th scope="col">most likely tokens</th>
          <th scope="col">
            {hasAfter ? `before ${row.healed ? "healing" : "the mods"}` : "model’s probability"}
          </th>
          {hasAfter && (
            <th scope="col">{temperature === null ? "after" : `temperature ${formatNumber(temperature)}`}</th>
          )}
        </tr>
      </thead>
      <tbody>
        {alternatives.map((alternative) => (
          <AlternativeRow
            key={`${alternative.token} ${alternative.text}`}
            alternative={alternative}
            chosenTag={row.source === "sampled" ? "chosen" : "forced"}
            isAfterGap={alternative.chosen && rank === null}
            hasAfter={hasAfter}
            onTake={onTake}
          />
        ))}
      </tbody>
      {unlisted > 0 && (
        <tfoot>
          <tr>
            <td colSpan={hasAfter ? 3 : 2}>{plural(unlisted, "less likely token")} could be drawn too.</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface AlternativeRowProps {
  readonly alternative: Alternative;
  /** The mark of the token that the run has. */
  readonly chosenTag: string;
  /** The record has no tokens between this one and the row above. */
  readonly isAfterGap: boolean;
  readonly hasAfter: boolean;
  readonly onTake: Take | null;
}

function AlternativeRow({ alternative, chosenTag, isAfterGap, hasAfter, onTake }: AlternativeRowProps) {
  const { token, text, before, after, chosen, counterfactual } = alternative;
  const classes = [];
  if (chosen) classes.push("alternative-chosen");
  else if (counterfactual) classes.push("alternative-counterfactual");
  if (isAfterGap) classes.push("alternative-after-gap");
  return (
    <tr className={classes.join(" ")}>
      <th scope="row">
        <AlternativeText text={text} />
        {chosen && <span className="tag">{chosenTag}</span>}
        {counterfactual && <span className="tag tag-quiet">would have been</span>}
        {onTake && !chosen && (
          <IconButton
            className="alternative-take"
            icon="branch"
            label={`Continue from here with “${visibleText(text)}”`}
            onClick={() => onTake(token)}
          />
        )}
      </th>
      <Bar value={before} />
      {hasAfter && <Bar value={after} changed={after !== null && after !== before} />}
    </tr>
  );
}

function AlternativeText({ text }: { text: string }) {
  if (isPartOfCharacter(text)) return <i className="tag-quiet">{partOfCharacter}</i>;
  return (
    <bdi className="alternative-text" translate="no">
      {text === "" ? "¶" : visibleText(text).replaceAll(" ", "·")}
    </bdi>
  );
}

function Bar({ value, changed = false }: { value: number | null; changed?: boolean }) {
  return (
    <td className={changed ? "odds odds-changed" : "odds"}>
      {value === null ? (
        <span className="odds-none">–</span>
      ) : (
        <>
          <span className="odds-value">{formatProbability(value)}</span>
          <span className="odds-track" aria-hidden="true">
            {value > 0 && <span style={{ width: `${Math.max(0.5, value * 100)}%` }} />}
          </span>
        </>
      )}
    </td>
  );
}
