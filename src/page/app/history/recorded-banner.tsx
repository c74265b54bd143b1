/** Stands above an imported run: says that the run was recorded elsewhere, and offers to save it in the list of runs. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { RecordedBy } from "../share/recorded-by.tsx";
import { useStores } from "../store/stores.ts";
import { SaveButton } from "./save-button.tsx";
import "../../../view/ui/banner.css";

export function RecordedBanner({ onFork }: { onFork: () => void }) {
  const stores = useStores();
  const { saved, trace } = useStore(stores.run);
  return (
    <div className="banner recorded-banner">
      <p>
        <strong>
          Recorded elsewhere
          <RecordedBy trace={trace} />. Nothing has run on this device.
        </strong>
      </p>
      <div className="banner-actions">
        <SaveButton
          isSaved={saved === "listed"}
          notices={stores.notices}
          save={(saving) => saving.saveShownRun(stores)}
        />
        <Button onClick={onFork}>Fork to editor</Button>
      </div>
    </div>
  );
}
