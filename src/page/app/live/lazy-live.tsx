/** What shares runs live, fetched when someone turns to it. */
import { lazyPart } from "../../../view/ui/lazy-part.tsx";

export const LazyShareLive = lazyPart({
  part: "Live sharing",
  load: () => import("./share-live.tsx"),
  component: "ShareLive",
});
