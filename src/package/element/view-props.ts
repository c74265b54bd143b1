/** The props of a run's views. Types only. */

import type { Selection } from "../../core/trace/model/selection.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import type { Authorship } from "../../view/timeline/ribbon/ribbon-cells.ts";
import type { TimelineOptions } from "./timeline-options.ts";
import type { TimelineState, TimelineStore } from "./timeline-state.ts";

export interface TimelineViewProps extends TimelineOptions {
  readonly store: TimelineStore;
  readonly onSelect: (selection: Selection) => void;
  readonly onChange: (changes: Partial<TimelineOptions>) => void;
  /** Tries again; null if another attempt could not succeed. */
  readonly onRetry: (() => void) | null;
}

/** The props of every view of a run. */
export interface RunViewProps extends TimelineViewProps {
  readonly state: TimelineState;
  readonly trace: TraceModel;
  readonly running: boolean;
  /** The version of the trace that is shown by the counts and charts next to the text. */
  readonly followed: number;
  readonly authorship: Authorship;
}
