/** The buttons while a model is loaded: pause and resume the download, or end the load. Downloaded bytes stay in either case. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { canPauseDownload } from "./loading-labels.ts";

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
      {status.type === "loading" && canPauseDownload(status) && (
        <Button icon="pause" onClick={pause}>
          Pause
        </Button>
      )}
      <Button onClick={cancel}>Cancel</Button>
    </>
  );
}
