/** Says how large a pattern is, and with which texts the checks of work begin. */

/** From this count on, the work that a pattern takes is checked. */
export const OFTEN = 30;

/** The largest count of a pattern. */
export function mostRepeats(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  return Math.max(0, ...counts.flatMap(([, least, most]) => [Number(least), Number(most || 0)]));
}

/** The first letters and digits of the patterns, which lead deep into them. */
export function lettersOf(patterns: readonly string[]): readonly number[] {
  const letters = [...new Set(patterns.join("").match(/[A-Za-z0-9]/g) ?? [])].slice(0, 3);
  return letters.map((letter) => letter.charCodeAt(0));
}
