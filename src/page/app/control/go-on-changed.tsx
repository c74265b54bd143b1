/**
 * The buttons that continue a run: at its end with its own mods, if it was stopped or reached its limit of tokens; with the
 * editor's mods, if they differ from the mods that ran, at the end of the run or from the selected token.
 */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { placeToContinue, tokensBeyondLimit } from "../store/place-to-continue.ts";
import { continueAtEnd } from "../store/start-branch.ts";
import { areOtherMods, continueWithChangedMods, placesToContinue } from "../store/start-changed.ts";
import { useStores } from "../store/stores.ts";
import { continueAtEndLabel, continueButtonLabel } from "./go-on-labels.ts";
import "./go-on-changed.css";

const help =
  "Branches this run: keeps the text so far, replays its events to the changed mods, and continues";

/** The buttons beside the run, for changed mods. `isStepShown`: the step of the selected token is on the page and has its own button, `ContinueFromHere`. */
export function ContinueRun({ isStepShown }: { readonly isStepShown: boolean }) {
  const stores = useStores();
  const { places, recorded, moreTokens } = useGoOnPlaces();
  const offered = isStepShown ? places.filter((index) => index === null) : places;
  return (
    <>
      {offered.map((index) => (
        <Button
          key={index === null ? "end" : "token"}
          icon="branch"
          title={help}
          onClick={() => void continueWithChangedMods(stores, index)}
        >
          {continueButtonLabel(index, recorded, moreTokens)}
        </Button>
      ))}
    </>
  );
}

/**
 * The button at the end of a run that was stopped or reached its limit of tokens. The button stands below the text, so that
 * the text keeps its height when the run ends.
 */
export function ContinueAtEnd() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const shown = useStore(stores.run);
  const end = placeToContinue(shown);
  if (!end) return null;
  const { request } = shown.trace;
  const hasOtherMods = request !== null && areOtherMods(request, mods);
  return (
    <Button
      className="continue-at-end"
      icon="play"
      title="Branches this run: keeps the text so far, and continues with the same mods, settings and seed"
      onClick={() => void continueAtEnd(stores)}
    >
      {continueAtEndLabel(end.moreTokens, hasOtherMods)}
    </Button>
  );
}

/** The button in the step of the selected token. */
export function ContinueFromHere() {
  const stores = useStores();
  const { places, recorded } = useGoOnPlaces();
  const index = places.find((place) => place !== null) ?? null;
  if (index === null) return null;
  return (
    <Button
      className="go-on-here"
      icon="branch"
      title={help}
      onClick={() => void continueWithChangedMods(stores, index)}
    >
      {continueButtonLabel("here", recorded, null)}
    </Button>
  );
}

function useGoOnPlaces() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const shown = useStore(stores.run);
  return {
    places: placesToContinue(shown, mods),
    recorded: shown.recorded,
    moreTokens: tokensBeyondLimit(shown.trace),
  };
}
