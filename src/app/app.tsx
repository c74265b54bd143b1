/** Chooses the view. A shared run is read without loading the editor or the engine; any other address shows the playground. */
import { type ComponentType, type ReactNode, useEffect, useMemo, useState } from "react";
import type { PageStores } from "./store/stores.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";
import { lazyPart } from "./ui/lazy-part.tsx";
import { Notices } from "./ui/notices.tsx";

export interface PlaygroundProps {
  readonly page: PageStores;
}

interface AppProps {
  readonly page: PageStores;
  /** Loaded only when the playground is shown. */
  readonly loadPlayground: () => Promise<{ Playground: ComponentType<PlaygroundProps> }>;
}

const LinkView = lazyPart({
  part: "The view of shared runs",
  load: () => import("./share/link-view.tsx"),
  component: "LinkView",
});

/** Fragments that carry a recorded run: `#t` and a version. */
const sharedRun = /^#t\d+\./;

export function App({ page, loadPlayground }: AppProps) {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    addEventListener("popstate", follow);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("popstate", follow);
    };
  }, []);
  const Playground = useMemo(
    () => lazyPart({ part: "The playground", load: loadPlayground, component: "Playground" }),
    [loadPlayground],
  );
  return (
    <ErrorBoundary>
      {sharedRun.test(hash) ? (
        <LinkView key={hash} page={page} hash={hash} within={asPage} />
      ) : (
        <Playground page={page} within={asPage} />
      )}
      <Notices notices={page.notices} />
    </ErrorBoundary>
  );
}

const asPage = (fault: ReactNode) => <main className="fault">{fault}</main>;
