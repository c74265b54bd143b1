/** Ways to share a run: a link that holds it, a link to its setup, a page, a picture, a text. */
import { type ComponentType, useState } from "react";
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

export function ShareDialog({ run, onClose }: ShareDialogProps) {
  const [{ shared, isRead }] = useState(() => {
    const { trace, status } = run.getState();
    return { shared: sharedOf(trace, location.href), isRead: status !== "reading" };
  });
  const [way, setWay] = useState<Way>("link");
  const Panel = panels[way];
  if (!shared.done || !isRead) {
    return (
      <Dialog title="Share this run" onClose={onClose}>
        <p>
          {isRead
            ? "The run goes on. Stop it, or let it end, to share it."
            : "Not all of this run is read yet. Share it once it is."}
        </p>
      </Dialog>
    );
  }
  return (
    <Dialog title="Share this run" onClose={onClose}>
      <div className="share-ways">
        <Tabs label="Ways to share" name="share" tabs={ways} active={way} onSelect={setWay} />
      </div>
      <div role="tabpanel" id={`share-${way}`} aria-labelledby={`share-tab-${way}`} className="share-panel">
        <Panel shared={shared} />
      </div>
    </Dialog>
  );
}
