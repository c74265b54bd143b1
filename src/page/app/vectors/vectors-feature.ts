/** Registers vectors on the playground: their dialog, with its button, key and command, and their part of a workspace. */
import { importProgramPart } from "../../../core/base/import-part.ts";
import { lazyDialog } from "../../../view/ui/lazy-dialog.tsx";
import type { PageFeature } from "../features/page-feature.ts";
import type { FeatureDialogId } from "../page-actions.ts";

const id = "vectors" as FeatureDialogId;
const letter = "v";
const title = "Vectors: directions that mods use to steer a model";

export const vectorsFeature: PageFeature = {
  name: "vectors",
  dialog: {
    id,
    title: "Steering vectors",
    icon: "vector",
    key: { letter, does: title },
    Dialog: lazyDialog({
      part: "The list of vectors",
      load: () => import("./vectors-dialog.tsx"),
      component: "VectorsDialog",
    }),
  },
  commands: (_stores, page) => [
    {
      id,
      after: "rules",
      title,
      words: "steering activation layers direction make",
      letter,
      act: () => page.open(id),
    },
  ],
  async loadWorkspacePart() {
    const load = () => import("./workspace-vectors.ts");
    const loaded = await importProgramPart("The code that saves vectors", load, "workspaceVectors");
    return loaded.workspaceVectors;
  },
};
