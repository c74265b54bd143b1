/** Once the mods are others than those that ran: goes on with them, where the run stands or from what is selected. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { goOnPlaces, startChanged } from "../store/start-changed.ts";
import { useStores } from "../store/stores.ts";
import { goOnLabels } from "./go-on-labels.ts";
import "./go-on-changed.css";

const help = "Branches this run: the text so far stays, the mods see it and continue";

/** Beside the run. `isStepShown`: the step of what is selected stands on the page, and `GoOnHere` in it. */
export function GoOnChanged({ isStepShown }: { readonly isStepShown: boolean }) {
  const stores = useStores();
  const { places, recorded } = useGoOnPlaces();
  const offered = isStepShown ? places.filter((index) => index === null) : places;
  return offered.map((index) => (
    <Button
      key={index === null ? "end" : "token"}
      icon="branch"
      title={help}
      onClick={() => void startChanged(stores, index)}
    >
      {goOnLabels(index, recorded)}
    </Button>
  ));
}

/** In the step of what is selected. */
export function GoOnHere() {
  const stores = useStores();
  const { places, recorded } = useGoOnPlaces();
  const index = places.find((place) => place !== null) ?? null;
  if (index === null) return null;
  return (
    <Button
      className="go-on-here"
      icon="branch"
      title={help}
      onClick={() => void startChanged(stores, index)}
    >
      {goOnLabels("here", recorded)}
    </Button>
  );
}

function useGoOnPlaces() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const shown = useStore(stores.run);
  return { places: goOnPlaces(shown, mods), recorded: shown.recorded };
}
