/** Registers live sharing on the playground: a badge in the bar and a tab of the dialog "Share this run". */
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import type { PageFeature } from "../features/page-feature.ts";
import { LiveBadge } from "./live-badge.tsx";
import { liveStoreOf } from "./live-store.ts";

export const liveFeature: PageFeature = {
  name: "live",
  Badge: LiveBadge,
  shareWay: {
    id: "live",
    label: "Live view",
    Panel: lazyPart({
      part: "Live sharing",
      load: () => import("./share-live.tsx"),
      component: "ShareLive",
    }),
    isOn: (stores) => liveStoreOf(stores).getState().share !== null,
  },
};
