/** Numbers as a person reads them, with units. Pure. */

import { formatCount } from "../../core/base/number-text.ts";

export {
  formatBytes,
  formatCount,
  formatDuration,
  formatProbability,
  plural,
} from "../../core/base/number-text.ts";

/** A text of at most `most` UTF-16 units; what is left out of a longer one is counted at its end. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (and ${formatCount(text.length - most)} more characters)`;
}
