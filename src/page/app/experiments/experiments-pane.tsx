/** The experiments: the list, the form for a new experiment, and the open experiment. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { FileButton } from "../../../view/ui/file-button.tsx";
import type { SavedExperiment } from "../../runs/experiment-repository.ts";
import { formatWhen } from "../history/history-labels.ts";
import { runWithFailureNotice } from "../history/run-with-notice.ts";
import { useStores } from "../store/stores.ts";
import { importExperiment, importExperimentText } from "./experiment-actions.ts";
import { ExperimentForm } from "./experiment-form.tsx";
import { experimentSizeSentence, experimentStateLabel } from "./experiment-labels.ts";
import { ExperimentView } from "./experiment-view.tsx";
import { experimentStoresOf } from "./experiments-store.ts";
import { bundledExperiments } from "./recorded-experiments.ts";
import "../../../view/ui/empty-state.css";
import { leavesPane } from "../../../view/ui/leaves-pane.ts";
import "./experiments.css";

interface ExperimentsPaneProps {
  /** Called when a run is drawn as the run of the page. */
  readonly onOpened: () => void;
  /** Absent if the pane is a place of its own. */
  readonly onClose?: (() => void) | undefined;
}

export function ExperimentsPane({ onOpened, onClose }: ExperimentsPaneProps) {
  const stores = useStores();
  const { store } = experimentStoresOf(stores);
  const { list, problem, opened, open, read } = useStore(store);
  const [isMaking, setMaking] = useState(false);
  const pane = useRef<HTMLElement>(null);
  const current = list?.find(({ id }) => id === opened);
  const place = isMaking ? "form" : (current?.id ?? "list");
  // The focused element disappears with the old view, so the focus moves.
  const isOverlay = onClose !== undefined;
  useEffect(() => {
    if (place !== "" && isOverlay) pane.current?.querySelector<HTMLElement>("[data-first]")?.focus();
  }, [place, isOverlay]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!leavesPane(event)) return;
    if (isMaking) setMaking(false);
    else if (opened !== null) open(null);
    else if (onClose) onClose();
    else return;
    event.preventDefault();
  };
  return (
    <section ref={pane} className="experiments" aria-label="Experiments" onKeyDown={onKeyDown}>
      {isMaking && <ExperimentForm onClose={onClose} onDone={() => setMaking(false)} />}
      {!isMaking && current && (
        <ExperimentView key={current.id} saved={current} onOpened={onOpened} onClose={onClose} />
      )}
      {place === "list" && (
        <>
          <header className="experiments-head">
            <h2>Experiments</h2>
            <ImportButton />
            <Button icon="plus" data-first onClick={() => setMaking(true)}>
              New
            </Button>
            {onClose && <IconButton icon="close" label="Close the experiments" onClick={onClose} />}
          </header>
          {problem !== null && (
            <div className="empty-state" role="alert">
              <p>The experiments cannot be read. {problem}</p>
              <Button onClick={read}>Try again</Button>
            </div>
          )}
          {problem === null && list === null && (
            <div className="empty-state">
              <p>Loading the experiments …</p>
            </div>
          )}
          {list?.length === 0 && <NoExperiments onNew={() => setMaking(true)} />}
          {list !== null && list.length > 0 && <ExperimentList list={list} onOpen={open} />}
        </>
      )}
    </section>
  );
}

function ExperimentList({
  list,
  onOpen,
}: {
  list: readonly SavedExperiment[];
  onOpen: (id: string) => void;
}) {
  const stores = useStores();
  const running = useStore(experimentStoresOf(stores).runner, (state) => state.running);
  return (
    <ul className="experiment-list">
      {list.map((saved) => (
        <li key={saved.id}>
          <button type="button" onClick={() => onOpen(saved.id)}>
            <span className="experiment-name" translate="no">
              {saved.experiment.name}
            </span>
            <span className="experiment-when">{formatWhen(saved.when, Date.now())}</span>
            <span className="experiment-facts">
              {experimentSizeSentence(saved)} · {experimentStateLabel(saved, saved.id === running)}
            </span>
          </button>
        </li>
      ))}
      <li className="experiment-recorded">
        <RecordedChoices />
      </li>
    </ul>
  );
}

function ImportButton() {
  const stores = useStores();
  return (
    <FileButton
      weight="quiet"
      label="Experiment file"
      accept=".json,application/json"
      onChoose={(file) => void importExperiment(stores, file)}
    >
      Open a file
    </FileButton>
  );
}

function NoExperiments({ onNew }: { onNew: () => void }) {
  return (
    <div className="empty-state">
      <p>
        An experiment runs several mods on several prompts, each with several seeds. A table shows what the
        mods change: how long the answers are, how surprising they are to the model, and whether they pass
        your checks. The experiment runs in the background and is saved in this browser.
      </p>
      <Button icon="plus" onClick={onNew}>
        New experiment from the editor
      </Button>
      <RecordedChoices />
    </div>
  );
}

/** Experiments that come with the page, with their results. */
function RecordedChoices() {
  const stores = useStores();
  return (
    <div className="experiment-choices">
      {bundledExperiments.map(({ title, load }) => (
        <Button
          key={title}
          weight="quiet"
          onClick={() =>
            void runWithFailureNotice(stores, async () => importExperimentText(stores, await load()))
          }
        >
          {title}
        </Button>
      ))}
    </div>
  );
}
