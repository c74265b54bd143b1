/** The writing column of a wide page: mods above, conversation below. History or experiments cover both. */
import { useStore } from "zustand";
import { PaneBoundary } from "../../view/ui/pane-boundary.tsx";
import { Splitter } from "../../view/ui/splitter.tsx";
import { ConversationPane } from "./conversation/conversation-pane.tsx";
import { useStores } from "./store/stores.ts";

interface WriteColumnProps {
  readonly share: number;
  readonly write: React.ReactNode;
  /** The pane that covers the column; the column below it stays unchanged. */
  readonly over: React.ReactNode | null;
}

export function WriteColumn({ share, write, over }: WriteColumnProps) {
  const { settings } = useStores();
  const { editorShare, change } = useStore(settings);
  return (
    <div className="wide-write" style={{ width: `${share}%` }}>
      {over && <div className="wide-history">{over}</div>}
      <div className="wide-write-panes" inert={over !== null}>
        <div className="wide-editor" style={{ flexBasis: `${editorShare}%` }}>
          {write}
        </div>
        <Splitter
          orientation="horizontal"
          label="Height of the editor"
          value={editorShare}
          min={20}
          max={85}
          onChange={(next) => change({ editorShare: next })}
        />
        <ConversationWithBoundary />
      </div>
    </div>
  );
}

export function ConversationWithBoundary() {
  return (
    <PaneBoundary pane="The conversation">
      <ConversationPane />
    </PaneBoundary>
  );
}
