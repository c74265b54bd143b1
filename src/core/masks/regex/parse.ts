/** Parses regular expressions of ECMA-262, section 22.2, always by code points. */
import { allCodePoints, codePoints, invertCodePoints, lineTerminators } from "./code-points.ts";
import { readClass, readEscape, wordSet } from "./escapes.ts";
import { emptyNode, hasAnchor, type RegexNode, writtenOutSize } from "./node.ts";
import { Scanner } from "./scanner.ts";

/** The most sets of a regular expression after its counted repetitions are written out. */
const LARGEST = 100_000;
/** The most rounds of a repetition that contains an anchor, since each round is written out. */
const MOST_ANCHORED_ROUNDS = 100;

/**
 * Parses a regular expression. Flags: `i` and `s` count, `u` makes the syntax strict, `d`, `g` and `y` change nothing here, and
 * with `m` anchors are refused.
 * `\d` and `\w` are ASCII, `\s` is ECMA-262's white space; `\p{…}` and `\u{…}` work without the flag `u` too.
 * @throws StrategyError ("column 5", "flags") on bad syntax or flags, on look-around and back-references, and when it is too large.
 */
export function parseRegex(source: string, flags = ""): RegexNode {
  const scanner = new Scanner(source, flags);
  const node = readAlternation(scanner);
  if (!scanner.isDone) scanner.fail(`")" closes no group; write \\) for the character itself`);
  checkWrittenOutSize(node, source);
  return node;
}

/** @throws StrategyError if counted repetitions make the regular expression too large */
export function checkWrittenOutSize(node: RegexNode, source: string): void {
  const size = writtenOutSize(node);
  if (size <= LARGEST) return;
  new Scanner(source, "").fail(`its counted repetitions expand to ${size} parts; the limit is ${LARGEST}`, 0);
}

/** Why a look-around inside is refused. */
const NO_LOOK = "look-around is not supported";

function readAlternation(scanner: Scanner, noLook = NO_LOOK): RegexNode {
  const items = [readSequence(scanner, noLook)];
  while (scanner.accept("|")) items.push(readSequence(scanner, noLook));
  return items.length === 1 ? (items[0] ?? emptyNode) : { kind: "alternation", items };
}

function readSequence(scanner: Scanner, noLook: string): RegexNode {
  const items: RegexNode[] = [];
  while (!scanner.isDone && !/[|)]/.test(scanner.peek())) {
    scanner.countNode();
    items.push(readTerm(scanner, noLook));
  }
  if (items.length === 0) return emptyNode;
  return items.length === 1 ? (items[0] ?? emptyNode) : { kind: "sequence", items };
}

/** Reads an anchor, or an atom with its quantifier. @param noLook the reason in the error for a look-around inside */
export function readTerm(scanner: Scanner, noLook: string): RegexNode {
  const start = scanner.position;
  if (scanner.accept("^")) return anchor(scanner, "start", start);
  if (scanner.accept("$")) return anchor(scanner, "end", start);
  const atom = readAtom(scanner, noLook);
  const at = scanner.position;
  const [min, max] = readQuantifier(scanner) ?? [1, 1];
  if (min > max) scanner.fail(`{${min},${max}} is out of order; write {${max},${min}}`, at);
  if (min > MOST_ANCHORED_ROUNDS && hasAnchor(atom)) {
    scanner.fail(`a group with an anchor is repeated more than ${MOST_ANCHORED_ROUNDS} times`, at);
  }
  return min === 1 && max === 1 ? atom : { kind: "repeat", body: atom, min, max };
}

function anchor(scanner: Scanner, kind: "start" | "end", start: number): RegexNode {
  if (scanner.isMultiline) scanner.fail('the anchor is not supported with the flag "m"', start);
  if (readQuantifier(scanner)) scanner.fail("an anchor cannot be repeated", start);
  return { kind };
}

/** Reads a quantifier as [min, max]; null if there is none. Greedy and lazy quantifiers match the same texts. */
export function readQuantifier(scanner: Scanner): [number, number] | null {
  const found = scanner.match(/([*+?])|\{(\d+)(,(\d*))?\}/y);
  if (!found) return null;
  scanner.accept("?");
  const [, sign, min, comma, max] = found;
  if (sign !== undefined) return [sign === "+" ? 1 : 0, sign === "?" ? 1 : Number.POSITIVE_INFINITY];
  const least = Number(min);
  if (comma === undefined) return [least, least];
  return [least, max === "" ? Number.POSITIVE_INFINITY : Number(max)];
}

function readAtom(scanner: Scanner, noLook: string): RegexNode {
  const start = scanner.position;
  const character = scanner.take();
  switch (character) {
    case "(":
      return readGroup(scanner, start, noLook);
    case "[":
      return { kind: "set", set: readClass(scanner) };
    case ".":
      return { kind: "set", set: scanner.dotAll ? allCodePoints : invertCodePoints(lineTerminators) };
    case "\\":
      return readEscapedAtom(scanner, start);
    case "*":
    case "+":
    case "?":
      return scanner.fail(`there is nothing before "${character}" to repeat`, start);
    case "{":
      if (/\d/.test(scanner.peek()) && /^\d+(,\d*)?\}/.test(scanner.source.slice(scanner.position))) {
        return scanner.fail("there is nothing before the braces to repeat", start);
      }
  }
  if (scanner.isStrict && /[{}\]]/.test(character)) {
    return scanner.fail(`"${character}" is unmatched; write \\${character} for the character itself`, start);
  }
  return literal(scanner, character.codePointAt(0) ?? 0);
}

function literal(scanner: Scanner, codePoint: number): RegexNode {
  return { kind: "set", set: scanner.fold(codePoints([codePoint, codePoint])) };
}

function readEscapedAtom(scanner: Scanner, start: number): RegexNode {
  const place = scanner.match(scanner.isStrict ? /[bB]/y : /[bBAZz]/y)?.[0];
  if (place === "A") return anchor(scanner, "start", start);
  if (place === "Z" || place === "z") return anchor(scanner, "end", start);
  if (place !== undefined) {
    if (readQuantifier(scanner)) scanner.fail("a word boundary cannot be repeated", start);
    return { kind: "boundary", isBoundary: place === "b", word: wordSet(scanner) };
  }
  const read = readEscape(scanner, false);
  return "set" in read ? { kind: "set", set: scanner.fold(read.set) } : literal(scanner, read.codePoint);
}

function readGroup(scanner: Scanner, start: number, noLook: string): RegexNode {
  if (scanner.match(/\?<?[=!]/y)) scanner.fail(noLook, start);
  const { ignoreCase, dotAll } = scanner;
  const flags = scanner.match(/\?([is]+)(?=[:)])/y)?.[1] ?? "";
  scanner.ignoreCase ||= flags.includes("i");
  scanner.dotAll ||= flags.includes("s");
  // Python's `(?i)` at the start holds for the whole pattern.
  if (flags !== "" && start === 0 && scanner.accept(")")) return emptyNode;
  const isKnown =
    flags === "" ? scanner.match(/\?(?::|P?<[\p{ID_Start}$_][\p{ID_Continue}$]*>)/uy) : scanner.accept(":");
  if (!isKnown && (flags !== "" || scanner.accept("?"))) {
    scanner.fail(
      `"(?${scanner.peek()}" is not supported; write (?:…), (?<name>…), or flags after the slash`,
      start,
    );
  }
  const body = readGroupBody(scanner, start, noLook);
  Object.assign(scanner, { ignoreCase, dotAll });
  return body;
}

/**
 * Reads the body of a group or look-around that begins at `start`, and its closing parenthesis.
 * @param noLook the reason in the error for a look-around inside
 */
export function readGroupBody(scanner: Scanner, start: number, noLook: string): RegexNode {
  scanner.enter();
  const body = readAlternation(scanner, noLook);
  if (!scanner.accept(")")) {
    scanner.fail(`the "(" is never closed; write \\( for the character itself`, start);
  }
  scanner.leave();
  return body;
}
