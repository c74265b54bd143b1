/** In the bar as long as runs are shared live: nobody should forget it. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";

export function LiveBadge({ onOpen }: { onOpen: () => void }) {
  const count = useStore(useStores().live, ({ share }) => share?.watchers.length);
  if (count === undefined) return null;
  return (
    <Button
      className="live-badge"
      title="Runs are shared live: see who is watching, or stop sharing"
      onClick={onOpen}
    >
      Live · {count}
      <span className="visually-hidden"> watching</span>
    </Button>
  );
}
