/** Numbers as a person reads them. */

/** A count with its thousands apart: 1,234. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 word`, `3 words`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A number to three significant digits, without the noise of binary fractions: 0.30000000000000004 is 0.3. */
export function formatNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}
