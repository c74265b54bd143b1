/** Once the mods are others than those that ran: goes on with them, where the run stands or from what is selected. */
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { goOnPlaces, startChanged } from "../store/start-changed.ts";
import { useStores } from "../store/stores.ts";
import { goOnWords } from "./go-on-words.ts";
import "./go-on-changed.css";

const help = "A branch of this run: what stands there stays as it is, the mods are told of it and write on";

/** Beside the run. */
export function GoOnChanged() {
  const stores = useStores();
  const { places, recorded } = useGoOnPlaces();
  return places.map((index) => (
    <Button
      key={index === null ? "end" : "token"}
      icon="branch"
      title={help}
      onClick={() => void startChanged(stores, index)}
    >
      {goOnWords(index, recorded)}
    </Button>
  ));
}

/** Beside the token that is looked at. */
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
      {goOnWords("here", recorded)}
    </Button>
  );
}

function useGoOnPlaces() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const shown = useStore(stores.run);
  return { places: goOnPlaces(shown, mods), recorded: shown.recorded };
}
