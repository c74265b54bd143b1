/** Registers experiments on the playground: their pane with its key and commands, and "with and without" for runs and mods. */
import { lazyDialog } from "../../../view/ui/lazy-dialog.tsx";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import type { FeatureCommand, PageFeature } from "../features/page-feature.ts";
import type { PageActions } from "../page-actions.ts";
import type { Stores } from "../store/stores.ts";
import { tellOfInterruptedExperiment } from "./left-experiment.ts";
import { experimentsPane, repeatWithAndWithoutMods, startWithAndWithoutMod } from "./with-without.ts";

const letter = "x";
const title = "Experiments: several mods, prompts and seeds";

export const experimentsFeature: PageFeature = {
  name: "experiments",
  start(stores, showPane) {
    void tellOfInterruptedExperiment(stores, () => showPane(experimentsPane));
  },
  pane: {
    id: experimentsPane,
    label: "Experiments",
    icon: "flask",
    key: { letter, does: title },
    Pane: lazyDialog({
      part: "The experiments",
      load: () => import("./experiments-pane.tsx"),
      component: "ExperimentsPane",
    }),
  },
  commands: (stores, page) => [
    ...withoutCommands(stores, page),
    {
      id: experimentsPane,
      after: "history",
      title,
      words: "table compare sweep batch benchmark evaluation evals checks csv export statistics ab test",
      letter,
      act: () => page.show(experimentsPane),
    },
  ],
  modMenu: [
    {
      label: "Run with and without this mod",
      act: (stores, page, mod) => startWithAndWithoutMod(stores, page, mod, 1),
    },
    {
      label: "Run with and without this mod, 8 seeds",
      act: (stores, page, mod) => startWithAndWithoutMod(stores, page, mod, 8),
    },
  ],
  RunButtons: lazyPart({
    part: "The comparison without mods",
    load: () => import("./with-without-buttons.tsx"),
    component: "WithWithoutButtons",
  }),
};

function withoutCommands(stores: Stores, page: PageActions): readonly FeatureCommand[] {
  const { status, trace, recorded } = stores.run.getState();
  const canStart = status === "finished" && !recorded && (trace.request?.mods.length ?? 0) > 0;
  const rest = {
    after: "verify",
    words: "compare difference baseline control a b ab test side by side experiment",
    ...(!canStart && { disabled: "First open a finished run that has mods and was made in this browser" }),
  };
  return [
    {
      id: "with-without",
      title: "Compare with and without the mods",
      ...rest,
      act: () => repeatWithAndWithoutMods(stores, page, 1),
    },
    {
      id: "eight-seeds",
      title: "Compare with and without the mods: a table for 8 seeds",
      ...rest,
      act: () => repeatWithAndWithoutMods(stores, page, 8),
    },
  ];
}
