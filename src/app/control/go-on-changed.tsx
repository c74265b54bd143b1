/** Once the mods are others than those that ran: goes on with them, where the run is paused or from what is selected. */
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { areOtherMods, startChanged } from "../store/start-changed.ts";
import { useStores } from "../store/stores.ts";

export function GoOnChanged() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const { status, trace, selection } = useStore(stores.run);
  const isPaused = status === "paused";
  const isOver = status === "finished" || status === "failed";
  if (trace.request === null || !(isPaused || (isOver && selection))) return null;
  if (!areOtherMods(trace.request.mods, mods)) return null;
  const index = isPaused ? null : (selection?.cursor ?? null);
  const where = index === null ? "" : ` from token ${formatCount(index + 1)}`;
  return (
    <Button
      icon="branch"
      title="A new run: the text so far stands as it is, and the mods as they are now write on"
      onClick={() => void startChanged(stores, index)}
    >
      Go on{where} with the changed mods
    </Button>
  );
}
