/** The share dialog, whose code is fetched when someone shares: it writes links, pages, pictures and Markdown. */
import { lazyPart } from "../../../view/ui/lazy-part.tsx";

export const ShareDialog = lazyPart({
  part: "The share dialog",
  load: () => import("./share-dialog.tsx"),
  component: "ShareDialog",
});
