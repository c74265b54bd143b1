/** Stands above a run that came from elsewhere: it was not run here, and gets into the list of runs when the user says so. */
import { useStore } from "zustand";
import { Button } from "../../ui/button.tsx";
import { useStores } from "../store/stores.ts";
import { SaveButton } from "./save-button.tsx";
import "../../ui/banner.css";

export function RecordedBanner({ onFork }: { onFork: () => void }) {
  const stores = useStores();
  const kept = useStore(stores.run, (state) => state.kept);
  return (
    <div className="banner recorded-banner">
      <p>
        <strong>Recorded elsewhere. Nothing has run.</strong>
      </p>
      <div className="banner-actions">
        <SaveButton
          isSaved={kept === "listed"}
          notices={stores.notices}
          save={(saving) => saving.saveShown(stores)}
        />
        <Button onClick={onFork}>Fork to editor</Button>
      </div>
    </div>
  );
}
