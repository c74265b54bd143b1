/** The share dialog, which writes links, pages, pictures and Markdown. Its code is fetched when the user shares a run. */
import { lazyDialog } from "../../../view/ui/lazy-dialog.tsx";

export const ShareDialog = lazyDialog({
  part: "The dialog for sharing",
  load: () => import("./share-dialog.tsx"),
  component: "ShareDialog",
});
