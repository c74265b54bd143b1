/** The settings of the event list. The page stores them while other panels are shown. */
import { allClosed, type OpenNodes } from "./event-tree.ts";

export interface EventsView {
  readonly filter: string;
  readonly shape: "table" | "tree";
  /** Whether calls that did nothing are listed too. */
  readonly withSilent: boolean;
  readonly withRecord: boolean;
  /** The open nodes of the tree. */
  readonly open: OpenNodes;
}

export const initialEventsView: EventsView = {
  filter: "",
  shape: "table",
  withSilent: false,
  withRecord: false,
  open: allClosed,
};
