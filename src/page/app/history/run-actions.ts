/** The user's actions on saved runs. A failed action shows a notice and changes nothing. */

import { countWithNoun } from "../../../view/ui/format.ts";
import type { RunMarks } from "../../runs/run-metadata.ts";
import { forkIntoEditor } from "../store/fork.ts";
import { openSavedRun } from "../store/open-run.ts";
import type { Stores } from "../store/stores.ts";
import { runWithFailureNotice } from "./run-with-notice.ts";

type RunStores = Pick<Stores, "runs" | "notices">;

const longestTitle = 200;
const longestTag = 40;
const mostTags = 20;

const change = (stores: RunStores, id: string, marks: (now: RunMarks) => Partial<RunMarks>) =>
  runWithFailureNotice(stores, () => stores.runs.mark([id], marks));

export const setStar = (stores: RunStores, id: string, star: boolean) => change(stores, id, () => ({ star }));

/** An empty title removes the run's title. */
export const renameRun = (stores: RunStores, id: string, title: string) =>
  change(stores, id, () => ({ title: title.trim().slice(0, longestTitle) || null }));

/** Adds no tag that the run already has in upper or lower case. */
export const addTag = (stores: RunStores, id: string, text: string) =>
  change(stores, id, ({ tags }) => {
    const tag = text
      .replace(/\s+/g, " ")
      .replace(/^[\s#]+/, "")
      .trim()
      .slice(0, longestTag);
    const isThere = tags.some((each) => each.toLowerCase() === tag.toLowerCase());
    return { tags: tag === "" || isThere ? tags : [...tags, tag].slice(0, mostTags) };
  });

export const removeTag = (stores: RunStores, id: string, tag: string) =>
  change(stores, id, ({ tags }) => ({ tags: tags.filter((each) => each !== tag) }));

/** Deletes runs, and offers to restore them while the notice is shown. */
export const removeRuns = (stores: RunStores, ids: readonly string[]) =>
  runWithFailureNotice(stores, async () => {
    const { runs, notices } = stores;
    const removed = await runs.remove(ids);
    if (removed.ids.length === 0) return;
    notices.getState().show(`${countWithNoun(removed.ids.length, "run")} deleted.`, {
      label: "Undo",
      run: () =>
        void runWithFailureNotice(stores, async () => {
          const back = await runs.restore(removed.ids);
          const gone = removed.ids.length - back.length;
          if (gone > 0)
            throw new Error(
              `${countWithNoun(gone, "run")} ${gone === 1 ? "was" : "were"} already deleted permanently.`,
            );
        }),
      lapse: () => void runWithFailureNotice(stores, () => runs.purge(removed)),
    });
  });

/** Shows the run, and puts its prompt, mods, settings, seed and model into the editor. Returns whether both succeeded. */
export async function openRunInEditor(stores: Stores, id: string): Promise<boolean> {
  const { run } = stores;
  if (run.getState().id !== id && !(await openSavedRun(stores, id))) return false;
  const { request } = run.getState().trace;
  if (!request) {
    stores.notices
      .getState()
      .show("The run was saved without its prompt and settings, so only the text is shown.");
    return false;
  }
  return forkIntoEditor(stores, request, id);
}

/** Shows one saved run beside another. Returns whether the first run could be opened. */
export async function compareRuns(stores: Stores, one: string, other: string): Promise<boolean> {
  if (stores.run.getState().id !== one && !(await openSavedRun(stores, one))) return false;
  void stores.compare.getState().compareWith(other);
  return true;
}
