/** Which mods may remove text that was emitted, by the names in their sources. */

import type { ActionType } from "./action.ts";

/** Whether an action removes emitted text. */
const removesText: Readonly<Record<ActionType, boolean>> = {
  noop: false,
  adjustPrefill: false,
  adjustLogits: false,
  forceTokens: false,
  backtrack: true,
  forceOutput: true,
  toolCalls: true,
  steer: false,
  patch: false,
  error: false,
};

/** Actions, and targets of flows, that remove emitted text. */
const removals = ["tool", ...Object.entries(removesText).flatMap(([name, removes]) => (removes ? name : []))];

/**
 * Whether a mod may remove emitted text. `names`: all words of its source. `hasFlows`: whether the mod may use flows, where
 * `output` is a target that removes text. Without flows, `output` is only a property of events.
 */
export function mayRemoveOutput(names: ReadonlySet<string>, hasFlows: boolean): boolean {
  return removals.some((name) => names.has(name)) || (hasFlows && names.has("output"));
}
