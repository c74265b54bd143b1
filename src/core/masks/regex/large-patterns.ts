/** Says which patterns may take too much work, and with which texts the checks of work begin. */

/** Patterns are checked if one of them is longer than this. */
const LONG = 200;
/** Patterns are checked if they look around in this many places. */
const MANY_LOOKS = 5;
/** Patterns are checked if their counts add up to this: 40 for `[a-f]{8}-[a-f]{4,32}`. */
const MANY_TIMES = 100;
/** The same where a match may begin at many places: in `a.{20}b` each `a` begins a count of its own. */
const MANY_TIMES_ANYWHERE = 16;
/** A format of the same text counts like this many repetitions. */
const TIMES_OF_FORMAT = 10;

/** Look-around without counts, as in a password's `(?=.*[a-z])`: its loop begins no count. */
const uncountedLook = /\(\?<?[=!][^){]*\)/g;

/**
 * A fast look at the patterns of one text: false for most of them, which need no check of their work.
 * @param formats how many formats the text must also have
 * @param isAnchored whether the whole text has to match
 */
export function mayTakeMuchWork(patterns: readonly string[], formats = 0, isAnchored = false): boolean {
  const looks = sum(patterns.map((pattern) => pattern.match(/\(\?<?[=!]/g)?.length ?? 0));
  if (looks >= MANY_LOOKS || patterns.some(({ length }) => length > LONG)) return true;
  const most = patterns.some((pattern) => mayBeginAnywhere(pattern, isAnchored))
    ? MANY_TIMES_ANYWHERE
    : MANY_TIMES;
  return formats * TIMES_OF_FORMAT + sum(patterns.flatMap(countsOf)) >= most;
}

function mayBeginAnywhere(pattern: string, isAnchored: boolean): boolean {
  const counted = pattern.replace(uncountedLook, "");
  return !(isAnchored || counted.startsWith("^")) || /[*+]|,\}/.test(counted);
}

function countsOf(pattern: string): number[] {
  return Array.from(pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g), ([, least, most]) =>
    Math.max(Number(least), Number(most || 0)),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((before, number) => before + number, 0);
}

/** The codes of the first three different letters and digits in the patterns: texts of them lead deep into the patterns. */
export function firstLettersAndDigits(patterns: readonly string[]): readonly number[] {
  const letters = [...new Set(patterns.join("").match(/[A-Za-z0-9]/g) ?? [])].slice(0, 3);
  return letters.map((letter) => letter.charCodeAt(0));
}
