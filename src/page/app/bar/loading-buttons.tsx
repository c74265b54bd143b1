/** What can be done while a model is loaded: let the download rest and go on with it, or end the load. What came of it stays in either case. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { canPause } from "./loading-labels.ts";

export function LoadingButtons() {
  const { model } = useStores();
  const { status, load, pause, cancel } = useStore(model);
  return (
    <>
      {status.type === "paused" && (
        <Button icon="play" onClick={() => void load()}>
          Continue
        </Button>
      )}
      {status.type === "loading" && canPause(status) && (
        <Button icon="pause" onClick={pause}>
          Pause
        </Button>
      )}
      <Button onClick={cancel}>Cancel</Button>
    </>
  );
}
