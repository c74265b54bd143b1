/** The user's actions on experiments. A failed action shows a notice and changes nothing. */

import { formatBytes } from "../../../core/base/number-text.ts";
import { runsToCsv, tableToCsv } from "../../experiments/csv.ts";
import { type Experiment, experimentLimits } from "../../experiments/experiment.ts";
import {
  experimentFileEnding,
  experimentFromJson,
  experimentToJson,
} from "../../experiments/experiment-file.ts";
import type { RunOutcome } from "../../experiments/outcome.ts";
import { type Grouping, resultTableRows } from "../../experiments/table.ts";
import type { SavedExperiment } from "../../runs/experiment-repository.ts";
import { storageSpaceProblem } from "../../runs/storage-room.ts";
import { runWithFailureNotice } from "../history/run-with-notice.ts";
import { saveFile } from "../share/save-file.ts";
import { answerFieldsOfSettings } from "../store/answer-settings.ts";
import { newId } from "../store/new-id.ts";
import { runRequestOf } from "../store/start-run.ts";
import type { Stores } from "../store/stores.ts";
import { experimentStoresOf } from "./experiments-store.ts";
import type { EditorRequest } from "./form-values.ts";
import { createExperimentEndComparison } from "./show-both.ts";
import { withAndWithoutAllMods, withAndWithoutMod, withAndWithoutNotice } from "./with-and-without.ts";

/** @throws Error that names the part of the editor that cannot be read. */
export async function readEditorRequest(stores: Stores): Promise<EditorRequest> {
  const answer = answerFieldsOfSettings(stores.settings.getState().answer);
  if (!answer.ok) throw new Error(answer.problem);
  const { mods: _, requestId: __, ...request } = runRequestOf(stores, []);
  const { bannedStrings } = stores.settings.getState();
  const chosen = stores.model.getState().choice?.reference.id;
  const [first] = chosen === undefined ? await stores.engine.listModels() : [];
  return {
    model: chosen ?? first?.reference.id ?? "",
    request: { ...request, ...answer.fields },
    bannedStrings,
    mods: stores.mods.getState().mods,
  };
}

const newSavedExperiment = (experiment: Experiment, recorded = false): SavedExperiment => ({
  id: newId(),
  when: Date.now(),
  experiment,
  made: 0,
  recorded,
  removedAt: null,
});

/** Saves the experiment, opens it, and starts its runs. `onEnd` is called with its id when the runner has stopped. */
export async function startExperiment(
  stores: Stores,
  experiment: Experiment,
  onEnd: (id: string) => void = () => {},
): Promise<void> {
  const { store, runner } = experimentStoresOf(stores);
  const entry = newSavedExperiment(experiment);
  await stores.runs.experiments.add(entry);
  store.getState().open(entry.id);
  void runner
    .getState()
    .start(entry.id)
    .then(() => onEnd(entry.id));
}

/** `seeds`: the number of seeds, counted from the seed of the run. */
export const repeatWithAndWithoutMods = (stores: Stores, seeds: number) =>
  runWithFailureNotice(stores, async () => {
    const { trace, recorded } = stores.run.getState();
    if (!trace.request)
      throw new Error(
        "The run was saved without its prompt, mods and settings, so the run cannot be repeated.",
      );
    if (recorded)
      throw new Error(
        "This run was recorded elsewhere, so it cannot be repeated directly. Press “Fork to editor”, read the mods, then press Run.",
      );
    const experiment = withAndWithoutAllMods(trace.request, seeds);
    await startExperiment(stores, experiment, createExperimentEndComparison(stores, seeds, true));
    stores.notices.getState().show(withAndWithoutNotice(trace.request));
  });

export const startWithAndWithoutMod = (stores: Stores, mod: string, seeds: number) =>
  runWithFailureNotice(stores, async () => {
    const enabled = stores.mods.getState().mods.filter((each) => each.enabled);
    const ids = new Set(enabled.map(({ id }) => id));
    const experiment = withAndWithoutMod(mod, await readEditorRequest(stores), ids, seeds);
    await startExperiment(stores, experiment, createExperimentEndComparison(stores, seeds, false));
  });

/** Opens an experiment from a file, with its outcomes if the file has them. No code of the file runs. */
export const importExperiment = (stores: Stores, file: Pick<File, "size" | "text">) =>
  runWithFailureNotice(stores, async () => {
    // A character has up to three bytes per UTF-16 unit; nothing longer is read.
    const most = 3 * experimentLimits.fileLength;
    if (file.size > most)
      throw new Error(
        `The file has ${formatBytes(file.size)}, but an experiment file may have at most ${formatBytes(most)}: check that you chose the right file.`,
      );
    await importExperimentText(stores, await file.text());
  });

export async function importExperimentText(stores: Stores, json: string): Promise<void> {
  const problem = await storageSpaceProblem(json.length);
  if (problem !== null) throw new Error(`${problem} Nothing was changed.`);
  const { experiment, outcomes } = experimentFromJson(json);
  const entry = newSavedExperiment(experiment, outcomes.length > 0);
  await stores.runs.experiments.add(entry, outcomes);
  experimentStoresOf(stores).store.getState().open(entry.id);
}

/** A copy of the experiment without its runs. */
export const duplicateExperiment = (stores: Stores, { experiment }: SavedExperiment) =>
  runWithFailureNotice(stores, async () => {
    const name = `${experiment.name.slice(0, 190)} (copy)`;
    const entry = newSavedExperiment({ ...experiment, name });
    await stores.runs.experiments.add(entry);
    experimentStoresOf(stores).store.getState().open(entry.id);
  });

/** An empty name changes nothing. */
export const renameExperiment = (stores: Stores, { id, experiment }: SavedExperiment, name: string) =>
  runWithFailureNotice(stores, async () => {
    const cleaned = name.trim().slice(0, 200);
    if (cleaned !== "" && cleaned !== experiment.name) await stores.runs.experiments.rename(id, cleaned);
  });

/** Deletes the experiment with its runs, and offers to undo that. */
export const removeExperiment = (stores: Stores, { id, experiment }: SavedExperiment) =>
  runWithFailureNotice(stores, async () => {
    const { experiments } = stores.runs;
    const { store, runner } = experimentStoresOf(stores);
    if (runner.getState().running === id) runner.getState().stop();
    const removal = await experiments.remove(id);
    store.getState().open(null);
    const restore = async () => {
      if (!(await experiments.restore(id)))
        throw new Error("The experiment was already deleted permanently.");
    };
    stores.notices.getState().show(`${experiment.name} was deleted.`, {
      label: "Undo",
      run: () => void runWithFailureNotice(stores, restore),
      lapse: () => void runWithFailureNotice(stores, () => experiments.purge(removal)),
    });
  });

export type ExportKind = "file" | "table" | "runs";

export function exportExperiment(
  { experiment }: SavedExperiment,
  outcomes: readonly RunOutcome[],
  kind: ExportKind,
  grouping: Grouping,
): void {
  const base =
    experiment.name
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 60) || "experiment";
  const [name, text] = {
    file: () => [`${base}${experimentFileEnding}`, experimentToJson({ experiment, outcomes })] as const,
    table: () =>
      [`${base}-table.csv`, tableToCsv(experiment, resultTableRows(experiment, outcomes, grouping))] as const,
    runs: () => [`${base}-runs.csv`, runsToCsv(experiment, outcomes)] as const,
  }[kind]();
  saveFile(name, new TextEncoder().encode(text));
}
