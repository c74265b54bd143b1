/** A run as an element draws it: a sentence about who chose the words, the text with its marks, and the state of the run. */
import { useMemo, useSyncExternalStore } from "react";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { authorshipOf } from "../../view/timeline/ribbon/ribbon-cells.ts";
import { liveUpdateMs, useThrottledValue } from "../../view/timeline/use-at-most-every.ts";
import { lazyPart } from "../../view/ui/lazy-part.tsx";
import { TextView } from "./text-view.tsx";
import { actOnTimelineKey } from "./timeline-keys.ts";
import { statusSentence } from "./timeline-labels.ts";
import type { TimelineState } from "./timeline-state.ts";
import type { TimelineViewProps } from "./view-props.ts";
import "../../view/ui/base.css";
import "./token-timeline.css";

const FullView = lazyPart({
  part: "The whole timeline",
  load: () => import("./full-view.tsx"),
  component: "FullView",
});

export function TimelineView(props: TimelineViewProps) {
  const { store, view, fold, onSelect, onChange } = props;
  const state = useSyncExternalStore(store.subscribe, store.get);
  const { trace, selection } = state;
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (trace) actOnTimelineKey(event, { trace, selection, fold, onSelect, onChange });
  };
  return (
    <div className={`timeline-root timeline-root-${view}`}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys for all that is in it, as a page has them */}
      <div className="timeline-frame read" part="timeline" onKeyDown={onKeyDown}>
        {trace && hasWords(state) ? (
          <Run {...props} state={state} trace={trace} />
        ) : (
          <Message {...props} state={state} />
        )}
      </div>
    </div>
  );
}

/** A run that was read completely shows its text, even if it is empty, because there may be events to read. */
const hasWords = ({ trace, status }: TimelineState): boolean =>
  status !== "loading" || (trace?.tokens.text.length ?? 0) > 0;

function Run(props: TimelineViewProps & { readonly state: TimelineState; readonly trace: TraceModel }) {
  const { state, trace, view } = props;
  const running = state.status === "running" || state.status === "waiting";
  const followed = useThrottledValue(state.version, running ? liveUpdateMs : 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `followed` says so
  const authorship = useMemo(() => authorshipOf(trace), [trace, followed]);
  const run = { ...props, running, followed, authorship };
  return view === "full" ? <FullView {...run} /> : <TextView {...run} />;
}

/** The element's content until a run is shown: the status, the progress or the error. */
function Message({ state, onRetry }: TimelineViewProps & { readonly state: TimelineState }) {
  const { status, share } = state;
  const words = statusSentence(state);
  return (
    <div
      className={`timeline-message timeline-message-${status}`}
      part="message"
      role={status === "failed" ? "alert" : "status"}
      aria-busy={status === "loading"}
    >
      {status === "failed" && <strong>The run cannot be shown. </strong>}
      <p>{words}</p>
      {status === "loading" && share !== null && (
        <progress aria-label="Reading the run" max={1} value={share} />
      )}
      {status === "failed" && onRetry && (
        <button type="button" className="button button-normal" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
