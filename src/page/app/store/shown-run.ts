/** What the page knows of the run that it shows, beside the trace. */
import type { RunOrigin } from "../../runs/run-metadata.ts";
import { newId } from "./new-id.ts";

export interface ShownRun extends Omit<RunOrigin, "when"> {
  /** Whether the run is kept: in the list of runs, or, if it came from elsewhere, only for this page. */
  readonly kept: "no" | "visiting" | "listed";
}

export const elsewhere: Omit<ShownRun, "id"> = {
  modIds: [],
  from: null,
  recorded: true,
  interrupted: false,
  kept: "no",
};

/** What the page knows of a run that was not run here. */
export const fromElsewhere = (): ShownRun => ({ ...elsewhere, id: newId() });

export const noRun: ShownRun & { readonly version: number; readonly selection: null } = {
  ...elsewhere,
  id: "",
  recorded: false,
  version: 0,
  selection: null,
};

/** What the page knows of a run, to show it again. */
export function aboutOf({ id, modIds, from, recorded, interrupted, kept }: ShownRun): ShownRun {
  return { id, modIds, from, recorded, interrupted, kept };
}

/** The run's id, if it can be found in the list of runs. */
export function listedId({ id, kept }: ShownRun): string | null {
  return kept === "listed" ? id : null;
}
