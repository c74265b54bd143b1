/** Numbers as a person reads them. */

/** Shared, because `toLocaleString` creates such a format at each call, which takes a hundred times as long. */
const grouped = new Intl.NumberFormat("en-US");

/** A count with separated thousands: 1,234. */
export function formatCount(count: number): string {
  return count >= 0 && count < 1000 && Number.isInteger(count) ? String(count) : grouped.format(count);
}

/** `1 word`, `3 words`. */
export function countWithNoun(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Bytes in decimal units: 812 B, 4.1 KB, 138 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ["KB", "MB", "GB"] as const;
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A number to three significant digits, without the noise of binary fractions: 0.30000000000000004 is 0.3. */
export function formatNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** A probability as 41%, 3.2%, 0.04%, < 0.01%. */
export function formatProbability(probability: number): string {
  const percent = probability * 100;
  if (percent >= 99.95) return percent >= 100 ? "100%" : "> 99.9%";
  if (percent >= 9.95) return `${Math.round(percent)}%`;
  if (percent >= 0.95) return `${percent.toFixed(1)}%`;
  if (percent >= 0.005) return `${percent.toFixed(2)}%`;
  return percent > 0 ? "< 0.01%" : "0%";
}

/** Microseconds as 0.31 ms, 12 ms, 1.4 s, 2 min 5 s. */
export function formatDuration(microseconds: number): string {
  const ms = microseconds / 1000;
  if (ms < 9.95) return `${ms.toFixed(ms < 0.995 ? 2 : 1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Joins names: `one`, `one and two`, `one, two and three`; with `others` unnamed ones: `one, two and 3 more`. */
export function joinNames(names: readonly string[], others = 0): string {
  if (others > 0) return `${names.join(", ")} and ${formatCount(others)} more`;
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
