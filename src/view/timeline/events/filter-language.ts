/**
 * The language in which the event list is filtered: `kind:forced p<0.1 mod:lily step:100-200 /Max|Tom/i -noop "two words"`.
 * Conditions are separated by spaces, and all must hold; `-` before a condition negates it. Pure.
 */

import { effectiveActions } from "../../../core/trace/format/action-types.ts";
import { consoleLevels, eventTypes, faultKinds } from "../../../core/trace/format/format.ts";
import { maxFilterLength } from "./filter-limits.ts";

/** Keys whose value is one of several words. */
export const filterWordKeys = {
  kind: [
    "sampled",
    "adjusted",
    "forced",
    "reinjected",
    "moved",
    "removed",
    "asked",
    "hidden",
    "end",
    "steered",
  ],
  event: eventTypes,
  action: [...effectiveActions, "noop"],
  fault: ["any", ...faultKinds],
  log: ["any", ...consoleLevels],
} as const;

/** Keys whose value is a number. */
export const filterNumberKeys = ["p", "entropy", "step", "token", "took"] as const;

export type FilterWordKey = keyof typeof filterWordKeys;
export type KindWord = (typeof filterWordKeys.kind)[number];
export type FilterNumberKey = (typeof filterNumberKeys)[number];

/** A hint for each key, shown in the suggestions. */
export const filterKeyHints: Readonly<Record<FilterWordKey | FilterNumberKey | "mod", string>> = {
  kind: "how the token was made: forced, adjusted, removed, steered …",
  event: "type of the event",
  action: "what the mod replied",
  mod: "all or part of the mod's name",
  fault: "kind of error in the mod",
  log: "the mod wrote to the console",
  p: "probability of the token before any mod",
  entropy: "how uncertain the model was, in bits",
  step: "tokens in the output at the event: 100-200",
  token: "number of the token, counted from 1, removed tokens included",
  took: "duration of the pass or the mod call: >5ms",
};

export type FilterCondition =
  | { readonly type: "word"; readonly key: FilterWordKey; readonly word: string }
  | { readonly type: "mod"; readonly name: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "regex"; readonly source: string; readonly flags: string }
  | {
      readonly type: "number";
      readonly key: FilterNumberKey;
      readonly least: number;
      readonly most: number;
      /** True if the bounds themselves are excluded. */
      readonly isOpen: boolean;
    };

/** A place in the filter: characters from `from` to before `to`. */
export interface FilterSpan {
  readonly from: number;
  readonly to: number;
}

export interface FilterTerm extends FilterSpan {
  readonly isNot: boolean;
  readonly condition: FilterCondition;
}

export interface FilterProblem extends FilterSpan {
  readonly message: string;
}

/** A part of the filter's text that is drawn in one style. */
export interface FilterHighlight extends FilterSpan {
  readonly look: "key" | "value" | "text" | "regex" | "not";
}

export interface ParsedFilter {
  readonly terms: readonly FilterTerm[];
  readonly problems: readonly FilterProblem[];
  readonly parts: readonly FilterHighlight[];
}

type Mutable<Type> = {
  -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Entry)[] ? Entry[] : Type[Key];
};

export function parseFilter(text: string): ParsedFilter {
  const parsed: Mutable<ParsedFilter> = { terms: [], problems: [], parts: [] };
  if (text.length > maxFilterLength) {
    const message = `The filter has ${text.length} characters; the limit is ${maxFilterLength}. Shorten the filter.`;
    parsed.problems.push({ from: maxFilterLength, to: text.length, message });
    return parsed;
  }
  let place = 0;
  while (place < text.length) {
    if (/\s/.test(text[place] ?? "")) place += 1;
    else place = readTerm(text, place, parsed);
  }
  return parsed;
}

/** Reads the term that begins at `from`. @returns the place after it */
function readTerm(text: string, from: number, parsed: Mutable<ParsedFilter>): number {
  const isNot = text[from] === "-" && /\S/.test(text[from + 1] ?? "");
  if (isNot) parsed.parts.push({ from, to: from + 1, look: "not" });
  const start = isNot ? from + 1 : from;
  const addTerm = (condition: FilterCondition | null, to: number) => {
    if (condition) parsed.terms.push({ from, to, isNot, condition });
    return to;
  };
  if (text[start] === '"') {
    const { to, value } = readQuoted(text, start, parsed);
    parsed.parts.push({ from: start, to, look: "text" });
    return addTerm(value === "" ? null : { type: "text", text: value.toLowerCase() }, to);
  }
  if (text[start] === "/") return readRegex(text, start, parsed, addTerm);
  const keyMatch = /^([a-z]+)(:|[<>]=?|=)/i.exec(text.slice(start));
  if (!keyMatch) {
    const to = start + (/^\S+/.exec(text.slice(start))?.[0].length ?? 1);
    parsed.parts.push({ from: start, to, look: "text" });
    return addTerm({ type: "text", text: text.slice(start, to).toLowerCase() }, to);
  }
  return readKeyed(
    text,
    start,
    { name: (keyMatch[1] ?? "").toLowerCase(), sign: keyMatch[2] ?? ":" },
    parsed,
    addTerm,
  );
}

type AddTerm = (condition: FilterCondition | null, to: number) => number;

function readQuoted(
  text: string,
  from: number,
  parsed: Mutable<ParsedFilter>,
): { to: number; value: string } {
  const end = text.indexOf('"', from + 1);
  if (end >= 0) return { to: end + 1, value: text.slice(from + 1, end) };
  parsed.problems.push({
    from,
    to: from + 1,
    message: 'The quotation mark is not closed: add a second ".',
  });
  return { to: text.length, value: "" };
}

/**
 * Matches a regular expression: from a slash to the next slash that is neither escaped nor in a character class, then the
 * flags.
 */
const regexLiteral = /^\/((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])*)\/([a-z]*)/;

function readRegex(text: string, from: number, parsed: Mutable<ParsedFilter>, addTerm: AddTerm): number {
  const match = regexLiteral.exec(text.slice(from));
  if (!match) {
    const message = "The regular expression is not closed: add a second /, or put the text in quotes.";
    parsed.problems.push({ from, to: from + 1, message });
    parsed.parts.push({ from, to: text.length, look: "regex" });
    return text.length;
  }
  const [whole, source = "", flags = ""] = match;
  const to = from + whole.length;
  parsed.parts.push({ from, to, look: "regex" });
  if (source === "") {
    parsed.problems.push({
      from,
      to,
      message: "The regular expression is empty: write it between the slashes.",
    });
    return to;
  }
  return addTerm({ type: "regex", source, flags }, to);
}

function readKeyed(
  text: string,
  from: number,
  { name, sign }: { readonly name: string; readonly sign: string },
  parsed: Mutable<ParsedFilter>,
  addTerm: AddTerm,
): number {
  const start = from + name.length + sign.length;
  const isQuoted = text[start] === '"';
  const read = isQuoted ? readQuoted(text, start, parsed) : readBare(text, start);
  const addProblem = (
    message: string,
    span: FilterSpan = { from: start, to: Math.max(read.to, start + 1) },
  ) => {
    parsed.problems.push({ ...span, message });
    return read.to;
  };
  parsed.parts.push({ from, to: start, look: "key" }, { from: start, to: read.to, look: "value" });
  if (!(name in filterKeyHints)) {
    const known = Object.keys(filterKeyHints).join(", ");
    return addProblem(
      `Unknown filter “${name}”: use ${known}. To look for the text itself, put it in quotes.`,
      {
        from,
        to: from + name.length,
      },
    );
  }
  if (isQuoted && text.indexOf('"', start + 1) < 0) return read.to;
  const { value } = read;
  if (isNumberKey(name)) {
    const range = rangeOf(name, sign, value);
    return typeof range === "string"
      ? addProblem(range)
      : addTerm({ type: "number", key: name, ...range }, read.to);
  }
  if (sign !== ":")
    return addProblem(`Write a colon after “${name}”: ${name}:${value}`, {
      from: start - sign.length,
      to: start,
    });
  if (name === "mod") {
    if (value === "") return addProblem("mod: needs a name, or a part of one.");
    return addTerm({ type: "mod", name: value.toLowerCase() }, read.to);
  }
  const words: readonly string[] = filterWordKeys[name as FilterWordKey];
  const word = words.find((each) => each.toLowerCase() === value.toLowerCase());
  if (word !== undefined) return addTerm({ type: "word", key: name as FilterWordKey, word }, read.to);
  return addProblem(
    `${value === "" ? `${name}: needs a word` : `“${value}” is not a value of “${name}”`}: use ${formatAlternatives(words)}.`,
  );
}

function readBare(text: string, from: number): { to: number; value: string } {
  const value = /^\S*/.exec(text.slice(from))?.[0] ?? "";
  return { to: from + value.length, value };
}

const formatAlternatives = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

function isNumberKey(name: string): name is FilterNumberKey {
  return (filterNumberKeys as readonly string[]).includes(name);
}

type Range = Pick<Extract<FilterCondition, { type: "number" }>, "least" | "most" | "isOpen">;

/** The range for a sign and a value, or an error message. */
function rangeOf(key: FilterNumberKey, sign: string, value: string): Range | string {
  const example = {
    p: "p<0.1",
    entropy: "entropy>2",
    step: "step:100-200",
    token: "token:7",
    took: "took>5ms",
  }[key];
  if (value === "") return `${key}${sign} needs a number: ${example}`;
  if (sign === ":") {
    // The minus of an exponent, as in 1e-5, does not separate the ends of a range.
    const [, low = "", dash = "", high = ""] = /^(|.*?[^e])(?:(-)(.*))?$/i.exec(value) ?? [];
    const least = low === "" && dash !== "" ? Number.NEGATIVE_INFINITY : numberOf(key, low);
    const end = high === "" ? Number.POSITIVE_INFINITY : numberOf(key, high);
    const most = dash === "" ? least : end;
    if (least === null || most === null || value === "-")
      return `“${value}” is not a number or a range of numbers: ${example}`;
    if (least > most) return `The range ${value} has its larger end first: write ${high}-${low}`;
    return { least, most, isOpen: false };
  }
  const bound = numberOf(key, value);
  if (bound === null) return `“${value}” is not a number: ${example}`;
  const isOpen = !sign.includes("=");
  if (sign === "=") return { least: bound, most: bound, isOpen: false };
  return sign.startsWith("<")
    ? { least: Number.NEGATIVE_INFINITY, most: bound, isOpen }
    : { least: bound, most: Number.POSITIVE_INFINITY, isOpen };
}

/** The units of each key, as factors: times become microseconds, probabilities numbers from 0 to 1. */
const units: Readonly<Record<FilterNumberKey, Readonly<Record<string, number>>>> = {
  p: { "": 1, "%": 0.01 },
  entropy: { "": 1, bits: 1 },
  step: { "": 1 },
  token: { "": 1 },
  took: { us: 1, µs: 1, "": 1000, ms: 1000, s: 1_000_000 },
};

function numberOf(key: FilterNumberKey, text: string): number | null {
  const [, digits, unit = ""] = /^(\d+(?:\.\d+)?(?:e-?\d+)?|\.\d+(?:e-?\d+)?)([a-zµ%]*)$/i.exec(text) ?? [];
  const factor = units[key][unit.toLowerCase()];
  return digits === undefined || factor === undefined ? null : Number(digits) * factor;
}
