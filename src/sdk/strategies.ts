/** `midtoken/strategies`: what an answer may be. Listed by hand; at most 25 names. */
export type { Strategy } from "../masks/strategy.ts";
