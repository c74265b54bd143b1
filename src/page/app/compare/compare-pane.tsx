/** Two runs side by side. A is the run without the mods of the other, or else the older run. */
import { useEffect, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { countSharedTokens } from "../../../core/trace/compare/compare-metrics.ts";
import {
  firstDivergence,
  nextDifference,
  type Side,
  segmentAt,
} from "../../../core/trace/compare/comparison.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { ColumnDetail } from "../../../view/timeline/compare/column-detail.tsx";
import {
  type CompareRow,
  comparisonRows,
  differenceLabel,
  differenceToTheEnd,
} from "../../../view/timeline/compare/compare-rows.ts";
import { CompareSummary } from "../../../view/timeline/compare/compare-summary.tsx";
import { CompareText } from "../../../view/timeline/compare/compare-text.tsx";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { formatWhen, runName } from "../history/history-labels.ts";
import type { ComparedRuns } from "../store/compare-state.ts";
import { repeatedRun } from "../store/earlier-runs.ts";
import { openSavedRun } from "../store/open-run.ts";
import { useStores } from "../store/stores.ts";
import { CompareLegend } from "./compare-legend.tsx";
import "./compare-pane.css";

/** UTF-16 units of the message of a failed run. */
const longestFailure = 200;

export function ComparePane() {
  const { compare } = useStores();
  const { view, end } = useStore(compare);
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <section className="read compare-pane" aria-label="Compare">
      <header className="compare-head">
        <h2 ref={head} tabIndex={-1}>
          Two runs compared
        </h2>
        <Button weight="quiet" icon="close" onClick={end}>
          Close
        </Button>
      </header>
      {view.type === "ready" && <Ready compared={view} />}
      {view.type === "failed" && (
        <p className="compare-none" role="alert">
          The runs cannot be compared. {view.message}
        </p>
      )}
      {(view.type === "waiting" || view.type === "reading") && (
        <p className="compare-none" role="status">
          {view.type === "waiting"
            ? "This run is long. The comparison starts when the run has ended."
            : "Comparing …"}
        </p>
      )}
    </section>
  );
}

function Ready({ compared }: { compared: ComparedRuns }) {
  const { compare } = useStores();
  const { column, moveTo } = useStore(compare);
  const { comparison, left, right, goesOn } = compared;
  const text = { comparison, left, right, column };
  const [unfolded, setUnfolded] = useState<ReadonlySet<number>>(new Set<number>());
  const rows = useMemo(
    () => comparisonRows(comparison, { left, right }, unfolded),
    [comparison, left, right, unfolded],
  );
  return (
    <>
      <div className="compare-names">
        <RunTitle letter="A" side="left" compared={compared} />
        <RunTitle letter="B" side="right" compared={compared} />
      </div>
      <Differences compared={compared} rows={rows} column={column} onColumn={moveTo} />
      {comparison.columns === 0 ? (
        <p className="compare-none">Neither run wrote anything.</p>
      ) : (
        <CompareText
          {...text}
          rows={rows}
          onColumn={moveTo}
          onUnfold={({ first }) => setUnfolded(new Set([...unfolded, segmentAt(comparison, first)]))}
        />
      )}
      <section
        className="compare-below"
        aria-label="Details of the selected word, and statistics"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
        tabIndex={0}
      >
        {comparison.columns > 0 && <ColumnDetail {...text} />}
        {/* The text of a run in progress changes with each comparison. */}
        <CompareSummary left={left} right={right} version={goesOn ? comparison : null} />
      </section>
    </>
  );
}

interface RunTitleProps {
  readonly letter: string;
  readonly side: Side;
  readonly compared: ComparedRuns;
}

function RunTitle({ letter, side, compared }: RunTitleProps) {
  const { ids, shown, [side]: trace } = compared;
  const stores = useStores();
  const { runs } = stores;
  const id = ids[side];
  const [metadata, setMetadata] = useState<RunMetadata | null>(null);
  useEffect(() => {
    const read = () =>
      void runs.metadata([id]).then(
        ([found]) => setMetadata(found ?? null),
        () => {},
      );
    read();
    return runs.watch((change) => change.type === "runs" && change.ids.includes(id) && read());
  }, [runs, id]);
  const prompt = trace.request?.messages.findLast(({ content }) => typeof content === "string")?.content;
  const name = runName(metadata ?? { title: null, prompt: typeof prompt === "string" ? prompt : "" });
  const models = trace.request?.model.id;
  // The run on the page may repeat a run from a link: both have the same name.
  const isRecorded = repeatedRun(compared[shown])?.id === id;
  return (
    <p className="compare-name">
      <strong>{letter}</strong>
      <span className="compare-name-text" translate="no" title={models}>
        {modsInFront(compared, side)}
        {name}
      </span>
      <span className="compare-when">
        {metadata?.branch
          ? `from token ${formatCount(metadata.branch.index + 1)}`
          : metadata && formatWhen(metadata.when, Date.now())}
        {isRecorded && "recorded in the link"}
      </span>
      {side === shown ? (
        <span className="compare-shown">on the page now</span>
      ) : (
        <Button weight="quiet" onClick={() => void openSavedRun(stores, id)}>
          Open this run
        </Button>
      )}
    </p>
  );
}

/** The mods of one of the runs, in front of its name: only if the other run has other mods. */
function modsInFront(compared: ComparedRuns, side: Side) {
  const own = namesOfMods(compared[side]);
  const others = namesOfMods(compared[side === "left" ? "right" : "left"]);
  if (own === null || others === null || own === others) return null;
  return <b>{own === "" ? "Without mods" : `With ${own}`} · </b>;
}

/** Null for a record without its request. */
function namesOfMods({ request }: TraceModel): string | null {
  return request === null ? null : request.mods.map(({ name }) => name).join(" and ");
}

/** Empty for a run that did not fail. */
function failureOf(letter: string, { finished }: TraceModel): string {
  if (finished?.reason !== "error") return "";
  const message = showInvisibleCharacters(finished.error?.message ?? "", longestFailure);
  return `${letter} ended with an error${message === "" ? "." : `: ${message}`}`;
}

/** `first`: the number of tokens before the first difference; null if the runs have the same text. */
function divergenceSentence(first: number | null): string {
  if (first === null) return "The same text from beginning to end.";
  if (first === 0) return "The runs differ from the first token.";
  return `The first ${countWithNoun(first, "token")} ${first === 1 ? "is" : "are"} identical.`;
}

/** Empty if the divergence sentence says all. `number`: the difference that reaches to the end of the texts; null if none does. */
function restDiffers(first: number | null, number: number | null): string {
  if (number === null || first === 0) return "";
  if (number > 1) return `From difference ${formatCount(number)} to the end, the texts differ.`;
  return "From there to the end, the texts differ.";
}

interface DifferencesProps {
  readonly compared: ComparedRuns;
  readonly rows: readonly CompareRow[];
  readonly column: number;
  readonly onColumn: (column: number) => void;
}

function Differences({ compared, rows, column, onColumn }: DifferencesProps) {
  const { comparison, left, right, goesOn } = compared;
  const { differences, same } = countSharedTokens(comparison);
  const before = nextDifference(comparison, column, -1);
  const after = nextDifference(comparison, column, 1);
  const first = firstDivergence(comparison);
  const sentences = [
    failureOf("A", left),
    failureOf("B", right),
    divergenceSentence(first),
    // The end of a run that is still being written is not known yet.
    goesOn ? "" : restDiffers(first, differenceToTheEnd(comparison)),
    differences > 1
      ? `${formatCount(same.right)} of the ${countWithNoun(comparison.right.length, "token")} in B are also in A.`
      : "",
    comparison.byText
      ? "Compared by text: the runs come from different models, or one of the runs has no token ids."
      : "",
    comparison.isShortest ? "" : "The runs differ so much that some matching passages may be missed.",
    goesOn ? "The run on the page is still being written." : "",
  ];
  return (
    <div className="compare-tools">
      <div className="compare-steps">
        <IconButton
          icon="previous"
          label="Previous difference (p)"
          disabled={before === null}
          onClick={() => before !== null && onColumn(before)}
        />
        <span>{differenceLabel(comparison, column)}</span>
        <IconButton
          icon="right"
          label="Next difference (n)"
          disabled={after === null}
          onClick={() => after !== null && onColumn(after)}
        />
      </div>
      <p role="status">{sentences.filter((sentence) => sentence !== "").join(" ")}</p>
      <CompareLegend compared={compared} rows={rows} />
    </div>
  );
}
