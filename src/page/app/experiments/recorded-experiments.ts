/** Experiments that come with the page, each with its recorded results (`scripts/record-experiments.ts`). */
import { importProgramPart } from "../../../core/base/import-part.ts";

export interface BundledExperiment {
  readonly title: string;
  /** The file, as JSON text. */
  load(): Promise<string>;
}

export const bundledExperiments: readonly BundledExperiment[] = [
  {
    title: "Example: where to inject words (story model)",
    load: async () =>
      (
        await importProgramPart(
          "The example",
          () => import("../../examples/experiments/injection-positions-stories.experiment.json?raw"),
          "default",
        )
      ).default,
  },
  {
    title: "Example: where to inject words (SmolLM2)",
    load: async () =>
      (
        await importProgramPart(
          "The example",
          () => import("../../examples/experiments/injection-positions-smollm2.experiment.json?raw"),
          "default",
        )
      ).default,
  },
];
