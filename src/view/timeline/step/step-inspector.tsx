/** Shows why one token is here: what chose it, what else could have come, and what the mods changed. */
import { memo } from "react";
import { formatNumber } from "../../../core/base/number-text.ts";
import { branchPlace } from "../../../core/trace/model/branch-place.ts";
import { isRange, rangeOf, type Selection } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { TokenRow } from "../../../core/trace/model/trace-view.ts";
import {
  isPartOfCharacter,
  partOfCharacter,
  showInvisibleCharacters,
} from "../../../core/trace/text/visible-text.ts";
import { IconButton } from "../../ui/button.tsx";
import { countWithNoun, formatCount, formatProbability } from "../../ui/format.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { tokensInTextNote } from "../in-the-text.ts";
import { wrapQuotes } from "../whole-quotes.tsx";
import type { OpenSource } from "./call-entry.ts";
import { aboutSign, inspectStep, type StepInspection, type TopKToken } from "./inspection.ts";
import "../../ui/empty-state.css";
import "./step-inspector.css";

/** Continues from a token of the run with another token in its place. Absent if nothing can run. */
export type BranchFromToken = (index: number, token: number) => void;

/** Fetched only if the record has the probabilities of a step, which most links lack. */
const TokenDrawPanel = lazyPart({
  part: "The chart of the draw",
  load: () => import("./draw-panel.tsx"),
  component: "TokenDrawPanel",
});

const QuestionLine = lazyPart({
  part: "The mod’s question",
  load: () => import("./question-line.tsx"),
  component: "QuestionLine",
});

/** Fetched when the first token is selected, because a link's page must load few scripts before it is drawn. */
const StepDetails = lazyPart({
  part: "The details of the step",
  load: () => import("./step-details.tsx"),
  component: "StepDetails",
});

interface StepInspectorProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selection: Selection | null;
  readonly onOpenSource: OpenSource | null;
  readonly onBranch: BranchFromToken | null;
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
          : "Choose a word to see why it is there. Arrow keys move; n and p jump between changes."}
      </p>
    );
  }
  const inspection = inspectStep(trace, selected);
  const canBranch = onBranch !== null && trace.finished !== null && branchPlace(trace, selected) !== null;
  return (
    <div className="inspector">
      <div className="inspector-why">
        <Headline inspection={inspection} trace={trace} selection={selection} />
        {inspection.isQuestion && inspection.row.removedBy !== null && (
          <QuestionLine trace={trace} span={inspection.row.removedBy} />
        )}
        {goOn}
        <StepDetails inspection={inspection} trace={trace} onOpenSource={onOpenSource} />
      </div>
      <TopKList
        inspection={inspection}
        about={aboutSign(trace)}
        onTake={canBranch ? (token) => onBranch(selected, token) : null}
      />
      {(inspection.row.before?.top.length ?? 0) > 0 && <TokenDrawPanel trace={trace} index={selected} />}
    </div>
  );
});

interface HeadlineProps {
  readonly inspection: StepInspection;
  readonly trace: TraceModel;
  readonly selection: Selection | null;
}

function Headline({ inspection: { row, sentences, isQuestion, word }, trace, selection }: HeadlineProps) {
  const range = isRange(selection) ? rangeOf(selection) : null;
  const taken = isQuestion ? "asked" : "removed";
  const mark = row.removedBy !== null ? taken : row.kind;
  return (
    <header className="inspector-head">
      <h2>
        <q className="inspector-quote" translate="no">
          <span className={`inspector-token inspector-${mark}`}>{describeHeadline(row)}</span>
        </q>
        <span className="inspector-place">
          {placeOf(trace, row.index)}
          {word && `, part ${word.place} of ${word.count} of “${word.text}”`}
          {range && `, at the cursor, ${countWithNoun(range.end - range.first, "token")} selected`}
        </span>
      </h2>
      <p>{wrapQuotes(sentences.join(" "))}</p>
    </header>
  );
}

/** "token 18 of 103 (100 in the text)": the other 3 were removed. The summary above the text counts the 100. */
function placeOf(trace: TraceModel, index: number): string {
  return `token ${formatCount(index + 1)} of ${formatCount(trace.tokens.text.length)}${tokensInTextNote(trace)}`;
}

function describeHeadline({ kind, text }: TokenRow): string {
  if (text === "" && kind === "end") return "¶";
  return text === "" || isPartOfCharacter(text) ? partOfCharacter : showInvisibleCharacters(text);
}

/** Continues the run with this token in place of the written token. */
type Take = (token: number) => void;

interface TopKListProps {
  readonly inspection: StepInspection;
  /** The result of `aboutSign`. */
  readonly about: string;
  readonly onTake: Take | null;
}

function TopKList({ inspection, about, onTake }: TopKListProps) {
  const { row, topKTokens, hasAfter, temperature, unlisted, rank } = inspection;
  if (topKTokens.length === 0) {
    return <p className="inspector-empty">No alternatives to this token were recorded.</p>;
  }
  return (
    <table className="alternatives">
      <caption className="visually-hidden">Most likely tokens at this step</caption>
      <thead>
        <tr>
          <th scope="col">most likely tokens</th>
          <th scope="col">
            {hasAfter ? `before ${row.healed ? "healing" : "mods"}` : "model’s probability"}
          </th>
          {hasAfter && (
            <th scope="col">{temperature === null ? "after" : `temperature ${formatNumber(temperature)}`}</th>
          )}
        </tr>
      </thead>
      <tbody>
        {topKTokens.map((topKToken) => (
          <TopKRow
            key={`${topKToken.token} ${topKToken.text}`}
            topKToken={topKToken}
            about={about}
            tags={inspection}
            isAfterGap={topKToken.chosen && rank === null}
            hasAfter={hasAfter}
            onTake={onTake}
          />
        ))}
      </tbody>
      {unlisted > 0 && (
        <tfoot>
          <tr>
            <td colSpan={hasAfter ? 3 : 2}>
              {countWithNoun(unlisted, "less likely token")} could also have been chosen.
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

interface TopKRowProps {
  readonly topKToken: TopKToken;
  readonly about: string;
  readonly tags: Pick<StepInspection, "chosenTag" | "counterfactualTag">;
  /** True if the record lacks the tokens between this row and the row above. */
  readonly isAfterGap: boolean;
  readonly hasAfter: boolean;
  readonly onTake: Take | null;
}

function TopKRow({ topKToken, about, tags, isAfterGap, hasAfter, onTake }: TopKRowProps) {
  const { token, text, before, after, chosen, counterfactual } = topKToken;
  const classes = [];
  if (chosen) classes.push("alternative-chosen");
  else if (counterfactual) classes.push("alternative-counterfactual");
  if (isAfterGap) classes.push("alternative-after-gap");
  return (
    <tr className={classes.join(" ")}>
      <th scope="row">
        <TopKTokenText text={text} />
        {chosen && <span className="tag">{tags.chosenTag}</span>}
        {counterfactual && <span className="tag tag-quiet">{tags.counterfactualTag}</span>}
        {onTake && !chosen && (
          <IconButton
            className="alternative-take"
            icon="branch"
            label={`Continue from here with “${showInvisibleCharacters(text)}”`}
            onClick={() => onTake(token)}
          />
        )}
      </th>
      <Bar value={before} about={about} />
      {hasAfter && <Bar value={after} about={about} changed={after !== null && after !== before} />}
    </tr>
  );
}

function TopKTokenText({ text }: { text: string }) {
  if (isPartOfCharacter(text)) return <i className="tag-quiet">{partOfCharacter}</i>;
  return (
    <bdi className="alternative-text" translate="no">
      {text === "" ? "¶" : showInvisibleCharacters(text).replaceAll(" ", "·")}
    </bdi>
  );
}

interface BarProps {
  readonly value: number | null;
  readonly about: string;
  readonly changed?: boolean;
}

function Bar({ value, about, changed = false }: BarProps) {
  return (
    <td className={changed ? "odds odds-changed" : "odds"}>
      {value === null ? (
        <span className="odds-none">–</span>
      ) : (
        <>
          <span className="odds-value">{about + formatProbability(value)}</span>
          <span className="odds-track" aria-hidden="true">
            {value > 0 && <span style={{ width: `${Math.max(0.5, value * 100)}%` }} />}
          </span>
        </>
      )}
    </td>
  );
}
