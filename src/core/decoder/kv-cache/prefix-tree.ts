/**
 * Texts that share beginnings, as a tree of their parts: a shared beginning is stored once. Pure.
 *
 * Example: of "abcdef" and "abcXY" there are the parts "abcdef" from 0 and, below it, "XY" from 3. The text "abcdQ" is known up
 * to its fourth token.
 */
import { commonPrefixLength } from "../../base/shared-length.ts";
import type { CacheKey } from "./cache-key.ts";

export interface PrefixPart<Content> {
  /** The part that contains the tokens before this part. */
  readonly parent: PrefixPart<Content> | null;
  readonly from: number;
  /** The tokens from place `from` on; at least one. */
  readonly tokens: readonly CacheKey[];
  readonly content: Content;
  /** The number of parts whose parent is this part. Only the tree changes it, and `lastUse`. */
  children: number;
  lastUse: number;
}

/** The longest cached beginning of a text. */
export interface PrefixMatch<Content> {
  /** How many tokens of the text are cached. */
  readonly length: number;
  /** The parts that contain these tokens, from the root on. A part counts only up to the beginning of the next part. */
  readonly path: readonly PrefixPart<Content>[];
}

export class PrefixTree<Content> {
  /**
   * Siblings begin with different tokens, and no part begins with the token that follows in its parent, so each text has one
   * path.
   */
  readonly #parts = new Set<PrefixPart<Content>>();
  #uses = 0;

  get parts(): Iterable<PrefixPart<Content>> {
    return this.#parts;
  }

  match(tokens: readonly CacheKey[]): PrefixMatch<Content> {
    const path: PrefixPart<Content>[] = [];
    let length = 0;
    for (;;) {
      const next = this.#childAt(path.at(-1) ?? null, length, tokens[length]);
      if (!next) return { length, path };
      path.push(next);
      length += commonPrefixLength(next.tokens, tokens.slice(length));
    }
  }

  #childAt(
    parent: PrefixPart<Content> | null,
    from: number,
    token: CacheKey | undefined,
  ): PrefixPart<Content> | undefined {
    for (const part of this.#parts)
      if (part.parent === parent && part.from === from && part.tokens[0] === token) return part;
    return undefined;
  }

  /** Adds the tokens of a text, up to place `to`, that the tree does not have. @throws RangeError if the tree has all of them. */
  add(tokens: readonly CacheKey[], to: number, content: Content): void {
    const { length: from, path } = this.match(tokens);
    if (from >= to) throw new RangeError(`The prefix tree already has the first ${to} tokens of the text.`);
    const parent = path.at(-1) ?? null;
    if (parent) parent.children += 1;
    this.#parts.add({ parent, from, tokens: tokens.slice(from, to), content, children: 0, lastUse: 0 });
    this.touch(tokens);
  }

  /** Marks the cached parts of a text as used just now. */
  touch(tokens: readonly CacheKey[]): void {
    this.#uses += 1;
    for (const part of this.match(tokens).path) part.lastUse = this.#uses;
  }

  /** The parts that can be removed, the least recently used first: all parts but those in `kept` and the parts above these. */
  removable(kept: ReadonlySet<PrefixPart<Content>>): PrefixPart<Content>[] {
    // A part is used whenever a part below it is used. If both are equally recent, the lower part comes first.
    const order = [...this.#parts].sort((a, b) => a.lastUse - b.lastUse || b.from - a.from);
    const inUse = new Set<PrefixPart<Content>>();
    for (const part of kept)
      for (let each: PrefixPart<Content> | null = part; each; each = each.parent) inUse.add(each);
    return order.filter((part) => !inUse.has(part));
  }

  /** @throws Error if the part has children. */
  remove(part: PrefixPart<Content>): void {
    if (part.children > 0) throw new Error(`The part from ${part.from} has children: remove them first.`);
    if (this.#parts.delete(part) && part.parent) part.parent.children -= 1;
  }

  clear(): void {
    this.#parts.clear();
  }
}
