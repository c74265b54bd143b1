/** Lists of action types. In a file of their own, so that a page that only draws text does not load them. */
import { actionTraits, type TraceAction } from "./format-action.ts";

export const actionTypes = Object.keys(actionTraits) as readonly TraceAction["type"][];

/** Types of actions that change something. */
export type EffectiveAction = Exclude<TraceAction["type"], "noop">;

export const effectiveActions = actionTypes.filter((type): type is EffectiveAction => type !== "noop");
