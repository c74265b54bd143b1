/**
 * The layout of the playground's panes. Wide: writing beside reading; narrow: one at a time. The reading pane is the
 * same element in both and is the base of every other place, so that it keeps its panel, its filter and its zoom.
 */
import type { ReactNode } from "react";
import { useStore } from "zustand";
import { Splitter } from "../../view/ui/splitter.tsx";
import { Tabs } from "../../view/ui/tabs.tsx";
import { featurePanes } from "./features/feature-panes.ts";
import type { OverlayPane, PagePlace } from "./page-actions.ts";
import { useStores } from "./store/stores.ts";
import { ConversationWithBoundary, WriteColumn } from "./write-column.tsx";

const places: readonly { readonly id: PagePlace; readonly label: string }[] = [
  { id: "write", label: "Write" },
  { id: "run", label: "Run" },
  { id: "read", label: "Read" },
  { id: "history", label: "History" },
  ...featurePanes,
  { id: "guide", label: "Guide" },
];

interface PaneLayoutProps {
  readonly narrow: boolean;
  /** The place on a narrow page. */
  readonly place: PagePlace;
  /** The pane over the writing side on a wide page. */
  readonly over: OverlayPane | null;
  readonly onPlace: (place: PagePlace) => void;
  readonly panes: Readonly<Record<"write" | "read" | OverlayPane, ReactNode>>;
}

export function PaneLayout({ narrow, place, over, onPlace, panes }: PaneLayoutProps) {
  const { settings } = useStores();
  const { writeShare, change } = useStore(settings);
  const isRead = !narrow || place === "read";
  return (
    <main className={narrow ? "narrow" : "wide"}>
      {narrow ? (
        <Tabs key="places" label="Sections" name="place" tabs={places} active={place} onSelect={onPlace} />
      ) : (
        <WriteColumn key="write" share={writeShare} write={panes.write} over={over && panes[over]} />
      )}
      {!narrow && (
        <Splitter
          key="width"
          orientation="vertical"
          label="Width of the editor"
          value={writeShare}
          min={24}
          max={64}
          onChange={(share) => change({ writeShare: share })}
        />
      )}
      {!isRead && (
        <div key="place" {...panelOf(place)} className="place">
          {place === "run" ? <ConversationWithBoundary /> : panes[place]}
        </div>
      )}
      <div key="read" {...(narrow && panelOf("read"))} className="place" hidden={!isRead}>
        {panes.read}
      </div>
    </main>
  );
}

const panelOf = (place: PagePlace) => ({
  role: "tabpanel",
  id: `place-${place}`,
  "aria-labelledby": `place-tab-${place}`,
});
