/** Commands for mods, saved runs, models and the examples of the gallery. */

import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import { exampleGroups } from "../../examples/index.ts";
import type { RunMetadata } from "../../runs/run-metadata.ts";
import { downloadSizeLabel } from "../bar/model-metadata.ts";
import { formatWhen, oneLine, runMetadataLabels, runName } from "../history/history-labels.ts";
import type { PageActions } from "../page-actions.ts";
import { openSavedRun } from "../store/open-run.ts";
import type { Stores } from "../store/stores.ts";
import { loadExampleIntoEditor } from "../store/take-example.ts";
import type { Command } from "./command.ts";

/** The palette knows only so many runs, the newest; the history finds all. */
const mostRuns = 500;

export function modCommands({ mods }: Stores, page: PageActions): readonly Command[] {
  const state = mods.getState();
  return state.mods.flatMap(({ id, name, enabled }) => [
    {
      id: `mod-${id}`,
      group: "Mods",
      title: `Open ${name}`,
      about: enabled ? "switched on" : "switched off",
      words: "edit source code mod script rename duplicate copy delete remove move export save file",
      act: () => page.openLine(id, null),
    },
    {
      id: `mod-switch-${id}`,
      group: "Mods",
      title: enabled ? `Switch ${name} off` : `Switch ${name} on`,
      words: "enable disable toggle mod",
      act: () => mods.getState().toggle(id),
    },
    {
      id: `mod-versions-${id}`,
      group: "Mods",
      title: `Versions of ${name}`,
      words: "earlier history difference diff bring back restore undo revert mod",
      act: () => page.open({ versionsOf: id }),
    },
  ]);
}

/** Newest first, as the history has them. */
export function savedRunCommands(
  stores: Stores,
  page: PageActions,
  runs: readonly RunMetadata[],
  now: number,
): readonly Command[] {
  const shown = stores.run.getState().id;
  return runs.slice(0, mostRuns).map((run) => ({
    id: `run-${run.id}`,
    group: "Saved runs",
    title: runName(run),
    about: [formatWhen(run.when, now), ...runMetadataLabels(run)].join(" · "),
    words: run.tags.map(oneLine).join(" "),
    ...(run.id === shown && { disabled: "This run is open" }),
    act: () => {
      page.show("read");
      void openSavedRun(stores, run.id);
    },
  }));
}

export function modelCommands({ model }: Stores, entries: readonly CatalogEntry[]): readonly Command[] {
  const chosen = model.getState().choice?.reference.url;
  return entries.map((entry) => ({
    id: `model-${entry.reference.url}`,
    group: "Model",
    title: `Model: ${entry.title}`,
    about: entry.origin === "hub" ? `download: ${downloadSizeLabel(entry)}` : "here",
    words: `model ${entry.description} ${entry.reference.id}`,
    ...(chosen === entry.reference.url && { disabled: "This model is chosen" }),
    // The next run loads the model, as after a choice in the bar.
    act: () => model.getState().choose(entry.reference),
  }));
}

export function galleryCommands(stores: Stores, page: PageActions): readonly Command[] {
  return exampleGroups.flatMap(({ title: group, examples }) =>
    examples.map((example) => ({
      id: `gallery-${example.name}`,
      group: "Examples",
      title: example.title,
      about: example.description,
      words: `${example.name} ${group}`,
      act: () => {
        loadExampleIntoEditor(stores, example);
        page.show("write");
      },
    })),
  );
}
