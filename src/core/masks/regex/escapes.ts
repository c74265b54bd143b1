/** Escapes of a regular expression: what follows a backslash. ECMA-262 section 22.2.1, and its Annex B where the flag `u` is not given. */
import {
  type CodePoints,
  codePoints,
  digitCharacters,
  invertCodePoints,
  propertyCodePoints,
  rangesOf,
  whiteSpaceCharacters,
  wordCharacters,
} from "./code-points.ts";
import type { Scanner } from "./scanner.ts";

const controls: Readonly<Record<string, number>> = { t: 0x09, n: 0x0a, v: 0x0b, f: 0x0c, r: 0x0d };

/** The meaning of an escape: one code point, or a set, which cannot be an end of a range such as `a-z`. */
export type Escape = { readonly codePoint: number } | { readonly set: CodePoints };

/** Reads an escape for code points; the backslash has been read. `inClass`: between brackets. */
export function readEscape(scanner: Scanner, inClass: boolean): Escape {
  const start = scanner.position - 1;
  const letter = scanner.take();
  if (letter === "") scanner.fail("it ends with a backslash; write two for the character itself", start);
  const set = classEscape(scanner, letter, start);
  if (set !== null) return { set };
  const control = controls[letter];
  if (control !== undefined) return { codePoint: control };
  return { codePoint: characterEscape(scanner, letter, start, inClass) };
}

/** The set of `\w`. */
export function wordSet(scanner: Scanner): CodePoints {
  return scanner.ignoreCase && scanner.isStrict ? scanner.fold(wordCharacters) : wordCharacters;
}

function classEscape(scanner: Scanner, letter: string, start: number): CodePoints | null {
  switch (letter) {
    case "d":
      return digitCharacters;
    case "D":
      return invertCodePoints(digitCharacters);
    case "s":
      return whiteSpaceCharacters;
    case "S":
      return invertCodePoints(whiteSpaceCharacters);
    case "w":
      return wordSet(scanner);
    case "W":
      return invertCodePoints(wordSet(scanner));
    case "p":
    case "P": {
      const name = scanner.match(/\{([^}]*)\}/y)?.[1];
      if (name === undefined) scanner.fail(`"\\${letter}" needs a property in braces, as in \\p{L}`, start);
      const set = propertyCodePoints(name);
      if (set === null) scanner.fail(`there is no Unicode property "${name}"`, start);
      return letter === "p" ? set : invertCodePoints(set);
    }
    default:
      return null;
  }
}

function characterEscape(scanner: Scanner, letter: string, start: number, inClass: boolean): number {
  switch (letter) {
    case "0":
      if (scanner.match(/\d/y)) scanner.fail("octal escapes are not supported; write \\xHH", start);
      return 0;
    case "c": {
      const control = scanner.match(/[A-Za-z]/y)?.[0];
      if (control === undefined) scanner.fail(`"\\c" needs a letter, as in \\cJ`, start);
      return (control.codePointAt(0) ?? 0) % 32;
    }
    case "x": {
      const hex = scanner.match(/[0-9A-Fa-f]{2}/y)?.[0];
      if (hex === undefined) scanner.fail(`"\\x" needs two hexadecimal digits`, start);
      return Number.parseInt(hex, 16);
    }
    case "u":
      return unicodeEscape(scanner, start);
    case "b":
      if (inClass) return 0x08;
      break;
    case "-":
      if (inClass) return 0x2d;
      break;
  }
  if (/[1-9k]/.test(letter)) scanner.fail("back-references are not supported", start);
  const isSyntax = /[\^$\\.*+?()[\]{}|/]/.test(letter);
  if (isSyntax || (!scanner.isStrict && !/[A-Za-z0-9]/.test(letter))) return letter.codePointAt(0) ?? 0;
  return scanner.fail(`there is no escape "\\${letter}"; write the character itself`, start);
}

function unicodeEscape(scanner: Scanner, start: number): number {
  const braced = scanner.match(/\{([0-9A-Fa-f]+)\}/y)?.[1];
  if (braced !== undefined) {
    const codePoint = Number.parseInt(braced, 16);
    if (codePoint > 0x10ffff) scanner.fail(`there is no code point ${braced}; the last is 10FFFF`, start);
    return codePoint;
  }
  const hex = scanner.match(/[0-9A-Fa-f]{4}/y)?.[0];
  if (hex === undefined) scanner.fail(`"\\u" needs four hexadecimal digits, or some in braces`, start);
  const unit = Number.parseInt(hex, 16);
  if (unit < 0xd800 || unit > 0xdbff) return unit;
  const low = scanner.match(/\\u(D[C-F][0-9A-F]{2})/iy)?.[1];
  return low === undefined ? unit : 0x10000 + (unit - 0xd800) * 0x400 + Number.parseInt(low, 16) - 0xdc00;
}

/** Reads a class in brackets, after its opening bracket. */
export function readClass(scanner: Scanner): CodePoints {
  const start = scanner.position - 1;
  const isNegated = scanner.accept("^");
  const ranges: [number, number][] = [];
  const sets: CodePoints[] = [];
  const add = (member: Escape) => {
    if ("set" in member) sets.push(member.set);
    else ranges.push([member.codePoint, member.codePoint]);
  };
  while (!scanner.accept("]")) {
    const at = scanner.position;
    const first = readMember(scanner, start);
    if (!scanner.source.startsWith("-", scanner.position) || scanner.source[scanner.position + 1] === "]") {
      add(first);
      continue;
    }
    scanner.take();
    const last = readMember(scanner, start);
    if ("set" in first || "set" in last) {
      if (scanner.isStrict) scanner.fail("a set such as \\w cannot be the end of a range", at);
      for (const member of [first, { codePoint: 0x2d }, last]) add(member);
    } else if (first.codePoint > last.codePoint) {
      scanner.fail(`the range "${scanner.source.slice(at, scanner.position)}" is out of order`, at);
    } else {
      ranges.push([first.codePoint, last.codePoint]);
    }
  }
  const set = scanner.fold(codePoints(...ranges, ...sets.flatMap(rangesOf)));
  return isNegated ? invertCodePoints(set) : set;
}

function readMember(scanner: Scanner, start: number): Escape {
  if (scanner.isDone) scanner.fail(`the "[" is never closed; write \\[ for the character itself`, start);
  if (scanner.accept("\\")) return readEscape(scanner, true);
  return { codePoint: scanner.take().codePointAt(0) ?? 0 };
}
