/** The format "regex": regular expressions that are certainly valid in ECMA-262. */

/** The deepest nesting of groups: a regular language cannot count brackets. */
const DEPTH = 3;

const syntaxCharacter = String.raw`[\^$\\.*+?()[\]{}|/]`;
const escaped = String.raw`\\(?:[dDwWsStnrvf]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|${syntaxCharacter})`;
const literal = String.raw`[^\^$\\.*+?()[\]{}|\u{0}-\u{1f}\u{2028}\u{2029}]`;

/** Ranges such as `a-f`: for each first character, the ends after it, within the digits, the small and the capital letters. */
function ranges(first: string, last: string, between = "-"): string[] {
  const start = first.charCodeAt(0);
  return Array.from({ length: last.charCodeAt(0) - start + 1 }, (_, index) => {
    const from = String.fromCharCode(start + index);
    return `${from}${between}[${from}-${last}]`;
  });
}

const range = `(?:${[...ranges("0", "9"), ...ranges("A", "Z"), ...ranges("a", "z")].join("|")})`;
const member = `(?:${range}|${escaped}|[^\\^\\]\\[\\\\\\-\\u{0}-\\u{1f}\\u{2028}\\u{2029}])`;
const characterClass = String.raw`\[\^?(?:${member})+-?\]`;
const digit = "[0-9]";
/**
 * Counts whose second number is not below the first: one number, an open end, and two numbers, where the second has more
 * digits, or both have one digit, or it has a later ten, or the first is a whole ten.
 */
const count = String.raw`\{(?:${[
  `${digit}{1,3},?`,
  `${digit},[1-9]${digit}{1,2}`,
  `[1-9]${digit},[1-9]${digit}{2}`,
  ...ranges("0", "9", ","),
  ...Array.from({ length: 8 }, (_, ten) => `${ten + 1}${digit},[${ten + 2}-9]${digit}`),
  ...ranges("1", "9", "0,").map((tens) => tens + digit),
].join("|")})\}`;
const quantifier = `(?:[*+?]|${count})\\??`;

function disjunction(depth: number): string {
  const group = depth > 0 ? `|\\((?:\\?:)?${disjunction(depth - 1)}\\)` : "";
  const look = depth > 0 ? `|\\(\\?[=!]${disjunction(depth - 1)}\\)` : "";
  const atom = `(?:${literal}|\\.|${escaped}|${characterClass}${group})`;
  const term = `(?:${atom}(?:${quantifier})?|[\\^$]|\\\\[bB]${depth === DEPTH ? look : ""})`;
  return `(?:${term}|\\|)*`;
}

export const regexSourcePattern = disjunction(DEPTH);
