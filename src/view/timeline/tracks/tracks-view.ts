/** What of the tracks is in view: kept beside them, so that they are as they were when their panel is opened again. */
import type { AxisView } from "../axis-view.ts";
import type { AxisName } from "./track-axis.ts";

export interface TracksView {
  readonly axis: AxisName;
  /** Null for the whole run. */
  readonly view: AxisView | null;
}

export const wholeRun: TracksView = { axis: "tokens", view: null };
