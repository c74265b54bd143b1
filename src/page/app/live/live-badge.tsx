/** In the bar as long as runs are shared live: nobody should forget it. */
import { useStore } from "zustand";
import { Button } from "../../../view/ui/button.tsx";
import type { PageActions } from "../page-actions.ts";
import { useStores } from "../store/stores.ts";
import { liveStoreOf } from "./live-store.ts";
import "./live-badge.css";

export function LiveBadge({ page }: { readonly page: PageActions }) {
  const count = useStore(liveStoreOf(useStores()), ({ share }) => share?.watchers.length);
  if (count === undefined) return null;
  return (
    <Button
      className="live-badge"
      title="Runs are shared live: see who is watching, or stop sharing"
      onClick={() => page.open("share")}
    >
      Live · {count}
      <span className="visually-hidden"> watching</span>
    </Button>
  );
}
