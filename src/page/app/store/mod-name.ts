/** Rules for names of mods. */
import { withoutUnseen } from "../../../core/trace/text/visible-text.ts";

const longestName = 40;

/**
 * A name as it stands in the model string: no slashes or spaces, nothing that is not seen, at most 40 characters; empty
 * where nothing is left.
 */
export function cleanName(name: string): string {
  // Far more than is kept, so that a name of any length costs little.
  const seen = withoutUnseen(name.slice(0, 1000).replaceAll(/[\s/\\]+/g, " "));
  return [...seen.trim().replaceAll(" ", "-")].slice(0, longestName).join("");
}
