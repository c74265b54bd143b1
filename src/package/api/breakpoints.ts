/** Rules by which a request pauses itself. */
export {
  type Breakpoint,
  type BreakpointAction,
  type BreakpointEvent,
  type BreakpointRule,
  breakpointActions,
  breakpointEvents,
  breakpointLimits,
  breakpointProblem,
  isSameRule,
  ruleOf,
} from "../../runtime/session/shared/breakpoint.ts";
