/** The branches of a run as a tree. The user walks the tree by keys and clicks, and names, compares and deletes branches. */
import { type KeyboardEvent, type MouseEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import { useRowWindow } from "../../../view/ui/use-row-window.ts";
import { type BranchTreeMember, branchTree, withBranches } from "../../runs/branch-tree.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { useStores } from "../store/stores.ts";
import { oneLine, runName } from "./history-labels.ts";
import { removeRuns, renameRun } from "./run-actions.ts";
import "./branch-tree.css";

interface BranchTreeProps {
  readonly treeRuns: readonly RunMetadata[];
  /** The run of the page. */
  readonly shown: string | null;
  readonly onOpen: (id: string) => void;
}

/** As `.branch` has it. */
const rowHeight = 28;
/** Most levels of indentation that are drawn: the text of a branch a thousand levels deep must stay visible. */
const deepest = 8;

/** The current use of the line below the tree. */
type Task = "menu" | "naming" | "pruning";

export function BranchTree({ treeRuns, shown, onOpen }: BranchTreeProps) {
  const stores = useStores();
  const tree = useRef<HTMLDivElement>(null);
  const members = branchTree(treeRuns);
  const [chosen, setChosen] = useState(shown);
  const [task, setTask] = useState<Task>("menu");
  useEffect(() => setChosen(shown), [shown]);
  const place = placeOf(chosen, members);
  const member = members[place];
  const run = member?.run ?? null;
  const choose = (id: string) => {
    setChosen(id);
    setTask("menu");
  };
  const compare = (id: string) => void stores.compare.getState().compareWith(id);
  const remove = (withAll: boolean) => {
    setTask("menu");
    if (!run) return;
    const removed = withAll ? withBranches(members, place) : [run];
    setChosen(members[member?.parent ?? -1]?.id ?? shown);
    tree.current?.focus();
    void removeRuns(
      stores,
      removed.map(({ id }) => id),
    );
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target !== tree.current) return;
    if (event.key === "Enter" && run) onOpen(run.id);
    else if (event.key === "Delete" && run) setTask("pruning");
    else if (event.key === "F2" && run) setTask("naming");
    else if (event.key === "c" && run && run.id !== shown) compare(run.id);
    else {
      const next = members[placeAfter(event.key, members, place) ?? -1];
      if (!next) return;
      choose(next.id);
    }
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const at = (event.target as Element).closest<HTMLElement>("[data-place]")?.dataset.place;
    const clicked = members[Number(at ?? -1)];
    if (!clicked) return;
    choose(clicked.id);
    if (clicked.run) onOpen(clicked.run.id);
  };
  return (
    <section className="branches" aria-label="Branches">
      <BranchLines
        tree={tree}
        members={members}
        place={place}
        shown={shown}
        onKeyDown={onKeyDown}
        onClick={onClick}
      />
      {member?.run && (
        <BranchActions
          member={member}
          run={member.run}
          isShown={member.run.id === shown}
          task={task}
          onTask={setTask}
          onCompare={compare}
          onRemove={remove}
        />
      )}
    </section>
  );
}

interface BranchLinesProps {
  readonly tree: RefObject<HTMLDivElement | null>;
  readonly members: readonly BranchTreeMember[];
  /** The line that is chosen. */
  readonly place: number;
  readonly shown: string | null;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onClick: (event: MouseEvent) => void;
}

/** The lines of the tree, of which only those in sight are drawn. */
function BranchLines({ tree, members, place, shown, onKeyDown, onClick }: BranchLinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const window = useRowWindow(box, members.length, rowHeight);
  const chosen = members[place]?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls only when another line is chosen
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const top = place * rowHeight;
    element.scrollTop = Math.min(top, Math.max(element.scrollTop, top + rowHeight - element.clientHeight));
  }, [chosen]);
  return (
    <div ref={box} className="branch-box" onScroll={window.measure}>
      <div
        ref={tree}
        role="tree"
        aria-label="Runs and their branches"
        tabIndex={0}
        aria-activedescendant={branchId(place)}
        onKeyDown={onKeyDown}
        onClick={onClick}
      >
        <div role="none" style={{ height: window.before }} />
        {members.slice(window.first, window.last).map((each, at) => (
          <Branch
            key={each.id}
            member={each}
            place={window.first + at}
            isChosen={window.first + at === place}
            isShown={each.id === shown}
          />
        ))}
        <div role="none" style={{ height: window.after }} />
      </div>
    </div>
  );
}

interface BranchActionsProps {
  readonly member: BranchTreeMember;
  readonly run: RunMetadata;
  readonly isShown: boolean;
  readonly task: Task;
  readonly onTask: (task: Task) => void;
  readonly onCompare: (id: string) => void;
  readonly onRemove: (withAll: boolean) => void;
}

/** The line below the tree: the actions for the chosen run. */
function BranchActions({ member, run, isShown, task, onTask, onCompare, onRemove }: BranchActionsProps) {
  const toMenu = () => onTask("menu");
  if (task === "pruning") {
    return (
      <div className="branch-actions">
        <Pruning member={member} onRemove={onRemove} onSave={toMenu} />
      </div>
    );
  }
  if (task === "naming") {
    return (
      <div className="branch-actions">
        <NameField key={run.id} run={run} onDone={toMenu} />
      </div>
    );
  }
  const hasBranches = member.below > 0;
  return (
    <div className="branch-actions">
      {isShown ? (
        <span className="branch-shown">This is the run you are viewing.</span>
      ) : (
        <Button weight="quiet" onClick={() => onCompare(run.id)}>
          Compare with the run on the page
        </Button>
      )}
      <Button weight="quiet" onClick={() => onTask("naming")}>
        Rename
      </Button>
      <Button weight="quiet" onClick={() => (hasBranches ? onTask("pruning") : onRemove(false))}>
        Delete{hasBranches ? " …" : ""}
      </Button>
    </div>
  );
}

const branchId = (place: number) => `branch-${place}`;

interface BranchProps {
  readonly member: BranchTreeMember;
  readonly place: number;
  readonly isChosen: boolean;
  readonly isShown: boolean;
}

function Branch({ member: { run, depth, position, siblings }, place, isChosen, isShown }: BranchProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, and says which line is active
    <div
      id={branchId(place)}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={isChosen}
      aria-current={isShown || undefined}
      className="branch"
      data-place={place}
      style={{ paddingLeft: 12 + Math.min(depth, deepest) * 16 }}
    >
      {run === null ? (
        <span className="branch-lost">The original run was deleted</span>
      ) : (
        <>
          {run.branch && (
            <span
              className="branch-at"
              title={run.branch.isChosen ? "You chose the token" : "The token was sampled again"}
            >
              at token {formatCount(run.branch.index + 1)}
              {run.branch.hasOtherMods && ", other mods"}
            </span>
          )}
          <span className="branch-name">
            {run.branch && run.title === null ? wordsOf(run) : runName(run)}
          </span>
        </>
      )}
    </div>
  );
}

/** The beginning of the text that only this branch has. */
function wordsOf({ branch }: RunMetadata): string {
  const words = oneLine(branch?.words ?? "");
  return words === "" ? "No new words yet" : `“${words} …”`;
}

interface PruningProps {
  readonly member: BranchTreeMember;
  readonly onRemove: (withAll: boolean) => void;
  readonly onSave: () => void;
}

function Pruning({ member, onRemove, onSave }: PruningProps) {
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  return (
    <>
      <Button ref={first} weight="danger" onClick={() => onRemove(false)}>
        Delete this run
      </Button>
      {member.below > 0 && (
        <Button weight="danger" onClick={() => onRemove(true)}>
          Delete this run and the {countWithNoun(member.below, "run")} below it
        </Button>
      )}
      <Button weight="quiet" onClick={onSave}>
        Cancel
      </Button>
    </>
  );
}

function NameField({ run, onDone }: { run: RunMetadata; onDone: () => void }) {
  const stores = useStores();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const finish = (isConfirmed: boolean) => {
    const typed = field.current?.value ?? "";
    if (isConfirmed && typed !== (run.title ?? "")) void renameRun(stores, run.id, typed);
    field.current?.closest(".branches")?.querySelector<HTMLElement>("[role=tree]")?.focus();
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    finish(event.key === "Enter");
  };
  return (
    <input
      ref={field}
      className="field"
      aria-label="Name of the branch"
      placeholder="Name this run"
      maxLength={200}
      defaultValue={run.title ?? ""}
      onKeyDown={onKeyDown}
      onBlur={() => finish(true)}
    />
  );
}

/** The first line, if no run has this id. */
function placeOf(id: string | null, members: readonly BranchTreeMember[]): number {
  return Math.max(
    0,
    members.findIndex((member) => member.id === id),
  );
}

/** As in any tree: the left key leads to the parent run, the right key to the first branch. */
function placeAfter(key: string, members: readonly BranchTreeMember[], place: number): number | null {
  const member = members[place];
  switch (key) {
    case "ArrowDown":
      return place + 1;
    case "ArrowUp":
      return place - 1;
    case "ArrowLeft":
      return member?.parent ?? null;
    case "ArrowRight":
      return member?.below ? place + 1 : null;
    case "Home":
      return 0;
    case "End":
      return members.length - 1;
    default:
      return null;
  }
}

/** The branch tree of a run, read again when one of its runs changes; empty until it is read, and for a run that is not saved. */
export function useBranchTree(id: string | null): readonly RunMetadata[] {
  const { runs, run: store } = useStores();
  const [treeRuns, setBranchTree] = useState<readonly RunMetadata[]>([]);
  const saved = useStore(store, (state) => state.saved);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the branch tree is read again once the run is listed
  useEffect(() => {
    let isWanted = true;
    const read = () => {
      if (id === null) return setBranchTree([]);
      // Unreadable runs are reported when the list of runs is read.
      runs.branchTree(id).then(
        (found) => isWanted && setBranchTree(found),
        () => {},
      );
    };
    read();
    const stop = runs.watch((change) => change.type === "runs" && read());
    return () => {
      isWanted = false;
      stop();
    };
  }, [runs, id, saved]);
  return treeRuns;
}
