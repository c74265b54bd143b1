/** Live sharing of runs, loaded on demand. */
import { lazyPart } from "../../../view/ui/lazy-part.tsx";

export const LazyShareLive = lazyPart({
  part: "Live sharing",
  load: () => import("./share-live.tsx"),
  component: "ShareLive",
});
