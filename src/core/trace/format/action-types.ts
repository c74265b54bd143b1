/** Lists of the types of actions. They stand apart from the table so that a page which only draws a text does not load them. */
import { actionTraits, type TraceAction } from "./format-action.ts";

export const actionTypes = Object.keys(actionTraits) as readonly TraceAction["type"][];

/** The actions that do something. */
export type EffectiveAction = Exclude<TraceAction["type"], "noop">;

export const effectiveActions = actionTypes.filter((type): type is EffectiveAction => type !== "noop");
