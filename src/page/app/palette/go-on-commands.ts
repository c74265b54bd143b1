/** The commands that continue a run: at its end, or with the editor's mods. */
import { continueAtEndLabel, continueButtonLabel } from "../control/go-on-labels.ts";
import { placeToContinue, tokensBeyondLimit } from "../store/place-to-continue.ts";
import { continueAtEnd } from "../store/start-branch.ts";
import { areOtherMods, continueWithChangedMods, placesToContinue } from "../store/start-changed.ts";
import type { Stores } from "../store/stores.ts";
import type { UngroupedCommand } from "./command.ts";

/** If the run cannot be continued with other mods now, a single disabled command says what to do first. */
export function continueWithModsCommands(stores: Stores): readonly UngroupedCommand[] {
  const shown = stores.run.getState();
  const words = "branch continue edited changed mods from here";
  const places = placesToContinue(shown, stores.mods.getState().mods);
  if (places.length === 0) {
    const disabled = "First pause or end a run, change a mod, and select the token to continue from";
    return [{ id: "go-on", title: continueButtonLabel(null, null), words, disabled, act() {} }];
  }
  const moreTokens = tokensBeyondLimit(shown.trace);
  return places.map((index) => ({
    id: index === null ? "go-on" : "go-on-token",
    title: continueButtonLabel(index, moreTokens),
    words,
    act: () => void continueWithChangedMods(stores, index),
  }));
}

/** Continues a run that was stopped or that reached its limit of tokens. */
export function continueAtEndCommand(stores: Stores): UngroupedCommand {
  const shown = stores.run.getState();
  const place = placeToContinue(shown);
  const { request } = shown.trace;
  const hasOtherMods =
    place !== null && request !== null && areOtherMods(request, stores.mods.getState().mods);
  return {
    id: "continue",
    title: continueAtEndLabel(place?.moreTokens ?? null, hasOtherMods),
    words: "write more longer resume rest tokens",
    ...(place === null && { disabled: "First stop a run, or let a run reach its token limit" }),
    act: () => void continueAtEnd(stores),
  };
}
