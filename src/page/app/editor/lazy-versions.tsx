/** The versions of a mod, loaded on demand. */
import { lazyPart } from "../../../view/ui/lazy-part.tsx";

export const VersionsDialog = lazyPart({
  part: "The versions",
  load: () => import("./versions-dialog.tsx"),
  component: "VersionsDialog",
});
