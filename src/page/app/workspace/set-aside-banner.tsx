/** The banner above the text about stored entries that the page cannot use. */
import { useStore } from "zustand";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { damageSentence } from "../store/damage-sentence.ts";
import { damagedEntries } from "../store/damage-store.ts";
import { useStores } from "../store/stores.ts";
import "../../../view/ui/banner.css";

export function SetAsideBanner({ onShow }: { onShow: () => void }) {
  const state = useStore(useStores().damage);
  const entries = damagedEntries(state);
  return (
    <div className="banner" role="status">
      <p>
        <strong>Some saved data was set aside.</strong> {damageSentence(entries)}
      </p>
      <div className="banner-actions">
        <Button weight="quiet" onClick={onShow}>
          Save or delete
        </Button>
        <IconButton icon="close" label="Close" onClick={state.hide} />
      </div>
    </div>
  );
}
