/** The user's actions on saved runs. A failed action shows a notice and changes nothing. */

import { plural } from "../../../view/ui/format.ts";
import type { RunMarks } from "../../runs/run-metadata.ts";
import { fork } from "../store/fork.ts";
import { openSavedRun } from "../store/open-run.ts";
import type { Stores } from "../store/stores.ts";
import { tell } from "./tell.ts";

type KeptStores = Pick<Stores, "runs" | "notices">;

const longestTitle = 200;
const longestTag = 40;
const mostTags = 20;

const change = (stores: KeptStores, id: string, marks: (now: RunMarks) => Partial<RunMarks>) =>
  tell(stores, () => stores.runs.mark([id], marks));

export const setStar = (stores: KeptStores, id: string, star: boolean) =>
  change(stores, id, () => ({ star }));

/** An empty title takes the run's own away. */
export const rename = (stores: KeptStores, id: string, title: string) =>
  change(stores, id, () => ({ title: title.trim().slice(0, longestTitle) || null }));

/** A tag that the run has, in any case, is not added again. */
export const addTag = (stores: KeptStores, id: string, text: string) =>
  change(stores, id, ({ tags }) => {
    const tag = text
      .replace(/\s+/g, " ")
      .replace(/^[\s#]+/, "")
      .trim()
      .slice(0, longestTag);
    const isThere = tags.some((each) => each.toLowerCase() === tag.toLowerCase());
    return { tags: tag === "" || isThere ? tags : [...tags, tag].slice(0, mostTags) };
  });

export const removeTag = (stores: KeptStores, id: string, tag: string) =>
  change(stores, id, ({ tags }) => ({ tags: tags.filter((each) => each !== tag) }));

/** Deletes runs, and offers to put them back. Once the offer is gone, so are they. */
export const removeRuns = (stores: KeptStores, ids: readonly string[]) =>
  tell(stores, async () => {
    const { runs, notices } = stores;
    const removed = await runs.remove(ids);
    if (removed.ids.length === 0) return;
    notices.getState().show(`${plural(removed.ids.length, "run")} deleted.`, {
      label: "Undo",
      run: () =>
        void tell(stores, async () => {
          const back = await runs.restore(removed.ids);
          const gone = removed.ids.length - back.length;
          if (gone > 0) throw new Error(`${plural(gone, "run")} already deleted permanently.`);
        }),
      lapse: () => void tell(stores, () => runs.purge(removed)),
    });
  });

/** Shows the run, and puts its prompt, mods, settings, seed and model into the editor. Answers whether it did. */
export async function openAsItWas(stores: Stores, id: string): Promise<boolean> {
  const { run } = stores;
  if (run.getState().id !== id && !(await openSavedRun(stores, id))) return false;
  const { request } = run.getState().trace;
  if (!request) {
    stores.notices.getState().show("The record does not contain the request, so only the text is shown.");
    return false;
  }
  return fork(stores, request, id);
}

/** Shows one kept run beside another. Answers whether it could open the one. */
export async function compareRuns(stores: Stores, one: string, other: string): Promise<boolean> {
  if (stores.run.getState().id !== one && !(await openSavedRun(stores, one))) return false;
  void stores.compare.getState().compareWith(other);
  return true;
}
