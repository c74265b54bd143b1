/** Which mods may remove text that was emitted, by the names in their sources. */

/** Actions, and targets of flows, that remove emitted text. */
const removals = ["backtrack", "forceOutput", "toolCalls", "tool"];

/** `names`: all words of the source. `hasFlows`: it may use flows, whose target `output` is also what every event has. */
export function takesBack(names: ReadonlySet<string>, hasFlows: boolean): boolean {
  return removals.some((name) => names.has(name)) || (hasFlows && names.has("output"));
}
