/**
 * The buttons that continue a run: at its end with its own mods, if it was stopped or reached its limit of tokens; with the
 * editor's mods, if they differ from the mods that ran, at the end of the run or from the selected token.
 */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { placeToContinue, tokensBeyondLimit } from "../store/place-to-continue.ts";
import { continueAtEnd } from "../store/start-branch.ts";
import { continueWithChangedMods, placesToContinue } from "../store/start-changed.ts";
import { useStores } from "../store/stores.ts";
import {
  continueAtEndLabel,
  continueButtonLabel,
  continueWithText,
  editorsMods,
  runsMods,
} from "./go-on-labels.ts";
import "./go-on-changed.css";

const helpForEditorsMods =
  "Branches this run: keeps the text so far, lets the editor’s mods see the events so far, and continues";
const helpForRunsMods =
  "Branches this run: keeps the text so far, and continues with the same mods, settings and seed";

/**
 * The buttons beside the run, for changed mods. The end of a run that is over has its buttons below the text (`ContinueAtEnd`).
 * `isStepShown`: the step of the selected token is on the page and has its own button, `ContinueFromHere`.
 */
export function ContinueRun({ isStepShown }: { readonly isStepShown: boolean }) {
  const stores = useStores();
  const { places, isPaused, moreTokens } = useGoOnPlaces();
  const offered = places.filter((index) => (index === null ? isPaused : !isStepShown));
  return (
    <>
      {offered.map((index) => (
        <Button
          key={index === null ? "end" : "token"}
          icon="branch"
          title={helpForEditorsMods}
          onClick={() => void continueWithChangedMods(stores, index)}
        >
          {continueButtonLabel(index, moreTokens)}
        </Button>
      ))}
    </>
  );
}

/**
 * The choice at the end of a run that is over: its own mods, if it was stopped or reached its limit of tokens, or the editor's, if
 * they are others. The buttons stand below the text, so that the text keeps its height when the run ends.
 */
export function ContinueAtEnd() {
  const stores = useStores();
  const shown = useStore(stores.run);
  const { places, isPaused, moreTokens } = useGoOnPlaces();
  const offersRunsMods = placeToContinue(shown) !== null;
  const offersEditorsMods = places.includes(null) && !isPaused;
  const isChoice = offersRunsMods && offersEditorsMods;
  if (!offersRunsMods && !offersEditorsMods) return null;
  return (
    <div className="continue-at-end">
      {isChoice && <span aria-hidden="true">{continueWithText(moreTokens)}</span>}
      {offersRunsMods && (
        <Button
          icon="play"
          title={helpForRunsMods}
          aria-label={continueAtEndLabel(moreTokens, isChoice)}
          onClick={() => void continueAtEnd(stores)}
        >
          {isChoice ? runsMods : continueAtEndLabel(moreTokens, false)}
        </Button>
      )}
      {offersEditorsMods && (
        <Button
          icon="branch"
          title={helpForEditorsMods}
          aria-label={continueButtonLabel(null, moreTokens)}
          onClick={() => void continueWithChangedMods(stores, null)}
        >
          {isChoice ? editorsMods : continueButtonLabel(null, moreTokens)}
        </Button>
      )}
    </div>
  );
}

/** The button in the step of the selected token. */
export function ContinueFromHere() {
  const stores = useStores();
  const { places } = useGoOnPlaces();
  const index = places.find((place) => place !== null) ?? null;
  if (index === null) return null;
  return (
    <Button
      className="go-on-here"
      icon="branch"
      title={helpForEditorsMods}
      onClick={() => void continueWithChangedMods(stores, index)}
    >
      {continueButtonLabel("here", null)}
    </Button>
  );
}

function useGoOnPlaces() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const shown = useStore(stores.run);
  return {
    places: placesToContinue(shown, mods),
    isPaused: shown.status === "paused",
    moreTokens: tokensBeyondLimit(shown.trace),
  };
}
