/** Numbers as a person reads them, with units. Pure. */

import { formatCount } from "../../core/base/number-text.ts";

export {
  countWithNoun,
  formatBytes,
  formatCount,
  formatDuration,
  formatProbability,
} from "../../core/base/number-text.ts";

/** Cuts a text after `most` UTF-16 units, and appends the number of omitted units. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (and ${formatCount(text.length - most)} more characters)`;
}
