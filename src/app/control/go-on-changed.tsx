/** Once the mods are others than those that ran: goes on with them, where the run stands or from what is selected. */
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/format.ts";
import { areOtherMods, endedEarly, startChanged } from "../store/start-changed.ts";
import { useStores } from "../store/stores.ts";

export function GoOnChanged() {
  const stores = useStores();
  const mods = useStore(stores.mods, (state) => state.mods);
  const { status, trace, selection, recorded } = useStore(stores.run);
  const isPaused = status === "paused";
  const isOver = status === "finished" || status === "failed";
  if (trace.request === null || !(isPaused || isOver) || !areOtherMods(trace.request, mods)) return null;
  const cursor = selection?.cursor ?? null;
  const places = [
    ...(isPaused || endedEarly(trace) ? [null] : []),
    ...(cursor !== null && cursor < trace.tokens.text.length ? [cursor] : []),
  ];
  const whose = recorded ? "with the mods of the editor" : "with the changed mods";
  return places.map((index) => (
    <Button
      key={index === null ? "end" : "token"}
      icon="branch"
      title="A branch of this run: what stands there stays as it is, the mods are told of it and write on"
      onClick={() => void startChanged(stores, index)}
    >
      Go on{index === null ? "" : ` from token ${formatCount(index + 1)}`} {whose}
    </Button>
  ));
}
