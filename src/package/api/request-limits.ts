/** Limits of a request and its mods. */
export { largestSource } from "../../runtime/session/shared/mod-limits.ts";
export {
  checkRequestLimits,
  type Deadlines,
  defaultBudget,
  defaultDeadlines,
  isLimit,
  limitRanges,
} from "../../runtime/session/shared/request-limits.ts";
