/** Numbers as a person reads them, with units. Pure. */

import { formatCount } from "../../core/base/number-text.ts";

export { formatBytes, formatCount, formatDuration, plural } from "../../core/base/number-text.ts";

/** A probability as 41%, 3.2%, 0.04%, < 0.01%. */
export function formatProbability(probability: number): string {
  const percent = probability * 100;
  if (percent >= 99.95) return percent >= 100 ? "100%" : "> 99.9%";
  if (percent >= 9.95) return `${Math.round(percent)}%`;
  if (percent >= 0.95) return `${percent.toFixed(1)}%`;
  if (percent >= 0.005) return `${percent.toFixed(2)}%`;
  return percent > 0 ? "< 0.01%" : "0%";
}

/** A text of at most `most` UTF-16 units; what is left out of a longer one is counted at its end. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (and ${formatCount(text.length - most)} more characters)`;
}
