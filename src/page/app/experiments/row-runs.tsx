/** The runs of one row of the table: a click draws one as the run of the page. */
import { useState } from "react";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun } from "../../../view/ui/format.ts";
import type { Experiment } from "../../experiments/experiment.ts";
import { formatVariedValue, lastMessageText } from "../../experiments/names.ts";
import type { RunOutcome } from "../../experiments/outcome.ts";
import { plannedRunsByNumber } from "../../experiments/plan.ts";
import type { TableRow } from "../../experiments/table.ts";
import { openSavedRun } from "../store/open-run.ts";
import { useStores } from "../store/stores.ts";

function verdictSign(holds: boolean | null): string {
  if (holds === null) return "?";
  return holds ? "✓" : "✕";
}

interface RowRunsProps {
  readonly experiment: Experiment;
  readonly outcomes: readonly RunOutcome[];
  readonly row: TableRow;
  readonly canOpen: boolean;
  readonly onOpened: () => void;
}

/** If a row gathers more runs, only so many are listed until the user asks for all. */
const runsShown = 20;

export function RowRuns({ experiment, outcomes, row, canOpen, onOpened }: RowRunsProps) {
  const stores = useStores();
  const [isAll, setAll] = useState(false);
  const wanted = new Set(row.runs);
  const made = outcomes.filter(({ number }) => wanted.has(number));
  const plan = plannedRunsByNumber(experiment);
  const open = async (id: string) => {
    if (await openSavedRun(stores, id)) onOpened();
  };
  if (made.length === 0) return <p className="experiment-hint">There are no runs yet.</p>;
  return (
    <>
      <ul className="row-runs">
        {made.slice(0, isAll ? undefined : runsShown).map(({ number, runId, result }) => {
          const run = plan[number];
          const prompt = run && experiment.prompts[run.prompt];
          const about = [
            row.modSet === null && run && experiment.modSets[run.modSet]?.name,
            row.prompt === null && prompt && lastMessageText(prompt).slice(0, 60),
            row.value === null && run && formatVariedValue(experiment, run.value),
            run && `seed ${experiment.seeds[run.seed]}`,
            countWithNoun(result.tokens, "token"),
            result.error,
            ...result.verdicts.map(({ holds }, at) => `${verdictSign(holds)} ${experiment.checks[at]?.name}`),
          ].filter((text) => typeof text === "string" && text !== "");
          const words = (
            <>
              <span className="row-run-metadata" translate="no">
                {showInvisibleCharacters(about.join(" · "), 400)}
              </span>
              <span className="row-run-text" translate="no">
                {showInvisibleCharacters(result.text, 200) || "(no text)"}
              </span>
            </>
          );
          return (
            <li key={number}>
              {canOpen ? (
                <button type="button" title="Show this run" onClick={() => void open(runId)}>
                  {words}
                </button>
              ) : (
                <div>{words}</div>
              )}
            </li>
          );
        })}
      </ul>
      {made.length > runsShown && !isAll && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          Show all {countWithNoun(made.length, "run")}
        </button>
      )}
    </>
  );
}
