/** The versions of a mod, loaded on demand. */
import { lazyDialog } from "../../../view/ui/lazy-dialog.tsx";

export const VersionsDialog = lazyDialog({
  part: "The versions",
  load: () => import("./versions-dialog.tsx"),
  component: "VersionsDialog",
});
