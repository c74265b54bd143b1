/**
 * `midtoken/timeline`: the custom element `<token-timeline>`, which draws a recorded run or a live request. Importing this
 * module defines the element; on a server the import does nothing.
 */
import { defineTokenTimeline } from "./define-token-timeline.ts";
import type { TokenTimelineElement } from "./token-timeline-element.ts";

export type { Selection as TokenSelection } from "../../core/trace/model/selection.ts";
export { defineTokenTimeline } from "./define-token-timeline.ts";
export { TimelineError } from "./timeline-error.ts";
export type { TokenTimelineEventMap } from "./timeline-events.ts";
export type { TimelinePanel, TimelineTheme, TimelineView } from "./timeline-options.ts";
export type { RequestsOwner, TraceFile } from "./timeline-source.ts";
export type { TimelineStatus } from "./timeline-state.ts";
export { TokenTimelineElement } from "./token-timeline-element.ts";

declare global {
  interface HTMLElementTagNameMap {
    "token-timeline": TokenTimelineElement;
  }
}

defineTokenTimeline();
