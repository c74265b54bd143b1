/** Says above the text what this browser kept and the page cannot use. */
import { useStore } from "zustand";
import { Button, IconButton } from "../../ui/button.tsx";
import { damagedEntries, damageSentence } from "../store/damage-store.ts";
import { useStores } from "../store/stores.ts";
import "../../ui/banner.css";

export function SetAsideBanner({ onShow }: { onShow: () => void }) {
  const state = useStore(useStores().damage);
  const entries = damagedEntries(state);
  if (entries.length === 0 || state.isHidden) return null;
  return (
    <div className="banner" role="status">
      <p>
        <strong>Set aside.</strong> {damageSentence(entries)}
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
