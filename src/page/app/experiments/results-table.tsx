/** The results of an experiment, row by row: sorted by any column, and each row opens to its runs. */
import { Fragment, type ReactNode, useState } from "react";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun } from "../../../view/ui/format.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import { PagedList } from "../../../view/ui/paged.tsx";
import type { Experiment } from "../../experiments/experiment.ts";
import { describeCheck, lastMessageText, settingLabel } from "../../experiments/names.ts";
import type { RunOutcome } from "../../experiments/outcome.ts";
import type { MeanEstimate } from "../../experiments/statistics.ts";
import type { CheckProportion, Grouping, TableRow } from "../../experiments/table.ts";
import { finishReasonLabels } from "../history/history-labels.ts";
import { RowRuns } from "./row-runs.tsx";

interface ResultsTableProps {
  readonly experiment: Experiment;
  readonly outcomes: readonly RunOutcome[];
  readonly rows: readonly TableRow[];
  readonly grouping: Grouping;
  readonly canOpen: boolean;
  readonly onOpened: () => void;
}

interface Column {
  readonly id: string;
  readonly head: ReactNode;
  readonly title?: string;
  readonly isNumber?: true;
  /** The value by which rows are sorted. */
  readonly order: (row: TableRow) => number | string | null;
  readonly cell: (row: TableRow) => ReactNode;
}

/** Rows that are drawn at a time. */
const rowsShown = 60;

export function ResultsTable(props: ResultsTableProps) {
  const { experiment, outcomes, rows, grouping, canOpen, onOpened } = props;
  const [sorted, setSorted] = useState<{ readonly id: string; readonly down: boolean } | null>(null);
  const [opened, setOpened] = useState<string | null>(null);
  const columns = columnsOf(experiment, grouping);
  const sortColumn = columns.find(({ id }) => id === sorted?.id);
  const shown = sortColumn && sorted ? sortedRows(rows, sortColumn, sorted.down) : rows;
  const direction = sorted?.down ? "descending" : "ascending";
  const sortBy = (id: string) =>
    setSorted(sorted?.id === id && sorted.down ? null : { id, down: sorted?.id === id });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a table that is wider than the pane
    <section className="results" aria-label="Table of results" tabIndex={0}>
      <PagedList count={shown.length} size={rowsShown} noun="rows">
        {(from, to) => (
          <table>
            <thead>
              <tr>
                {columns.map(({ id, head, title, isNumber }) => (
                  <th
                    key={id}
                    scope="col"
                    title={title}
                    className={isNumber && "results-number"}
                    aria-sort={sorted?.id === id ? direction : undefined}
                  >
                    <button type="button" onClick={() => sortBy(id)}>
                      {head}
                      {sorted?.id === id && <span aria-hidden="true">{sorted.down ? " ↓" : " ↑"}</span>}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.slice(from, to).map((row) => {
                const key = [row.prompt, row.modSet, row.value].join();
                const isOpen = key === opened;
                const [first, ...others] = columns;
                return (
                  <Fragment key={key}>
                    <tr>
                      <th scope="row">
                        <button
                          type="button"
                          className="results-open"
                          aria-expanded={isOpen}
                          onClick={() => setOpened(isOpen ? null : key)}
                        >
                          <Icon name={isOpen ? "down" : "right"} size={12} />
                          {first?.cell(row)}
                        </button>
                      </th>
                      {others.map(({ id, cell, isNumber }) => (
                        <td key={id} className={isNumber && "results-number"}>
                          {cell(row)}
                        </td>
                      ))}
                    </tr>
                    {isOpen && (
                      <tr className="results-runs">
                        <td colSpan={columns.length}>
                          <RowRuns
                            experiment={experiment}
                            outcomes={outcomes}
                            row={row}
                            canOpen={canOpen}
                            onOpened={onOpened}
                          />
                        </td>
                      </tr>
                    )}
                  </Fragment>
                );
              })}
            </tbody>
          </table>
        )}
      </PagedList>
    </section>
  );
}

function sortedRows(rows: readonly TableRow[], { order }: Column, down: boolean): readonly TableRow[] {
  const sign = down ? -1 : 1;
  return rows.toSorted((a, b) => {
    const one = order(a);
    const two = order(b);
    // Unknown values are last in either direction.
    if (one === null || two === null) return Number(one === null) - Number(two === null);
    if (one === two) return 0;
    return one < two ? -sign : sign;
  });
}

function columnsOf(experiment: Experiment, grouping: Grouping): readonly Column[] {
  const { modSets, prompts, variation, checks } = experiment;
  const has = (name: Grouping) => grouping === "cell" || grouping === name;
  const modNames = ({ modSet }: TableRow) => showInvisibleCharacters(modSets[modSet ?? -1]?.name ?? "");
  const promptText = ({ prompt: at }: TableRow) => {
    const found = prompts[at ?? -1];
    return found ? showInvisibleCharacters(lastMessageText(found), 200) : "";
  };
  const value = ({ value: at }: TableRow) => variation?.values[at ?? -1] ?? null;
  const means = [
    ["interventions", "Interventions", "Actions and errors of mods"],
    ["tokens", "Tokens", "Length of the answer"],
    [
      "surprisal",
      "Surprisal",
      "Average bits per token: the higher, the less the model itself expected the answer",
    ],
  ] as const;
  return [
    ...(has("modSet")
      ? [{ id: "mods", head: "Mods", order: modNames, cell: (row: TableRow) => userText(modNames(row)) }]
      : []),
    ...(has("prompt") && (prompts.length > 1 || grouping === "prompt")
      ? [
          {
            id: "prompt",
            head: "Prompt",
            order: promptText,
            cell: (row: TableRow) => userText(promptText(row), "results-prompt"),
          },
        ]
      : []),
    ...(variation && has("value")
      ? [{ id: "value", head: settingLabel(variation.setting), order: value, cell: value }]
      : []),
    {
      id: "made",
      head: "Runs",
      isNumber: true,
      order: ({ made }) => made,
      cell: ({ made, runs }) => (made === runs.length ? made : `${made} of ${runs.length}`),
    },
    ...means.map(
      ([id, head, title]): Column => ({
        id,
        head,
        title,
        isNumber: true,
        order: (row) => row[id].mean,
        cell: (row) => <Mean estimate={row[id]} />,
      }),
    ),
    ...checks.map(
      (check, at): Column => ({
        id: `check ${at}`,
        head: userText(showInvisibleCharacters(check.name, 40)),
        title: showInvisibleCharacters(describeCheck(check), 200),
        order: (row) => row.checks[at]?.share ?? null,
        cell: (row) => <Holds share={row.checks[at]} />,
      }),
    ),
    {
      id: "ends",
      head: "How runs ended",
      order: ({ finishReasons }) => finishReasons[0]?.[0] ?? null,
      cell: ({ finishReasons, failed }) => (
        <span className={failed > 0 ? "results-failed" : undefined}>
          {finishReasons.map(([reason, count]) => `${finishReasonLabels[reason]} ${count}`).join(", ")}
        </span>
      ),
    },
  ];
}

/** Names and texts of the user stay as they are when the browser translates the page. */
const userText = (text: string, className?: string) => (
  <span translate="no" className={className}>
    {text}
  </span>
);

function Mean({ estimate: { mean, low, high } }: { estimate: MeanEstimate }) {
  if (mean === null) return <span className="results-none">–</span>;
  const half = low === null || high === null ? null : (high - low) / 2;
  return (
    <>
      {formatThreeDigits(mean)}
      {half !== null && half > 0 && <span className="results-interval"> ± {formatThreeDigits(half)}</span>}
    </>
  );
}

/** A number with three digits; whole numbers without a fraction. */
function formatThreeDigits(value: number): string {
  return value >= 100 || Number.isInteger(value)
    ? String(Math.round(value))
    : value.toFixed(value >= 10 ? 1 : 2);
}

function holdsSign({ holds, of }: CheckProportion): string {
  if (holds === of) return "✓";
  return holds === 0 ? "✕" : "◐";
}

function holdsLabel({ holds, of }: CheckProportion): string {
  if (of === 1) return holds === 1 ? "yes" : "no";
  return `${holds} of ${of}`;
}

function Holds({ share }: { share: CheckProportion | undefined }) {
  if (!share || (share.of === 0 && share.unknown === 0)) return <span className="results-none">–</span>;
  const { of, low, high, unknown, problem } = share;
  const percent = (part: number) => Math.round(part * 100);
  return (
    <span className="results-holds">
      {of > 0 && (
        <>
          <span aria-hidden="true">{holdsSign(share)} </span>
          {holdsLabel(share)}
        </>
      )}
      {low !== null && high !== null && (
        <span className="results-interval">
          {" "}
          {percent(low)}–{percent(high)}%
        </span>
      )}
      {unknown > 0 && (
        <span className="results-failed" title={problem ?? undefined}>
          {" "}
          {countWithNoun(unknown, "run")} not checked: {showInvisibleCharacters(problem ?? "", 120)}
        </span>
      )}
    </span>
  );
}
