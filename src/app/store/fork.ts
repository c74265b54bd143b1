/** Makes the playground what a recorded run was made with; the user's own things stay, and all of it can be undone. */
import { eachSampling } from "../../base/sampling.ts";
import { isBuiltIn } from "../../sdk/built-in.ts";
import type { RequestRecord } from "../../trace/format.ts";
import type { Stores } from "./stores.ts";
import { turnsOf } from "./take-example.ts";

export async function fork(stores: Stores, request: RequestRecord): Promise<void> {
  const { mods, conversation, settings, notices } = stores;
  const before = { mods: mods.getState().mods, active: mods.getState().active };
  const { sampling, maxTokens, seed, stop, onModError } = settings.getState();
  for (const mod of before.mods) if (mod.enabled) mods.getState().toggle(mod.id);
  const written = request.mods.filter((mod) => !isBuiltIn(mod));
  const added = written.map(({ name, source }) => mods.getState().add(name, source));
  const first = added[0];
  if (first) mods.getState().open(first.id);
  const undoTurns =
    request.messages.length > 0 ? conversation.getState().replace(turnsOf(request.messages)) : () => {};
  settings.getState().change({
    maxTokens: request.maxTokens,
    seed: request.seed,
    stop: request.stop,
    onModError: request.onModError,
  });
  settings.getState().changeSampling(samplingOf(request));
  await chooseModel(stores, request.model.id);
  // A record keeps what held its answer as text, not as settings.
  const kept = written.length < request.mods.length ? " Its tools or response format are not: set them." : "";
  notices.getState().show(`The recorded run’s mods, prompt and settings are in the editor.${kept}`, {
    label: "Undo",
    run() {
      mods.setState(before);
      undoTurns();
      settings.getState().change({ sampling, maxTokens, seed, stop, onModError });
    },
  });
}

/** The record's numbers, each moved into the range that a request takes: a record from outside may hold any number. */
export function samplingOf({ sampling }: RequestRecord) {
  return eachSampling((name, { min, max, step }) => {
    const within = Math.min(Math.max(sampling[name], min), max);
    return step === 1 ? Math.round(within) : within;
  });
}

/** Chooses the model of the record where the page's list has it; any other is named, not fetched. */
async function chooseModel({ engine, model, notices }: Stores, id: string): Promise<void> {
  if (model.getState().choice?.reference.id === id) return;
  const found = (await engine.listModels()).find(({ reference }) => reference.id === id);
  if (found) model.getState().choose(found.reference);
  else
    notices
      .getState()
      .show(`It ran on ${id}, which is not in the list. Choose it in the bar to repeat the run.`);
}
