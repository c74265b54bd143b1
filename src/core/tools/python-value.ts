/** Converts Python literals, as models write them in calls, to JSON. `true`, `false` and `null` are read too. */

const MOST_DEPTH = 64;

const words: Readonly<Record<string, string>> = {
  True: "true",
  False: "false",
  None: "null",
  true: "true",
  false: "false",
  null: "null",
};

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  r: "\r",
  t: "\t",
  b: "\b",
  f: "\f",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "/": "/",
  "\n": "",
};

/** Reads a text from a place on, which each read moves forward. A read returns null for unexpected text; then the caller gives up. */
export class PythonReader {
  at: number;
  /** After `value` returned null: the certain beginning of the value's JSON text; "" if nothing is certain. */
  cutValue = "";

  constructor(
    readonly text: string,
    start: number,
  ) {
    this.at = start;
  }

  space(): void {
    while (/\s/.test(this.text[this.at] ?? "")) this.at++;
  }

  /** Skips white space, then reads `part` if the text continues with it. Returns whether it does. */
  take(part: string): boolean {
    this.space();
    if (!this.text.startsWith(part, this.at)) return false;
    this.at += part.length;
    return true;
  }

  /** Skips white space, then reads what the sticky expression matches; null if nothing. */
  match(expression: RegExp): string | null {
    this.space();
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  /** Reads one literal. Returns its JSON text. */
  value(depth = 0): string | null {
    this.space();
    this.cutValue = "";
    const first = this.text[this.at] ?? "";
    if (depth > MOST_DEPTH) return null;
    if (first === '"' || first === "'") {
      const text = this.#string(first);
      return text === null ? null : JSON.stringify(text);
    }
    if (first === "[") return this.#list("[", "]", depth);
    if (first === "(") return this.#list("(", ")", depth);
    if (first === "{") return this.#dictionary(depth);
    const word = this.match(/[A-Za-z]+/y);
    if (word === null) return this.#number();
    return Object.hasOwn(words, word) ? (words[word] as string) : null;
  }

  #number(): string | null {
    const text = this.match(/[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y);
    if (text === null) return null;
    // If the number is also valid JSON, its digits do not change.
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)) return text;
    const value = Number(text);
    return Number.isFinite(value) ? JSON.stringify(value) : null;
  }

  #string(quote: string): string | null {
    let text = "";
    const cut = (): null => {
      // The first half of a surrogate pair is left out, because the next escape may complete it.
      const certain = text.replace(/[\uD800-\uDBFF]$/, "");
      this.cutValue = JSON.stringify(certain).slice(0, -1);
      return null;
    };
    for (let at = this.at + 1; at < this.text.length; at++) {
      const character = this.text[at] as string;
      if (character === quote) {
        this.at = at + 1;
        return text;
      }
      if (character !== "\\") {
        text += character;
        continue;
      }
      at++;
      const escaped = this.text[at];
      if (escaped === undefined) return cut();
      const digits = { u: 4, x: 2 }[escaped];
      if (digits === undefined) {
        // An unknown escape stands for itself, with its backslash.
        text += Object.hasOwn(escapes, escaped) ? (escapes[escaped] as string) : `\\${escaped}`;
        continue;
      }
      const code = this.text.slice(at + 1, at + 1 + digits);
      if (code.length < digits || !/^[0-9a-fA-F]+$/.test(code)) return cut();
      text += String.fromCharCode(Number.parseInt(code, 16));
      at += digits;
    }
    return cut();
  }

  #list(open: string, close: string, depth: number): string | null {
    const items: string[] = [];
    this.take(open);
    while (!this.take(close)) {
      if (items.length > 0 && !this.take(",")) return this.#cutAfter("[", items, items.at(-1) ?? "");
      if (items.length > 0 && this.take(close)) break;
      const item = this.value(depth + 1);
      if (item === null) return this.#cut("[", items, this.cutValue);
      items.push(item);
    }
    return `[${items.join(",")}]`;
  }

  #dictionary(depth: number): string | null {
    const members: string[] = [];
    let last = "";
    this.take("{");
    while (!this.take("}")) {
      if (members.length > 0 && !this.take(",")) return this.#cutAfter("{", members, last);
      if (members.length > 0 && this.take("}")) break;
      const key = this.value(depth + 1);
      if (!key?.startsWith('"') || !this.take(":")) return this.#cut("{", members, "");
      const value = this.value(depth + 1);
      if (value === null) return this.#cut("{", members, `${key}:${this.cutValue}`);
      members.push(`${key}:${value}`);
      last = value;
    }
    return `{${members.join(",")}}`;
  }

  /** Whether a number or word at the end of the text may continue, as in `5e`. */
  mayGoOn(value: string): boolean {
    return !/["\]}]$/.test(value) && /^[-+.\w]*$/.test(this.text.slice(this.at));
  }

  /** Stores the certain beginning of a list or dictionary: `parts`, and the beginning of the next part. */
  #cut(open: string, parts: readonly string[], begun: string): null {
    this.cutValue = open + [...parts, ...(begun === "" ? [] : [begun])].join(",");
    return null;
  }

  /** Like `#cut`, if no comma follows: the last value is dropped if it may continue, but the text before it stays. */
  #cutAfter(open: string, parts: readonly string[], value: string): null {
    const last = parts.at(-1);
    if (last === undefined || !this.mayGoOn(value)) return this.#cut(open, parts, "");
    return this.#cut(open, parts.slice(0, -1), last.slice(0, last.length - value.length));
  }
}
