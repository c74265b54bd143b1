/** Chooses the view: a shared run is read without loading editor or engine; else the playground. */
import { type ComponentType, lazy, Suspense, useEffect, useMemo, useState } from "react";
import type { PageStores } from "./store/stores.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";
import { Notices } from "./ui/notices.tsx";

export interface PlaygroundProps {
  readonly page: PageStores;
}

interface AppProps {
  readonly page: PageStores;
  /** Loaded only when the playground is shown. */
  readonly loadPlayground: () => Promise<{ Playground: ComponentType<PlaygroundProps> }>;
}

const LinkView = lazy(() => import("./share/link-view.tsx").then(({ LinkView }) => ({ default: LinkView })));

/** Fragments that carry a recorded run: `#t` and a version. */
export const sharedRun = /^#t\d+\./;

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
    () => lazy(() => loadPlayground().then(({ Playground }) => ({ default: Playground }))),
    [loadPlayground],
  );
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>
        {sharedRun.test(hash) ? <LinkView key={hash} page={page} hash={hash} /> : <Playground page={page} />}
      </Suspense>
      <Notices notices={page.notices} />
    </ErrorBoundary>
  );
}
