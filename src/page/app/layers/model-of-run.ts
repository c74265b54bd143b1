/** Whether the model of the shown run is ready; if not, what the user can do. */
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { isFramedByAnother } from "../share/framed.ts";
import type { ModelState } from "../store/model-store.ts";
import type { RunState } from "../store/run-store.ts";
import type { Stores } from "../store/stores.ts";

export type RunModelReadiness =
  | { readonly type: "ready" }
  /** The user can only wait, or can do nothing. */
  | { readonly type: "no"; readonly words: string }
  | { readonly type: "load"; readonly words: string; readonly id: string };

export function readinessOfRunsModel(
  { trace, status }: Pick<RunState, "trace" | "status">,
  { choice, status: loading }: Pick<ModelState, "choice" | "status">,
  isFramed = isFramedByAnother(window),
): RunModelReadiness {
  if (status === "reading") return { type: "no", words: "This run is still being opened." };
  if (status !== "finished" && status !== "failed")
    return { type: "no", words: "The layers can be read once the run has ended." };
  const id = trace.request?.model.id;
  if (id === undefined)
    return {
      type: "no",
      words: "The run was saved without its prompt, model and settings, so the layers cannot be read.",
    };
  if (isFramed)
    return {
      type: "no",
      words: "This page is shown inside another site, so nothing runs. Open it in its own tab.",
    };
  const name = showInvisibleCharacters(id);
  if (choice?.reference.id !== id) {
    const other = choice ? `, but ${showInvisibleCharacters(choice.reference.id)} is selected now` : "";
    return { type: "load", id, words: `This run was made by ${name}${other}.` };
  }
  if (loading.type === "ready") return { type: "ready" };
  if (loading.type === "loading") return { type: "no", words: `${name} is being loaded …` };
  const why = loading.type === "failed" ? ` Loading failed: ${loading.message}` : "";
  return { type: "load", id, words: `${name}, which made this run, is not loaded.${why}` };
}

/**
 * Chooses and loads the model with this id, and returns whether it is ready. If the model is not in the list, a
 * notice says so.
 */
export async function loadModelOfRun({ model, engine, notices }: Stores, id: string): Promise<boolean> {
  if (model.getState().choice?.reference.id !== id) {
    const found = (await engine.listModels()).find(({ reference }) => reference.id === id);
    if (!found) {
      notices
        .getState()
        .fail(
          `${showInvisibleCharacters(id)} is not in the list of models: add it under “Another model” in the model menu, then look inside again.`,
        );
      return false;
    }
    model.getState().choose(found.reference);
  }
  return (await model.getState().load()) !== null;
}
