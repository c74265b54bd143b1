/** Once the mods are others than those that ran: goes on with them, where the run stands or from what is selected. */
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { goOnPlaces, startChanged } from "../store/start-changed.ts";
import { useStores } from "../store/stores.ts";
import { goOnWords } from "./go-on-words.ts";

export function GoOnChanged() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const shown = useStore(stores.run);
  return goOnPlaces(shown, mods).map((index) => (
    <Button
      key={index === null ? "end" : "token"}
      icon="branch"
      title="A branch of this run: what stands there stays as it is, the mods are told of it and write on"
      onClick={() => void startChanged(stores, index)}
    >
      {goOnWords(index, shown.recorded)}
    </Button>
  ));
}
