/** Ways to share a run: a link that contains the run, a link to its setup, a page, a picture, a text, and those of features. */
import { type ComponentType, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { traceWithAuthorName } from "../../../core/trace/file/maker.ts";
import { Dialog } from "../../../view/ui/dialog.tsx";
import { Tabs } from "../../../view/ui/tabs.tsx";
import type { ShareWay } from "../features/page-feature.ts";
import type { PageStores } from "../store/page-stores.ts";
import type { RunState } from "../store/run-store.ts";
import { type AuthorNameState, authorNameToShare, createAuthorNameStore } from "./maker-store.ts";
import { ShareLink } from "./share-link.tsx";
import { ShareAuthorName } from "./share-maker.tsx";
import { ShareMarkdown } from "./share-markdown.tsx";
import { ShareHtmlFile } from "./share-page.tsx";
import { SharePicture } from "./share-picture.tsx";
import { ShareSetup } from "./share-setup.tsx";
import { type ReadLayers, type RunToShare, runToShare } from "./shared.ts";
import "./share-dialog.css";

interface ShareDialogProps {
  readonly run: StoreApi<RunState>;
  readonly page: PageStores;
  /** The ways that features of the playground add, and whether each is on now. */
  readonly featureWays?: readonly (Omit<ShareWay, "isOn"> & { readonly isOn: boolean })[];
  /** Present if a model can be asked: the saved layers of the run. */
  readonly readLayers?: ReadLayers;
  readonly onClose: () => void;
}

const ways = [
  { id: "link", label: "Link" },
  { id: "setup", label: "Setup only" },
  { id: "page", label: "Web page" },
  { id: "picture", label: "Picture" },
  { id: "markdown", label: "Markdown" },
] as const;

type Way = (typeof ways)[number]["id"];

const panels: Readonly<Record<Way, ComponentType<{ shared: RunToShare }>>> = {
  link: ShareLink,
  setup: ShareSetup,
  page: ShareHtmlFile,
  picture: SharePicture,
  markdown: ShareMarkdown,
};

export function ShareDialog({ run, page, featureWays = [], readLayers, onClose }: ShareDialogProps) {
  const { shared, refusal } = useShared(run);
  const [maker] = useState(() => createAuthorNameStore(page));
  const made = useSigned(shared, maker, readLayers);
  const [first, ...others] = ways;
  const [way, setWay] = useState<string>(
    () => featureWays.find(({ isOn }) => refusal !== null || isOn)?.id ?? first.id,
  );
  const panel = () => {
    const FeaturePanel = featureWays.find(({ id }) => id === way)?.Panel;
    if (FeaturePanel) return <FeaturePanel maker={maker} />;
    const chosen = ways.find(({ id }) => id === way)?.id ?? first.id;
    const Panel = panels[chosen];
    if (refusal !== null) return <p>{refusal}</p>;
    return (
      <>
        {chosen !== "setup" && <ShareAuthorName shared={shared} maker={maker} />}
        <Panel shared={made} />
      </>
    );
  };
  if (refusal !== null && featureWays.length === 0) {
    return (
      <Dialog title="Share this run" onClose={onClose}>
        <p>{refusal}</p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Share this run" onClose={onClose}>
      <div className="share-ways">
        <Tabs
          label="Ways to share"
          name="share"
          tabs={[first, ...featureWays, ...others]}
          active={way}
          onSelect={setWay}
        />
      </div>
      <div role="tabpanel" id={`share-${way}`} aria-labelledby={`share-tab-${way}`} className="share-panel">
        {panel()}
      </div>
    </Dialog>
  );
}

/** The run with the name of its maker, if the maker wants that. */
function useSigned(
  shared: RunToShare,
  maker: StoreApi<AuthorNameState>,
  readLayers: ReadLayers | undefined,
): RunToShare {
  const name = useStore(maker, authorNameToShare);
  const given = shared.isOwn ? name : "";
  return useMemo(
    () => ({ ...shared, readLayers, trace: traceWithAuthorName(shared.trace, given) }),
    [shared, readLayers, given],
  );
}

/** The run at the time the dialog opens, or at its end; and why it cannot be shared before. */
function useShared(run: StoreApi<RunState>): {
  readonly shared: RunToShare;
  readonly refusal: string | null;
} {
  const [shared, setShared] = useState(() => {
    const { trace, recorded } = run.getState();
    return runToShare(trace, !recorded, location.href);
  });
  const [isRead] = useState(() => run.getState().status !== "reading");
  useEffect(() => {
    if (shared.done) return;
    return run.subscribe(({ trace, status, recorded }) => {
      if (status !== "reading" && trace.finished) setShared(runToShare(trace, !recorded, location.href));
    });
  }, [run, shared]);
  if (!isRead)
    return { shared, refusal: "This run is still loading. Share it when it has finished loading." };
  if (shared.done) return { shared, refusal: null };
  const hasRun = shared.trace.records.length > 0;
  return {
    shared,
    refusal: hasRun
      ? "The run is still in progress. To share it this way, stop it or wait until it ends."
      : "There is no run yet. Press Run; once the run has ended, you can share it this way.",
  };
}
