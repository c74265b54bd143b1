/** The commands that continue a run with the editor's mods. */
import { continueButtonLabel } from "../control/go-on-labels.ts";
import { continueWithChangedMods, placesToContinue } from "../store/start-changed.ts";
import type { Stores } from "../store/stores.ts";
import type { UngroupedCommand } from "./command.ts";

/** If the run cannot be continued with other mods now, a single disabled command says what to do first. */
export function continueWithModsCommands(stores: Stores): readonly UngroupedCommand[] {
  const shown = stores.run.getState();
  const words = "branch continue edited mods from here";
  const places = placesToContinue(shown, stores.mods.getState().mods);
  if (places.length === 0) {
    const disabled = "Pause or end a run, change a mod, and choose the token to continue from";
    return [{ id: "go-on", title: continueButtonLabel(null, false), words, disabled, act() {} }];
  }
  return places.map((index) => ({
    id: index === null ? "go-on" : "go-on-token",
    title: continueButtonLabel(index, shown.recorded),
    words,
    act: () => void continueWithChangedMods(stores, index),
  }));
}
