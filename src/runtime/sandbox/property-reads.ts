/**
 * Finds out whether a mod's source may read a property of an event, such as `logits`. A model on a server refuses a mod that
 * reads all logits before the start, so properties of the mod's own, such as `this.logits`, must not count. Where the source
 * does not show whose property it is, the property counts as the event's.
 */
import type { SourceToken } from "./source-tokens.ts";

/**
 * Whether the source may read a property of this name from a value that is not its own: after a dot, in quotes, or in a
 * pattern, as in `const { logits } = event`. Variables of this name, fields of classes and keys of object literals do not count.
 */
export function readsProperty(tokens: readonly SourceToken[], property: string): boolean {
  const source = new Source(tokens);
  return tokens.some(({ kind, text }, index) => {
    if (text !== property) return kind === "string" && text.slice(1, -1) === property;
    if (kind !== "word") return true;
    const before = source.textAt(index - 1);
    if (before === "." || before === "?.") return !source.isOwnObject(index - 2);
    const isKey = ["{", ","].includes(before) && [",", "}", ":", "="].includes(source.textAt(index + 1));
    return isKey && source.isInPattern(index);
  });
}

/** With these names, `this` may be any value. */
const receiverNames = ["call", "apply", "bind", "Reflect"];

class Source {
  readonly #tokens: readonly SourceToken[];
  /** For each token, the index of the bracket that opens around it; -1 outside all brackets. */
  readonly #openers: Int32Array;
  /** For each opening bracket, the index of its closing bracket; -1 if it has none. */
  readonly #closers: Int32Array;
  /** Whether each name asked for is an object of the mod's own. */
  readonly #own = new Map<string, boolean>();

  constructor(tokens: readonly SourceToken[]) {
    this.#tokens = tokens;
    this.#openers = new Int32Array(tokens.length).fill(-1);
    this.#closers = new Int32Array(tokens.length).fill(-1);
    const open: number[] = [];
    for (const [index, { kind, text }] of tokens.entries()) {
      if (kind === "sign" && /^[)\]}]$/.test(text)) this.#closers[open.pop() ?? index] = index;
      this.#openers[index] = open.at(-1) ?? -1;
      if (kind === "sign" && /[([{]$/.test(text)) open.push(index);
    }
  }

  textAt(index: number): string {
    return this.#tokens[index]?.text ?? "";
  }

  /** Whether a key in braces belongs to a pattern, which reads it: on the left of `=`, `of` or `in`, or among parameters. */
  isInPattern(key: number): boolean {
    for (let opener = this.#openers[key] ?? -1; opener >= 0; opener = this.#openers[opener] ?? -1) {
      const closer = this.#closers[opener] ?? -1;
      if (closer < 0) return true;
      const next = this.textAt(closer + 1);
      if (this.textAt(opener) === "(") return next === "=>" || next === "{";
      if (["=", "of", "in"].includes(next)) return true;
    }
    return false;
  }

  /** Whether the value before a dot is an object that the source makes: `this`, or a constant with an object of its own. */
  isOwnObject(index: number): boolean {
    const { kind, text = "" } = this.#tokens[index] ?? {};
    if (kind !== "word" || [".", "?."].includes(this.textAt(index - 1))) return false;
    const known = this.#own.get(text);
    if (known !== undefined) return known;
    const isOwn = text === "this" ? !this.#mayReplaceThis() : this.#isOwnConstant(text);
    this.#own.set(text, isOwn);
    return isOwn;
  }

  #mayReplaceThis(): boolean {
    return this.#tokens.some(({ text }) => receiverNames.includes(text));
  }

  #isOwnConstant(name: string): boolean {
    const declared = [...this.#tokens.keys()].filter((index) => {
      const token = this.#tokens[index];
      return token?.text === name && token.isDeclaration;
    });
    const [only = -1] = declared;
    if (declared.length !== 1 || this.textAt(only - 1) !== "const" || this.textAt(only + 1) !== "=")
      return false;
    const value = only + 2;
    if (this.textAt(value) === "new") return this.#isNewObject(value);
    return this.textAt(value) === "{" && this.#isPlainObject(value);
  }

  /** Whether `new` begins a value such as `new Stats(3)`, of which no property is read. A proxy has the properties of another object. */
  #isNewObject(start: number): boolean {
    const name = this.#tokens[start + 1];
    if (name?.kind !== "word" || name.text === "Proxy" || this.textAt(start + 2) !== "(") return false;
    return this.#endsValue(this.#closers[start + 2] ?? -1);
  }

  /** Whether the object literal that opens here is a whole value, and copies and inherits nothing. */
  #isPlainObject(opener: number): boolean {
    const closer = this.#closers[opener] ?? -1;
    const content = this.#tokens.slice(opener, closer);
    return (
      this.#endsValue(closer) && !content.some(({ text }) => text === "..." || text.includes("__proto__"))
    );
  }

  /** Whether a value ends with this bracket: neither a property nor an operator follows. */
  #endsValue(closer: number): boolean {
    const next = this.#tokens[closer + 1];
    if (closer < 0 || next === undefined) return false;
    if (next.kind === "word") return !["in", "instanceof"].includes(next.text);
    return [";", ",", "}"].includes(next.text);
  }
}
