/** Ways to share a run: a link that holds it, a link to its setup, a page, a picture, a text; and while it is made. */
import { type ComponentType, useEffect, useState } from "react";
import type { StoreApi } from "zustand/vanilla";
import { Dialog } from "../../ui/dialog.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import type { RunState } from "../store/run-store.ts";
import { ShareLink } from "./share-link.tsx";
import { ShareMarkdown } from "./share-markdown.tsx";
import { SharePage } from "./share-page.tsx";
import { SharePicture } from "./share-picture.tsx";
import { ShareSetup } from "./share-setup.tsx";
import { type Shared, sharedOf } from "./shared.ts";
import "./share-dialog.css";

interface ShareDialogProps {
  readonly run: StoreApi<RunState>;
  /** Where runs are made: what shares them live, and whether it does, and so is shown first. */
  readonly live?: { readonly Panel: ComponentType; readonly isOn: boolean };
  readonly onClose: () => void;
}

const ways = [
  { id: "link", label: "Link" },
  { id: "setup", label: "Setup" },
  { id: "page", label: "Page" },
  { id: "picture", label: "Picture" },
  { id: "markdown", label: "Markdown" },
] as const;

type Way = (typeof ways)[number]["id"];

const panels: Readonly<Record<Way, ComponentType<{ shared: Shared }>>> = {
  link: ShareLink,
  setup: ShareSetup,
  page: SharePage,
  picture: SharePicture,
  markdown: ShareMarkdown,
};

const liveWay = { id: "live", label: "Live" } as const;

export function ShareDialog({ run, live, onClose }: ShareDialogProps) {
  const { shared, refusal } = useShared(run);
  const [way, setWay] = useState<Way | "live">(live && (refusal !== null || live.isOn) ? "live" : "link");
  const [first, ...others] = ways;
  const tabs = live ? [first, liveWay, ...others] : ways;
  const panel = () => {
    if (live && way === "live") return <live.Panel />;
    const Panel = panels[way === "live" ? "link" : way];
    return refusal === null ? <Panel shared={shared} /> : <p>{refusal}</p>;
  };
  if (refusal !== null && !live) {
    return (
      <Dialog title="Share this run" onClose={onClose}>
        <p>{refusal}</p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Share this run" onClose={onClose}>
      <div className="share-ways">
        <Tabs label="Ways to share" name="share" tabs={tabs} active={way} onSelect={setWay} />
      </div>
      <div role="tabpanel" id={`share-${way}`} aria-labelledby={`share-tab-${way}`} className="share-panel">
        {panel()}
      </div>
    </Dialog>
  );
}

/** The run as it is when the dialog opens, or once it has ended; and why it cannot be shared before. */
function useShared(run: StoreApi<RunState>): { readonly shared: Shared; readonly refusal: string | null } {
  const [shared, setShared] = useState(() => sharedOf(run.getState().trace, location.href));
  const [isRead] = useState(() => run.getState().status !== "reading");
  useEffect(() => {
    if (shared.done) return;
    return run.subscribe(({ trace, status }) => {
      if (status !== "reading" && trace.finished) setShared(sharedOf(trace, location.href));
    });
  }, [run, shared]);
  if (!isRead) return { shared, refusal: "Not all of this run is read yet. Share it once it is." };
  if (shared.done) return { shared, refusal: null };
  const hasRun = shared.trace.records.length > 0;
  return {
    shared,
    refusal: hasRun
      ? "The run goes on. Stop it, or let it end, to share it this way."
      : "There is no run yet. Run something, and share it this way once it has ended.",
  };
}
