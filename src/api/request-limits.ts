/** What a request and its mods may be and take. */
export { largestSource } from "../session/mod-limits.ts";
export {
  checkRequestLimits,
  type Deadlines,
  defaultBudget,
  defaultDeadlines,
  isLimit,
  limitRanges,
} from "../session/request-limits.ts";
