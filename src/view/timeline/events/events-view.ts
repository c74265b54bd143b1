/** How the event list is looked at. The page keeps it while other panels are shown. */
import { allClosed, type OpenNodes } from "./event-tree.ts";

export interface EventsView {
  readonly filter: string;
  readonly shape: "table" | "tree";
  /** Also the calls that answered nothing. */
  readonly withSilent: boolean;
  readonly withRecord: boolean;
  /** Nodes of the tree. */
  readonly open: OpenNodes;
}

export const firstEventsView: EventsView = {
  filter: "",
  shape: "table",
  withSilent: false,
  withRecord: false,
  open: allClosed,
};
