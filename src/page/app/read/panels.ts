/** The panels that explain a run, below its text: their tabs and the palette name them from here. */
import { runPanels } from "../../../view/timeline/run-panels.ts";

const [step, ...others] = runPanels;

/** The panels of a page that can ask a model. A page without a model has those of `runPanels`. */
export const panels = [step, { id: "layers", label: "Layers" }, ...others] as const;

export type Panel = (typeof panels)[number]["id"];
