/** Finds out whether some string is valid for an alternative: from the form of its patterns if possible, otherwise by a search. */
import { Derivatives } from "../../automaton/derivative.ts";
import type { Expressions } from "../../automaton/expression.ts";
import { type CodePoints, rangesOf } from "../../regex/code-points.ts";
import { parsePatternConditions, type RegexNode } from "../../regex/regex.ts";
import type { EffortMeter } from "../effort.ts";
import type { StringAlternative } from "../normal-form.ts";
import { SearchCache } from "./search-cache.ts";
import { matchesString, stringContent } from "./string.ts";

const infinity = Number.POSITIVE_INFINITY;

/** A range of lengths in code points; a text of each length exists. */
interface Lengths {
  readonly min: number;
  readonly max: number;
}

/** Texts of each format, of different lengths. */
export const formatSamples: Readonly<Record<string, readonly string[]>> = {
  byte: ["", "TQ==", "TWk=", "TWlk", "TWlkdG9rZW4="],
  date: ["2024-02-29", "1999-12-31", "2035-01-01"],
  time: ["10:20:30Z", "10:20:30.5+02:00"],
  "date-time": ["2024-02-29T10:20:30Z", "2035-12-31T10:20:30.5+02:00", "1999-01-01T00:00:00-05:00"],
  duration: ["P1D"],
  email: ["a@b.co", "A.B+1@c.org", "somebody.somewhere@mail.example.com"],
  "idn-email": ["a@b.co", "somebody.somewhere@mail.example.com"],
  hostname: ["a", "example.com", "a-long-name.of-a-host.example.com"],
  "idn-hostname": ["a", "example.com", "a-long-name.of-a-host.example.com"],
  ipv4: ["1.2.3.4", "192.168.100.100"],
  ipv6: ["::", "2001:db8::1"],
  uri: [
    "a:b",
    "https://example.com/",
    "https://www.example.com/a/path?with=query",
    "ftp://host.test/a/long/path/to/a/file.txt",
  ],
  "uri-reference": ["", "a", "https://example.com/", "https://www.example.com/a/path?with=query"],
  iri: ["a:b", "https://example.com/", "https://www.example.com/a/path?with=query"],
  "iri-reference": ["", "a", "https://example.com/", "https://www.example.com/a/path?with=query"],
  uuid: ["123e4567-e89b-12d3-a456-426614174000"],
  "json-pointer": ["", "/a", "/a/long/pointer"],
  "uri-template": ["", "a", "/users/{id}"],
  "relative-json-pointer": ["0", "1/a"],
  regex: ["", "a", "[a-z]+"],
};

/** The operations that count for matching a text with a pattern. */
const MATCH = 80;
/** The most characters of a text that is tried before the search. */
const LONGEST_TRIED = 300;

const answers = new SearchCache<boolean>(1_000);

/**
 * Whether some string is valid for the alternative.
 * @throws ConstraintLimitError if this takes too long, together with all earlier effort
 */
export function isStringPossible(asked: StringAlternative, effort: EffortMeter): boolean {
  if (asked.minLength > asked.maxLength) return false;
  if (isEasilyPossible(asked)) return true;
  return answers.of(JSON.stringify(asked), effort, (expressions) => {
    expressions.spend(MATCH * asked.patterns.length);
    return isJoinedTextValid(asked) || hasString(expressions, asked);
  });
}

/** Searches for a string. @throws as stringContent does; ConstraintLimitError if the search takes too many operations */
export function hasString(expressions: Expressions, asked: StringAlternative): boolean {
  return !new Derivatives(expressions).isEmpty(stringContent(expressions, asked));
}

/** A fast check that may miss a valid string, but never returns true if there is none. */
function isEasilyPossible({ minLength, maxLength, ...asked }: StringAlternative): boolean {
  const { patterns, formats } = asked;
  if (asked.notPatterns.length + asked.notFormats.length > 0) return false;
  // There are more strings of any length than can be excepted.
  if (patterns.length + formats.length === 0) return maxLength > 0 || asked.except.length === 0;
  if (asked.except.length > 0 || patterns.length + formats.length > 1) return false;
  const [pattern] = patterns;
  if (pattern !== undefined) {
    const [part, ...others] = parsePatternConditions(pattern);
    const lengths = part === undefined || others.length > 0 ? null : lengthsOfTexts(part.node);
    return lengths !== null && lengths.min <= maxLength && lengths.max >= minLength;
  }
  const texts = formatSamples[formats[0] ?? ""] ?? [];
  return texts.some((text) => text.length >= minLength && text.length <= maxLength);
}

/** Lengths of texts in which the pattern is found; null if the form of the pattern does not show them. */
function lengthsOfTexts(node: RegexNode): Lengths | null {
  const { core, isOpen } = withoutOuterAnchors(node);
  const lengths = lengthsOf(core);
  return lengths === null || !isOpen ? lengths : { min: lengths.min, max: infinity };
}

/** `isOpen`: text may be before or after a match. */
function withoutOuterAnchors(node: RegexNode): { core: RegexNode; isOpen: boolean } {
  if (node.kind !== "sequence") return { core: node, isOpen: true };
  const from = node.items.findIndex(({ kind }) => kind !== "start");
  const to = node.items.findLastIndex(({ kind }) => kind !== "end");
  const core: RegexNode = { kind: "sequence", items: from < 0 ? [] : node.items.slice(from, to + 1) };
  return { core, isOpen: from <= 0 || to === node.items.length - 1 };
}

/** Some of the lengths of the node's matches; null if there may be no match. */
function lengthsOf(node: RegexNode): Lengths | null {
  switch (node.kind) {
    case "empty":
      return { min: 0, max: 0 };
    case "set":
      return node.set.length > 0 ? { min: 1, max: 1 } : null;
    case "sequence": {
      let sum: Lengths = { min: 0, max: 0 };
      for (const item of node.items) {
        const lengths = lengthsOf(item);
        if (lengths === null) return null;
        sum = { min: sum.min + lengths.min, max: sum.max + lengths.max };
      }
      return sum;
    }
    case "alternation": {
      const members = node.items.map(lengthsOf).filter((lengths) => lengths !== null);
      members.sort((a, b) => b.max - b.min - (a.max - a.min));
      return members[0] ?? null;
    }
    case "repeat": {
      const body = lengthsOf(node.body);
      if (body === null) return node.min === 0 ? { min: 0, max: 0 } : null;
      // If the body has one code point, or one and more, every length from the first to the last is possible.
      const times = body.min === 1 ? node.max : node.min;
      return { min: node.min * body.min, max: times * body.max };
    }
    default:
      return null;
  }
}

/**
 * Whether matches of all patterns, one after the other, are a valid string. A search among several patterns would have to look
 * at each set of patterns that may have matched so far.
 */
function isJoinedTextValid(asked: StringAlternative): boolean {
  if (asked.patterns.length < 2) return false;
  const parts = asked.patterns.flatMap(parsePatternConditions).filter(({ isWanted }) => isWanted);
  const text = parts.map(({ node }) => matchOf(withoutOuterAnchors(node).core)).join("");
  const isShort = Math.max(text.length, asked.minLength) <= LONGEST_TRIED;
  return isShort && matchesString(asked, text.padEnd(asked.minLength, "a"));
}

/** A short match of the node, if it has one: the first alternative, and a printable character of each set. */
function matchOf(node: RegexNode): string {
  switch (node.kind) {
    case "set":
      return characterOf(node.set);
    case "sequence":
      return node.items.map(matchOf).join("");
    case "alternation":
      return node.items[0] === undefined ? "" : matchOf(node.items[0]);
    case "repeat":
      return matchOf(node.body).repeat(node.min);
    default:
      return "";
  }
}

function characterOf(set: CodePoints): string {
  const printable = rangesOf(set).find(([, last]) => last > 0x20);
  return String.fromCodePoint(printable === undefined ? (set[0] ?? 0x20) : Math.max(printable[0], 0x21));
}
