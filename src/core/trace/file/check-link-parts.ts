/** Checks the parts that an app gives to `encodePermalink`: a misspelled `prompt: false` would put the prompt into the link. */
import { checkOptionKeys } from "../../base/known-keys.ts";
import { showJson } from "../../base/show.ts";
import type { LinkParts } from "./project.ts";

const flags: readonly unknown[] = [true, false];

/** The values that each part may have. */
const partValues: Readonly<Record<keyof LinkParts, readonly unknown[]>> = {
  probabilities: flags,
  alternatives: ["none", "gated", "all"],
  draws: flags,
  tokenIds: flags,
  timings: flags,
  logs: flags,
  prompt: flags,
};

const partKeys = Object.fromEntries(Object.keys(partValues).map((name) => [name, true])) as Record<
  keyof LinkParts,
  true
>;

/** @throws TypeError for an unknown part, and for a value that a part cannot have */
export function checkLinkParts(parts: Partial<LinkParts>): void {
  checkOptionKeys("encodePermalink", parts, partKeys);
  for (const [name, allowed] of Object.entries(partValues)) {
    const value = parts[name as keyof LinkParts];
    if (value === undefined || allowed.includes(value)) continue;
    const words = allowed.map((each) => JSON.stringify(each)).join(" or ");
    throw new TypeError(`encodePermalink: ${name} is ${showJson(value)}: give ${words}.`);
  }
}
