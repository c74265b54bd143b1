/** Reads a grammar's text character by character, and keeps the position for errors. */
import { StrategyError } from "../strategy-error.ts";

const spaces = /(?:[ \t\r\n]|#[^\n]*)*/y;
const word = /[A-Za-z0-9_-]+/y;
const head = /[A-Za-z0-9_-]+[ \t]*::=/y;

/** Escapes of one letter in literals and classes. */
const letters: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  "\\": "\\",
  '"': '"',
  "[": "[",
  "]": "]",
  "-": "-",
  "^": "^",
};

export class Reader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** @throws StrategyError with the line and the column of `at`. */
  fail(reason: string, at = this.at): never {
    throw new StrategyError("grammar", lineAndColumn(this.text, at), reason);
  }

  expected(what: string): never {
    this.fail(`expected ${what}, found ${this.found()}.`);
  }

  found(): string {
    const point = this.text.codePointAt(this.at);
    return point === undefined ? "the end of the grammar" : JSON.stringify(String.fromCodePoint(point));
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  peek(): string {
    return this.text.charAt(this.at);
  }

  /** Moves past white space, line ends and comments. */
  skip(): void {
    this.#match(spaces);
  }

  take(text: string): boolean {
    if (!this.text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Reads a name; null if there is none at this position. */
  name(): string | null {
    return this.#match(word);
  }

  /** Whether a rule, `name ::=`, begins at the current position. */
  get isAtRule(): boolean {
    head.lastIndex = this.at;
    return head.test(this.text);
  }

  number(): number | null {
    const digits = this.#match(/[0-9]+/y);
    return digits === null ? null : Number(digits);
  }

  /** One character of a literal or a class, escapes resolved: its code point. */
  character(): number {
    const point = this.text.codePointAt(this.at) ?? this.expected("a character");
    if (point !== 0x5c) {
      this.at += point > 0xffff ? 2 : 1;
      if (point >= 0xd800 && point <= 0xdfff) this.#half(this.at - 1);
      return point;
    }
    const start = this.at++;
    const letter = this.peek();
    this.at++;
    if (letter === "x") return this.#hexadecimal(2, start);
    if (letter === "u") return this.#hexadecimal(4, start);
    if (letter === "U") return this.#hexadecimal(8, start);
    const meant = Object.hasOwn(letters, letter) ? letters[letter] : undefined;
    if (meant === undefined) {
      const known = '\\n, \\r, \\t, \\\\, \\", \\[, \\], \\-, \\^, \\xHH, \\uHHHH and \\UHHHHHHHH';
      this.fail(`there is no escape \\${letter}: the escapes are ${known}.`, start);
    }
    return meant.charCodeAt(0);
  }

  #hexadecimal(digits: number, start: number): number {
    const written = this.text.slice(this.at, this.at + digits);
    const whole = this.text.slice(start, this.at + digits);
    if (!new RegExp(`^[0-9A-Fa-f]{${digits}}$`).test(written)) {
      this.fail(
        `${JSON.stringify(whole)} is not an escape: write ${digits} hexadecimal digits after it.`,
        start,
      );
    }
    this.at += digits;
    const point = Number.parseInt(written, 16);
    if (point > 0x10ffff) this.fail(`${whole} is not a code point: the last is \\U0010FFFF.`, start);
    if (point >= 0xd800 && point <= 0xdfff) this.#half(start);
    return point;
  }

  #half(at: number): never {
    this.fail(
      "half of a surrogate pair is not a character: write the whole character, such as \\U0001F642.",
      at,
    );
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }
}

/** Line and column count from 1; a column is a UTF-16 unit, as in editors. */
export function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}
