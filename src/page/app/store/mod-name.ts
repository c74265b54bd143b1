/** Rules for names of mods. */
import { withoutInvisible } from "../../../core/trace/text/visible-text.ts";

const longestName = 40;

/**
 * A name as the model string has it: without slashes, spaces and invisible characters, at most 40 characters; empty if nothing
 * is left.
 */
export function cleanModName(name: string): string {
  // Far more characters than the name keeps, so that cleaning a text of any length takes little time.
  const seen = withoutInvisible(name.slice(0, 1000).replaceAll(/[\s/\\]+/g, " "));
  return [...seen.trim().replaceAll(" ", "-")].slice(0, longestName).join("");
}
