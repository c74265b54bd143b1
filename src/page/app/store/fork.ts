/** Puts the mods, prompt and settings of a recorded run into the playground. The user's own mods stay, and the user can undo the fork. */
import { isRequestFormatMod } from "../../../core/sdk/built-in.ts";
import type { RequestRecord } from "../../../core/trace/format/format-request.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { forkProblem } from "./fork-limits.ts";
import { offerUndo } from "./offer-undo.ts";
import { enableOnlyMods } from "./put-to-work.ts";
import { settingsOfRecord } from "./settings-of-record.ts";
import type { Stores } from "./stores.ts";
import type { Undo } from "./take-back.ts";
import { messagesToTurns } from "./turns.ts";

/**
 * Returns whether the fork succeeded: a run that is too large for the editor or the browser's storage changes nothing and shows a
 * notice. `from`: id of the run, if it is saved; the next run is then a child of it.
 */
export async function forkIntoEditor(
  stores: Stores,
  request: RequestRecord,
  from: string | null = null,
): Promise<boolean> {
  const { conversation, settings, notices } = stores;
  const problem = forkProblem(stores, request);
  if (problem !== null) {
    notices.getState().fail(problem);
    return false;
  }
  const { turns: before } = conversation.getState();
  const { change, changeSampling, changeAnswer } = settings.getState();
  const recorded = settingsOfRecord(request);
  const mods = enableOnlyMods(stores.mods, recorded.mods);
  const turns =
    request.messages.length > 0
      ? { before, undo: conversation.getState().replace(messagesToTurns(request.messages)) }
      : null;
  const others = [
    change(recorded.settings),
    changeSampling(recorded.sampling),
    changeAnswer(recorded.answer),
    await chooseModel(stores, request.model.id),
    comeFrom(stores, from),
  ];
  const said = ["The recorded run’s mods, prompt and settings are in the editor.", ...missing(request)];
  offerUndo(stores, { text: said.join(" "), mods, turns, others });
  return true;
}

function comeFrom({ run }: Stores, id: string | null): Undo {
  const before = run.getState().forkedFrom;
  run.getState().setForkedFrom(id);
  return () => {
    if (run.getState().forkedFrom === id) run.getState().setForkedFrom(before);
  };
}

/** One sentence for each setting of the run that the page does not have. */
function missing(request: RequestRecord): readonly string[] {
  const { tools, responseFormat, sampling } = request;
  const isUnrecorded =
    ownMods(request).some(isRequestFormatMod) && tools.length === 0 && responseFormat === null;
  const sentences: (string | false)[] = [
    isUnrecorded && "The run’s tools and response format were not saved: enter them yourself.",
    Object.keys(sampling.logitBias).length > 0 &&
      "The run’s logit bias is left out, because the page has no field for it.",
  ];
  return sentences.filter((sentence) => sentence !== false);
}

/** Chooses the model of the record if the page's list has that model. A notice names any other model, and nothing is fetched. */
async function chooseModel({ engine, model, notices }: Stores, id: string): Promise<Undo> {
  const before = model.getState().choice;
  if (before?.reference.id === id) return () => {};
  const found = (await engine.listModels()).find(({ reference }) => reference.id === id);
  if (!found) {
    notices
      .getState()
      .show(
        `The run used ${showInvisibleCharacters(id)}, which is not in your list of models. To repeat the run, add this model in the model menu.`,
      );
    return () => {};
  }
  model.getState().choose(found.reference);
  return () => {
    if (before && model.getState().choice?.reference === found.reference) {
      model.getState().choose(before.reference);
    }
  };
}
