/** The view of a shared link, separate from the playground: `scripts/vite-viewer.ts` builds it with Preact in React's place. */
import { createRoot } from "react-dom/client";
import { fragmentKind } from "../../core/trace/file/fragment-kind.ts";
import { ErrorBoundary } from "../../view/ui/error-boundary.tsx";
import { lazyPart } from "../../view/ui/lazy-part.tsx";
import { linkKinds } from "./features/link-kinds.ts";
import { Notices } from "./notices.tsx";
import type { PlaygroundHandOver } from "./share/hand-over.ts";
import { LinkView } from "./share/link-view.tsx";
import { createPageStores, type PageStores } from "./store/page-stores.ts";
import { followTheme } from "./theme.ts";

export interface ViewerOptions {
  /** The fragment of the address, with its `#`. */
  readonly hash: string;
  /** Goes to the playground with what the user wants there. */
  readonly leave: (handed: PlaygroundHandOver) => void;
}

const SetupView = lazyPart({
  part: "The view of shared setups",
  load: () => import("./share/setup-view.tsx"),
  component: "SetupView",
});

const featureViews = linkKinds.map(({ isLink, view }) => ({ isLink, View: lazyPart(view) }));

let page: PageStores | null = null;

/** Returns a function that removes the view. */
export function mountViewer(root: HTMLElement, { hash, leave }: ViewerOptions): () => void {
  if (page === null) {
    page = createPageStores();
    followTheme(page.settings);
  }
  const OwnView = fragmentKind(hash) === "s" ? SetupView : LinkView;
  const View = featureViews.find(({ isLink }) => isLink(hash))?.View ?? OwnView;
  const drawn = createRoot(root);
  drawn.render(
    <ErrorBoundary>
      <View page={page} hash={hash} leave={leave} />
      <Notices notices={page.notices} />
    </ErrorBoundary>,
  );
  return () => drawn.unmount();
}
