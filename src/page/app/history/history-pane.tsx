/** The saved runs. The user searches them by words, stars and tags, and opens, names, runs again or deletes a run. */
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useStore } from "zustand";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { OpenFileButton } from "../share/open-file-button.tsx";
import { openSavedRun } from "../store/open-run.ts";
import { useStores } from "../store/stores.ts";
import { useBranchTree } from "./branch-tree.tsx";
import { runName } from "./history-labels.ts";
import {
  filterableRuns,
  type HistoryRun,
  type HistoryState,
  historyStoreOf,
  matchingRuns,
  sortedTags,
} from "./history-store.ts";
import { compareRuns, openRunInEditor, removeRuns, setStar } from "./run-actions.ts";
import { RunCard } from "./run-card.tsx";
import { RunList } from "./run-list.tsx";
import { StorageFooter } from "./storage-line.tsx";
import "../../../view/ui/empty-state.css";
import { leavesPane } from "../../../view/ui/leaves-pane.ts";
import { useFirstFocus } from "../../../view/ui/use-first-focus.ts";
import "./history.css";

interface HistoryPaneProps {
  /** Called when a run is drawn as the run of the page. */
  readonly onOpened: () => void;
  /** Called when a run's prompt, mods and settings are in the editor. */
  readonly onForked: () => void;
  readonly onRun: () => void;
  /** Called with a file that the user chose, which may hold a run. */
  readonly onOpenFile: (file: File) => void;
  /** Opens the dialog that saves all runs as a file, or the dialog that lists everything the page stores. */
  readonly onDialog: (dialog: "workspace" | "offline") => void;
  /** Absent on a narrow page, where the history is one of the tabs. */
  readonly onClose?: (() => void) | undefined;
}

export function HistoryPane({ onOpened, onForked, onRun, onOpenFile, onDialog, onClose }: HistoryPaneProps) {
  const stores = useStores();
  const history = historyStoreOf(stores.runs);
  const state = useStore(history);
  const { runs, found, chosen, comparing } = state;
  const hasRuns = runs !== null && runs.length > 0;
  const pane = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => history.getState().opened(), [history]);
  useFirstFocus(field, onClose !== undefined);
  const shown = useStore(stores.run, (run) => (run.status === "empty" ? null : run.id));
  const matching = matchingRuns(state);
  const active = matching.find(({ id }) => id === (chosen ?? shown));
  const first = comparing === null ? undefined : state.all.find(({ id }) => id === comparing);
  const list = () => pane.current?.querySelector<HTMLElement>(".run-list");
  const open = async (id: string) => {
    state.choose(id);
    if (first && first.id !== id) {
      state.setComparing(null);
      if (await compareRuns(stores, first.id, id)) onOpened();
    } else if (id === shown || (await openSavedRun(stores, id))) onOpened();
  };
  /** The focused element disappears with the run. */
  const remove = (run: HistoryRun) => {
    if (run.experiment !== undefined) return;
    const place = matching.indexOf(run);
    state.choose((matching[place + 1] ?? matching[place - 1])?.id ?? null);
    (matching.length > 1 ? list() : field.current)?.focus();
    void removeRuns(stores, [run.id]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!onClose || !leavesPane(event)) return;
    event.preventDefault();
    if (comparing !== null) state.setComparing(null);
    else if (event.target === field.current && state.query !== "") state.setQuery("");
    else onClose();
  };
  return (
    <section ref={pane} className="history" aria-label="History" onKeyDown={onKeyDown}>
      <HistoryToolbar
        state={state}
        field={field}
        askedCount={matching.length}
        onOpenFile={onOpenFile}
        onClose={onClose}
      />
      {first && <ComparingLine first={first} onCancel={() => state.setComparing(null)} />}
      <FoundRuns state={state} field={field} askedCount={matching.length} onRun={onRun}>
        <RunList
          runs={matching}
          found={found}
          active={active?.id ?? null}
          shown={shown}
          onChoose={state.choose}
          onOpen={(id) => void open(id)}
          onStar={(run) => void setStar(stores, run.id, !run.star)}
          onRemove={remove}
        />
      </FoundRuns>
      {active && (
        <ActiveRunCard
          run={active}
          state={state}
          shown={shown}
          onOpen={(id) => void open(id)}
          onFocusList={() => list()?.focus()}
          onForked={onForked}
          onRemove={() => remove(active)}
        />
      )}
      {hasRuns && <StorageFooter runs={runs} room={state.room} onDialog={onDialog} />}
    </section>
  );
}

const isNarrowed = ({ found, starredOnly, tag }: HistoryState) =>
  found !== null || starredOnly || tag !== null;

interface HistoryToolbarProps {
  readonly state: HistoryState;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly askedCount: number;
  readonly onOpenFile: (file: File) => void;
  readonly onClose: (() => void) | undefined;
}

function HistoryToolbar({ state, field, askedCount, onOpenFile, onClose }: HistoryToolbarProps) {
  const { runs, experimentRuns, withExperiments, query, starredOnly, tag } = state;
  return (
    <header className="history-head">
      <div className="history-search">
        <input
          ref={field}
          type="search"
          className="field"
          aria-label="Search the runs"
          placeholder="Search prompts and answers"
          value={query}
          onChange={({ target }) => state.setQuery(target.value)}
        />
        {onClose && <IconButton icon="close" label="Close the history" onClick={onClose} />}
      </div>
      <div className="history-filters">
        <Button
          weight="quiet"
          icon="star"
          aria-pressed={starredOnly}
          onClick={() => state.setStarredOnly(!starredOnly)}
        >
          Starred
        </Button>
        {experimentRuns.length > 0 && (
          <Button
            weight="quiet"
            icon="flask"
            aria-pressed={withExperiments}
            title="Also list the runs of experiments. A search always includes these runs."
            onClick={() => state.setWithExperiments(!withExperiments)}
          >
            With experiments
          </Button>
        )}
        <OpenFileButton onChoose={onOpenFile} />
        <TagChoice tags={sortedTags(runs ?? [])} tag={tag} onChange={state.setTag} />
        <p className="history-count" role="status">
          {runs === null ? "" : countText(askedCount, filterableRuns(state).length, isNarrowed(state))}
        </p>
      </div>
    </header>
  );
}

function ComparingLine({ first, onCancel }: { first: RunMetadata; onCancel: () => void }) {
  return (
    <p className="history-comparing" role="status">
      Choose the run to compare with this one: {runName(first)}
      <Button weight="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </p>
  );
}

interface FoundRunsProps {
  readonly state: HistoryState;
  readonly field: RefObject<HTMLInputElement | null>;
  readonly askedCount: number;
  readonly onRun: () => void;
  /** The list, shown if some run matches. */
  readonly children: ReactNode;
}

function FoundRuns({ state, field, askedCount, onRun, children }: FoundRunsProps) {
  const { runs, problem } = state;
  if (problem !== null)
    return (
      <div className="empty-state" role="alert">
        <p>The runs cannot be read. {problem}</p>
      </div>
    );
  if (runs === null)
    return (
      <div className="empty-state">
        <p>Loading the runs …</p>
      </div>
    );
  if (askedCount > 0) return children;
  const showAll = () => {
    state.setQuery("");
    state.setStarredOnly(false);
    state.setTag(null);
    field.current?.focus();
  };
  return (
    <NoRuns
      isNarrowed={isNarrowed(state) && filterableRuns(state).length > 0}
      onAll={showAll}
      onRun={onRun}
    />
  );
}

interface ActiveRunCardProps {
  readonly run: HistoryRun;
  readonly state: HistoryState;
  readonly shown: string | null;
  readonly onOpen: (id: string) => void;
  readonly onFocusList: () => void;
  readonly onForked: () => void;
  readonly onRemove: () => void;
}

function ActiveRunCard({ run, state, shown, onOpen, onFocusList, onForked, onRemove }: ActiveRunCardProps) {
  const stores = useStores();
  const treeRuns = useBranchTree(run.id);
  const { runs } = state;
  const openAgain = async () => {
    if (await openRunInEditor(stores, run.id)) onForked();
  };
  return (
    <RunCard
      key={run.id}
      run={run}
      origin={runs?.find(({ id }) => id === run.from) ?? null}
      treeRuns={treeRuns}
      shown={shown}
      tags={sortedTags(runs ?? [])}
      onOpen={onOpen}
      onCompare={() => {
        state.setComparing(run.id);
        onFocusList();
      }}
      onOpenAgain={() => void openAgain()}
      onChoose={state.choose}
      onRemove={onRemove}
    />
  );
}

function countText(asked: number, all: number, isNarrowed: boolean): string {
  return isNarrowed ? `${formatCount(asked)} of ${countWithNoun(all, "run")}` : countWithNoun(all, "run");
}

interface TagChoiceProps {
  readonly tags: readonly string[];
  readonly tag: string | null;
  readonly onChange: (tag: string | null) => void;
}

function TagChoice({ tags, tag, onChange }: TagChoiceProps) {
  if (tags.length === 0 && tag === null) return null;
  const all = tag !== null && !tags.includes(tag) ? [...tags, tag] : tags;
  return (
    <select
      className="history-tag-choice"
      aria-label="Tag"
      value={tag ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
    >
      <option value="">All tags</option>
      {all.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

interface NoRunsProps {
  readonly isNarrowed: boolean;
  readonly onAll: () => void;
  readonly onRun: () => void;
}

function NoRuns({ isNarrowed, onAll, onRun }: NoRunsProps) {
  return (
    <div className="empty-state">
      {isNarrowed ? (
        <>
          <p>No run matches.</p>
          <Button onClick={onAll}>Show all runs</Button>
        </>
      ) : (
        <>
          <p>
            No runs yet. Each run is saved in this browser until you delete it. Runs leave this device only if
            you share them.
          </p>
          <Button icon="play" onClick={onRun}>
            Run
          </Button>
        </>
      )}
    </div>
  );
}
