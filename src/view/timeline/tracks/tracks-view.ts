/** The part of the tracks in view, stored outside the panel, so that it is the same when the panel opens again. */
import type { AxisView } from "../axis-view.ts";
import type { AxisName } from "./track-axis.ts";

export interface TracksView {
  readonly axis: AxisName;
  /** Null for the whole run. */
  readonly view: AxisView | null;
}

export const wholeRunView: TracksView = { axis: "tokens", view: null };
