/** The page's state of the shown run, beside the trace. */
import type { RunPageMetadata } from "../../runs/run-metadata.ts";
import { newId } from "./new-id.ts";

export interface ShownRun extends Omit<RunPageMetadata, "when"> {
  /** Whether the run is saved: in the list of runs, or, for an imported run, only for this page. */
  readonly saved: "no" | "imported" | "listed";
}

export const importedRunFields: Omit<ShownRun, "id"> = {
  modIds: [],
  from: null,
  recorded: true,
  interrupted: false,
  saved: "no",
};

/** The state of an imported run. */
export const createImportedRunFields = (): ShownRun => ({ ...importedRunFields, id: newId() });

export const noRun: ShownRun & { readonly version: number; readonly selection: null } = {
  ...importedRunFields,
  id: "",
  recorded: false,
  version: 0,
  selection: null,
};

/** The part of a run's state that is needed to show it again. */
export function shownRunFieldsOf({ id, modIds, from, recorded, interrupted, saved }: ShownRun): ShownRun {
  return { id, modIds, from, recorded, interrupted, saved };
}

/** The run's id, if it can be found in the list of runs. */
export function listedRunId({ id, saved }: ShownRun): string | null {
  return saved === "listed" ? id : null;
}
