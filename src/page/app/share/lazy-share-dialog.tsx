/** The share dialog, which writes links, pages, pictures and Markdown. Its code is fetched when the user shares a run. */
import { lazyPart } from "../../../view/ui/lazy-part.tsx";

export const ShareDialog = lazyPart({
  part: "The dialog for sharing",
  load: () => import("./share-dialog.tsx"),
  component: "ShareDialog",
});
