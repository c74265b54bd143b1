/** Literals of Python as models write them in calls, made into JSON. JSON's own words are read too. */

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

/** A place in a text, moved on by what is read. Every read gives null, and the whole is given up, where the text is not what it has to be. */
export class PythonReader {
  at: number;
  /** After `value` gave null: the beginning of its JSON text, as far as it is certain; "" if nothing of it is. */
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

  /** True when `part` came next, after white space. */
  take(part: string): boolean {
    this.space();
    if (!this.text.startsWith(part, this.at)) return false;
    this.at += part.length;
    return true;
  }

  /** The next match of the sticky expression, after white space. */
  match(expression: RegExp): string | null {
    this.space();
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  /** One literal, as JSON text. */
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
    return word === null ? this.#number() : Object.hasOwn(words, word) ? (words[word] as string) : null;
  }

  #number(): string | null {
    const text = this.match(/[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/y);
    if (text === null) return null;
    // Digits stay as they are where JSON spells the number so.
    if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)) return text;
    const value = Number(text);
    return Number.isFinite(value) ? JSON.stringify(value) : null;
  }

  #string(quote: string): string | null {
    let text = "";
    const cut = (): null => {
      // Half of a character that an escape may complete waits.
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
        // An unknown escape stands for itself, backslash and all.
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

  /** After a number or a word: nothing has come that ends it, as in `5e`. */
  mayGoOn(value: string): boolean {
    return !/["\]}]$/.test(value) && /^[-+.\w]*$/.test(this.text.slice(this.at));
  }

  /** Notes what is certain of a list or dictionary: `parts`, and the beginning of the next one. */
  #cut(open: string, parts: readonly string[], begun: string): null {
    this.cutValue = open + [...parts, ...(begun === "" ? [] : [begun])].join(",");
    return null;
  }

  /** The same where no comma follows: of a last value that may go on, what comes before it stays. */
  #cutAfter(open: string, parts: readonly string[], value: string): null {
    const last = parts.at(-1);
    if (last === undefined || !this.mayGoOn(value)) return this.#cut(open, parts, "");
    return this.#cut(open, parts.slice(0, -1), last.slice(0, last.length - value.length));
  }
}
