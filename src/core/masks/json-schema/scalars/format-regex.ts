/** The format "regex": regular expressions that ECMA-262 takes for certain. */

/** Groups inside groups are offered to this depth: a regular language cannot count brackets. */
const DEPTH = 3;

const syntaxCharacter = String.raw`[\^$\\.*+?()[\]{}|/]`;
const escaped = String.raw`\\(?:[dDwWsStnrvf]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|${syntaxCharacter})`;
const literal = String.raw`[^\^$\\.*+?()[\]{}|/\u{0}-\u{1f}\u{2028}\u{2029}]`;

/** Ranges in order: within the digits, the small and the capital letters. */
function ranges(first: string, last: string): string[] {
  const start = first.charCodeAt(0);
  return Array.from({ length: last.charCodeAt(0) - start + 1 }, (_, index) => {
    const from = String.fromCharCode(start + index);
    return `${from}-[${from}-${last}]`;
  });
}

const range = `(?:${[...ranges("0", "9"), ...ranges("A", "Z"), ...ranges("a", "z")].join("|")})`;
const member = `(?:${range}|${escaped}|[^\\^\\]\\[\\\\\\-\\u{0}-\\u{1f}\\u{2028}\\u{2029}])`;
const characterClass = String.raw`\[\^?(?:${member})+-?\]`;
const digit = "[0-9]";
/** Counts in order: one number, an open end, or from 0 or 1 to at least 1. */
const count = String.raw`\{(?:${digit}{1,3},?|[01],[1-9]${digit}{0,2})\}`;
const quantifier = `(?:[*+?]|${count})\\??`;

function disjunction(depth: number): string {
  const group = depth > 0 ? `|\\((?:\\?:)?${disjunction(depth - 1)}\\)` : "";
  const look = depth > 0 ? `|\\(\\?[=!]${disjunction(depth - 1)}\\)` : "";
  const atom = `(?:${literal}|\\.|${escaped}|${characterClass}${group})`;
  const term = `(?:${atom}(?:${quantifier})?|[\\^$]|\\\\[bB]${depth === DEPTH ? look : ""})`;
  return `(?:${term}|\\|)*`;
}

export const regexSource = disjunction(DEPTH);
