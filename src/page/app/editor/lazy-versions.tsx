/** The versions of a mod: fetched when they are asked for. */
import { lazyPart } from "../../../view/ui/lazy-part.tsx";

export const VersionsDialog = lazyPart({
  part: "The versions",
  load: () => import("./versions-dialog.tsx"),
  component: "VersionsDialog",
});
