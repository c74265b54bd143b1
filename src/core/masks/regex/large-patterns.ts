/** Says how large a pattern is, and with which texts the checks of work begin. */

/** From this count on, the work that a pattern takes is checked. */
export const MANY_REPETITIONS = 30;

/** The largest count in the pattern's repetitions: 30 for `a{2,30}b*`; 0 if none is counted. */
export function largestRepeatCount(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)];
  return Math.max(0, ...counts.flatMap(([, least, most]) => [Number(least), Number(most || 0)]));
}

/** The codes of the first three different letters and digits in the patterns: texts of them lead deep into the patterns. */
export function firstLettersAndDigits(patterns: readonly string[]): readonly number[] {
  const letters = [...new Set(patterns.join("").match(/[A-Za-z0-9]/g) ?? [])].slice(0, 3);
  return letters.map((letter) => letter.charCodeAt(0));
}
