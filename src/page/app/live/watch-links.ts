/** Registers links to live runs as a kind of link that the page shows. */
import { isWatchLink } from "../../live/is-watch-link.ts";
import type { LinkKind } from "../features/page-feature.ts";

export const watchLinks: LinkKind = {
  isLink: isWatchLink,
  view: {
    part: "The view of live runs",
    load: () => import("./watch-view.tsx"),
    component: "LinkView",
  },
};
