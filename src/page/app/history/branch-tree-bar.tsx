/** Stands above a run that has branches or is one: compares it with the run it came from in one click, and opens the tree. */
import { useState } from "react";
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";
import { branchTree } from "../../runs/branch-tree.ts";
import { openSavedRun } from "../store/open-run.ts";
import { useStores } from "../store/stores.ts";
import { BranchTree, useBranchTree } from "./branch-tree.tsx";
import { runName } from "./history-labels.ts";

export function BranchTreeBar() {
  const stores = useStores();
  const { id, from, saved } = useStore(stores.run);
  const isEmpty = useStore(stores.run, ({ status }) => status === "empty");
  const recorded = useStore(stores.run, ({ trace }) => trace.request?.branch ?? null);
  // The list has the parent run, but not yet a run in progress.
  const listed = saved === "listed" ? id : from;
  const treeRuns = useBranchTree(isEmpty ? null : listed);
  const [isOpen, setOpen] = useState(false);
  const members = branchTree(treeRuns);
  const member = members.find((each) => each.id === id);
  const branch = member?.run?.branch ?? recorded;
  const above = member?.parent === null ? null : (members[member?.parent ?? -1]?.run ?? null);
  const origin = above ?? (branch && treeRuns.find((run) => run.id === from)) ?? null;
  if (isEmpty || (branch === null && !member?.below)) return null;
  const below = member?.below ?? 0;
  const hasOtherMods = recorded !== null && recorded.caughtUp > 0;
  return (
    <div className="family-bar">
      <div className="family-line">
        <p>
          {branch === null
            ? `${countWithNoun(below, "run")} ${below === 1 ? "branches" : "branch"} off this run.`
            : `This run branches off ${origin ? `“${runName(origin)}”` : "a run that is not saved here"} at token ${formatCount(branch.index + 1)}${hasOtherMods ? ", with changed mods" : ""}.`}
        </p>
        {origin && (
          <Button weight="quiet" onClick={() => void stores.compare.getState().compareWith(origin.id)}>
            Compare with that run
          </Button>
        )}
        {treeRuns.length > 0 && (
          <Button weight="quiet" icon="branch" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Branch tree
          </Button>
        )}
      </div>
      {isOpen && treeRuns.length > 0 && (
        <BranchTree
          treeRuns={treeRuns}
          shown={id}
          onOpen={(wanted) => wanted !== id && void openSavedRun(stores, wanted)}
        />
      )}
    </div>
  );
}
