/** One experiment: its progress and the table of its results. */
import { useMemo, useState } from "react";
import { useStore } from "zustand";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { Icon } from "../../../view/ui/icon.tsx";
import { Popover } from "../../../view/ui/popover.tsx";
import { SegmentedControl } from "../../../view/ui/segmented.tsx";
import { runCount } from "../../experiments/experiment.ts";
import { type Grouping, resultTableRows } from "../../experiments/table.ts";
import type { SavedExperiment } from "../../runs/experiment-repository.ts";
import { useStores } from "../store/stores.ts";
import {
  duplicateExperiment,
  type ExportKind,
  exportExperiment,
  removeExperiment,
  renameExperiment,
} from "./experiment-actions.ts";
import { experimentSizeSentence, experimentStateLabel, intervalNote } from "./experiment-labels.ts";
import { experimentStoresOf } from "./experiments-store.ts";
import { ResultsTable } from "./results-table.tsx";

interface ExperimentViewProps {
  readonly saved: SavedExperiment;
  readonly onOpened: () => void;
  readonly onClose?: (() => void) | undefined;
}

export function ExperimentView({ saved, onOpened, onClose }: ExperimentViewProps) {
  const stores = useStores();
  const { store } = experimentStoresOf(stores);
  const outcomes = useStore(store, (state) => state.outcomes);
  const { experiment } = saved;
  const [grouping, setGrouping] = useState<Grouping>(experiment.prompts.length > 1 ? "modSet" : "cell");
  const rows = useMemo(
    () => resultTableRows(experiment, outcomes, grouping),
    [experiment, outcomes, grouping],
  );
  const groupings = [
    { value: "cell", label: "All combinations" },
    { value: "modSet", label: "By mods" },
    ...(experiment.prompts.length > 1 ? [{ value: "prompt", label: "By prompt" } as const] : []),
    ...(experiment.variation ? [{ value: "value", label: "By value" } as const] : []),
  ] as const;
  return (
    <>
      <header className="experiments-head">
        <IconButton
          icon="previous"
          label="Back to the experiments"
          data-first
          onClick={() => store.getState().open(null)}
        />
        <input
          key={experiment.name}
          className="field experiment-title"
          aria-label="Name of the experiment"
          defaultValue={experiment.name}
          maxLength={200}
          onBlur={({ target }) => void renameExperiment(stores, saved, target.value)}
          onKeyDown={({ key, currentTarget }) => {
            if (key === "Enter") currentTarget.blur();
          }}
        />
        <Actions saved={saved} grouping={grouping} />
        {onClose && <IconButton icon="close" label="Close the experiments" onClick={onClose} />}
      </header>
      <Progress saved={saved} />
      <div className="experiment-table-head">
        <SegmentedControl
          label="Rows of the table"
          value={grouping}
          options={groupings}
          onChange={setGrouping}
        />
        <p>
          {experimentSizeSentence(saved)} · {experiment.model}
        </p>
      </div>
      <ResultsTable
        experiment={experiment}
        outcomes={outcomes}
        rows={rows}
        grouping={grouping}
        onOpened={onOpened}
        // An experiment from a file has no runs here.
        canOpen={!saved.recorded}
      />
      <p className="experiment-note">{intervalNote(rows)}</p>
    </>
  );
}

function Progress({ saved }: { saved: SavedExperiment }) {
  const stores = useStores();
  const { runner } = experimentStoresOf(stores);
  const { running, stage, problems } = useStore(runner);
  const all = runCount(saved.experiment);
  const isRunning = running === saved.id;
  const isWhole = saved.made >= all || saved.recorded;
  const problem = problems[saved.id];
  return (
    <div className="experiment-progress">
      {!isWhole && <progress aria-label="Finished runs" value={saved.made} max={all} />}
      <p role="status">
        {experimentStateLabel(saved, isRunning)}
        {isRunning && stage === "preparing" && " Loading the model …"}
        {isRunning && stage === "waiting" && " Waiting for your run …"}
      </p>
      {!isWhole && isRunning && (
        <Button icon="pause" onClick={() => runner.getState().stop()}>
          Pause
        </Button>
      )}
      {!isWhole && !isRunning && (
        <Button weight="primary" icon="play" onClick={() => void runner.getState().start(saved.id)}>
          {saved.made > 0 ? "Continue" : "Start"}
        </Button>
      )}
      {saved.recorded && (
        <Button icon="play" onClick={() => void duplicateExperiment(stores, saved)}>
          Make a copy to run here
        </Button>
      )}
      {problem && !isRunning && (
        <p role="alert" className="experiment-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

const exports: readonly { readonly kind: ExportKind; readonly label: string }[] = [
  { kind: "file", label: "Save as a file (JSON) that can be run again" },
  { kind: "table", label: "Save the table (CSV)" },
  { kind: "runs", label: "Save all runs (CSV)" },
];

function Actions({ saved, grouping }: { saved: SavedExperiment; grouping: Grouping }) {
  const stores = useStores();
  const { store } = experimentStoresOf(stores);
  return (
    <Popover
      label="The experiment"
      buttonLabel="More actions for this experiment"
      className="button button-quiet button-icon"
      align="end"
      trigger={<Icon name="more" />}
    >
      {(close) => (
        <div className="menu">
          {exports.map(({ kind, label }) => (
            <button
              key={kind}
              type="button"
              onClick={() => {
                close();
                exportExperiment(saved, store.getState().outcomes, kind, grouping);
              }}
            >
              {label}
            </button>
          ))}
          <button
            type="button"
            onClick={() => {
              close();
              void duplicateExperiment(stores, saved);
            }}
          >
            Duplicate
          </button>
          <button
            type="button"
            onClick={() => {
              close();
              void removeExperiment(stores, saved);
            }}
          >
            Delete
          </button>
        </div>
      )}
    </Popover>
  );
}
