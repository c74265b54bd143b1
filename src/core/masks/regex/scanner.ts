/** The text of a regular expression while it is read: position, flags, limits, and errors that name a column. */
import { StrategyError } from "../strategy-error.ts";
import { closeUnderCase } from "./case.ts";
import type { CodePoints } from "./code-points.ts";

/** Longest source, in UTF-16 units. */
const LONGEST_SOURCE = 20_000;
/** Most nodes of one regular expression. */
const MOST_NODES = 20_000;
/** Deepest nesting of groups. */
const DEEPEST = 100;

export class Scanner {
  readonly source: string;
  position = 0;
  /**
   * Flag `u`: ECMA-262's strict syntax. Without it, Annex B applies: any punctuation may be escaped, and braces that are not
   * a quantifier are literal.
   */
  readonly isStrict: boolean;
  /** Flags that a group may set: `(?i:…)`. */
  ignoreCase: boolean;
  dotAll: boolean;
  #nodes = 0;
  #depth = 0;

  constructor(source: string, flags: string) {
    this.source = source;
    if (source.length > LONGEST_SOURCE) {
      this.fail(
        `it is ${source.length} characters long, more than the ${LONGEST_SOURCE} allowed`,
        LONGEST_SOURCE,
      );
    }
    for (const [index, flag] of [...flags].entries()) {
      if (!"dgimsuy".includes(flag) || flags.indexOf(flag) !== index) {
        throw new StrategyError("regex", "flags", flagReason(flag, flags));
      }
    }
    this.isStrict = flags.includes("u");
    this.ignoreCase = flags.includes("i");
    this.dotAll = flags.includes("s");
    this.isMultiline = flags.includes("m");
  }

  /** Flag `m`: allowed only without anchors. */
  readonly isMultiline: boolean;

  fail(reason: string, at = this.position): never {
    throw new StrategyError("regex", `column ${at + 1}`, reason);
  }

  get isDone(): boolean {
    return this.position >= this.source.length;
  }

  /** The code point at the current position; the empty text at the end. */
  peek(): string {
    const codePoint = this.source.codePointAt(this.position);
    return codePoint === undefined ? "" : String.fromCodePoint(codePoint);
  }

  /** Reads the code point at the current position. */
  take(): string {
    const text = this.peek();
    this.position += text.length;
    return text;
  }

  /** Moves past `text` if it is at the current position; returns whether it was. */
  accept(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  /** Moves past what `sticky` matches at the current position, and returns the match; null when it does not match. */
  match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.position;
    const found = sticky.exec(this.source);
    if (found) this.position += found[0].length;
    return found;
  }

  countNode(): void {
    if (++this.#nodes > MOST_NODES) this.fail(`it has more than ${MOST_NODES} parts; write a shorter one`);
  }

  enter(): void {
    if (++this.#depth > DEEPEST) this.fail(`groups are nested more than ${DEEPEST} levels deep`);
  }

  leave(): void {
    this.#depth--;
  }

  /** The set; with the flag `i`, also everything that equals one of its code points when case is ignored. */
  fold(set: CodePoints): CodePoints {
    return this.ignoreCase ? closeUnderCase(set, this.isStrict) : set;
  }
}

function flagReason(flag: string, flags: string): string {
  if (flag === "v") return `the flag "v" is not supported; write "u", without set operations`;
  if ("dgimsuy".includes(flag)) return `the flag "${flag}" is repeated in "${flags}"`;
  return `there is no flag "${flag}"; "d", "g", "i", "m", "s", "u" and "y" may be given`;
}
