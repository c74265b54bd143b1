/**
 * Texts that the model read before the current one, within a budget of bytes. The model need not read them again if
 * two chats take turns, a request branches, or the system prompt changes back. When another text begins, the cache
 * copies the part that would be lost; when a text shares a beginning with a cached one, the cache copies it back.
 * Either copy takes a small part of the time that reading would take.
 */
import { commonPrefixLength } from "../../base/shared-length.ts";
import type { CacheSegment, CacheSegments, LanguageModel } from "../ports/language-model.ts";
import type { ModelLogits } from "../ports/logits.ts";
import { type CacheKey, tokenOfKey } from "./cache-key.ts";
import { type PrefixMatch, type PrefixPart, PrefixTree } from "./prefix-tree.ts";

/** The cached part of a text. */
interface CachedPart {
  readonly segment: CacheSegment;
  /** The logits after a prompt that ends in this part, with the length of that prompt; null if they are not cached. */
  prompt: PromptLogits | null;
}

/** Logits after the first `length` tokens. */
export interface PromptLogits {
  readonly length: number;
  readonly row: ModelLogits;
}

/** The text that the model has read. */
export interface KvCacheText {
  readonly tokens: readonly CacheKey[];
  /** The logits after the prompt with which the text begins, if they are cached. */
  readonly prompt: PromptLogits | null;
}

/** Fewest tokens that are worth a copy: about a second of SmolLM2-135M on WebAssembly. */
const leastKept = 64;
/** Fewest tokens that are worth a copy if the beginning of the text is cached already, as in the next turn of a chat. */
const leastAdded = 16;
/** In the time of reading one token, at least so many tokens of the cache can be copied, on WebAssembly and on WebGPU. */
const copiedPerRead = 128;
/** A cached text is copied back only if it saves reading at least so many tokens. */
const leastGain = 16;

export class CachedPrefixes {
  readonly #segments: CacheSegments;
  readonly #rowBytes: number;
  readonly #budget: () => number;
  readonly #tree = new PrefixTree<CachedPart>();

  /** @param budget the most bytes that may be cached; called each time */
  constructor(segments: CacheSegments, vocabularySize: number, budget: () => number) {
    this.#segments = segments;
    this.#rowBytes = 4 * vocabularySize;
    this.#budget = budget;
  }

  /** Cached bytes: in the device's memory, and of logits. */
  get bytes(): number {
    let sum = 0;
    for (const { content } of this.#tree.parts) sum += this.#bytesOf(content);
    return sum;
  }

  #bytesOf({ segment, prompt }: CachedPart): number {
    return segment.bytes + (prompt ? this.#rowBytes : 0);
  }

  /** The tokens of each cached part, without the tokens of the parts before it. */
  get texts(): (readonly CacheKey[])[] {
    return [...this.#tree.parts].map(({ tokens }) => tokens);
  }

  /** The cached logits. */
  get rows(): ModelLogits[] {
    return [...this.#tree.parts].flatMap(({ content }) => content.prompt?.row ?? []);
  }

  /**
   * Prepares for the next text, `wanted`. Copies the part of the present text that would be lost. If the cache has a longer
   * beginning of `wanted` than the present text has, copies this beginning into the model. Returns the text that the model
   * then holds; null if it still holds the present text.
   * @throws the model's error, except if memory is short.
   */
  async change(present: KvCacheText, wanted: readonly CacheKey[]): Promise<KvCacheText | null> {
    const shared = commonPrefixLength(present.tokens, wanted);
    const match = this.#tree.match(wanted);
    const isRestored = match.length - shared >= leastGain + match.length / copiedPerRead;
    if (!isRestored) {
      await this.#saveText(present, shared, []);
      return null;
    }
    await this.#saveText(present, 0, match.path);
    const tokens = wanted.slice(0, match.length);
    this.#tree.touch(tokens);
    const segments = match.path.map(({ content }) => content.segment);
    await this.#segments.restore(tokens.map(tokenOfKey), segments);
    this.fit();
    return { tokens, prompt: promptIn(match) };
  }

  /** Copies the present text, if a copy is worth its time; its first `left` tokens stay in the model. `needed`: parts that must stay cached. */
  async #saveText(
    { tokens, prompt }: KvCacheText,
    left: number,
    needed: readonly PrefixPart<CachedPart>[],
  ): Promise<void> {
    const cached = this.#tree.match(tokens);
    const preserved = new Set([...cached.path, ...needed]);
    const least = cached.length > 0 && left === 0 ? leastAdded : leastKept;
    if (tokens.length - Math.max(left, cached.length) >= least)
      await this.#saveTokens(tokens, { from: cached.length, least }, preserved);
    if (prompt) this.#savePromptLogits(tokens, prompt, preserved);
  }

  async #saveTokens(
    tokens: readonly CacheKey[],
    { from, least }: { readonly from: number; readonly least: number },
    preserved: ReadonlySet<PrefixPart<CachedPart>>,
  ): Promise<void> {
    const to = this.#lastFittingPlace(from, tokens.length, this.#roomBeside(preserved));
    if (to - from < least) return;
    this.#makeRoom(this.#segments.bytesOf(from, to), preserved);
    const segment = await this.#copySegment(from, to);
    if (segment) this.#tree.add(tokens, segment.to, { segment, prompt: null });
  }

  /** Null if there is no memory for the copy: the text will be read again. */
  async #copySegment(from: number, to: number): Promise<CacheSegment | null> {
    try {
      return await this.#segments.save(from, to);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The logits after a cached prompt whose logits are not cached yet. */
  #savePromptLogits(
    tokens: readonly CacheKey[],
    prompt: PromptLogits,
    preserved: ReadonlySet<PrefixPart<CachedPart>>,
  ): void {
    const { length, path } = this.#tree.match(tokens.slice(0, prompt.length));
    const last = path.at(-1);
    if (!last || length < prompt.length || last.content.prompt?.length === prompt.length) return;
    last.content.prompt = null;
    const preservedWithPath = new Set([...preserved, ...path]);
    if (this.#roomBeside(preservedWithPath) < this.#rowBytes) return;
    this.#makeRoom(this.#rowBytes, preservedWithPath);
    last.content.prompt = prompt;
  }

  /** The bytes of the budget that are left after the parts that must stay. */
  #roomBeside(preserved: ReadonlySet<PrefixPart<CachedPart>>): number {
    const removable = this.#tree
      .removable(preserved)
      .reduce((sum, { content }) => sum + this.#bytesOf(content), 0);
    return this.#budget() - this.bytes + removable;
  }

  /** The last place, at most `to`, for which the tokens from `from` on take at most `bytes`. */
  #lastFittingPlace(from: number, to: number, bytes: number): number {
    let fits = from;
    let tooFar = to + 1;
    while (tooFar - fits > 1) {
      const middle = Math.floor((fits + tooFar) / 2);
      if (this.#segments.bytesOf(from, middle) <= bytes) fits = middle;
      else tooFar = middle;
    }
    return fits;
  }

  #makeRoom(bytes: number, preserved: ReadonlySet<PrefixPart<CachedPart>>): void {
    for (const part of this.#tree.removable(preserved)) {
      if (this.bytes + bytes <= this.#budget()) return;
      this.#remove(part);
    }
  }

  #remove(part: PrefixPart<CachedPart>): void {
    this.#tree.remove(part);
    this.#segments.free(part.content.segment);
  }

  /** Forgets all cached texts, because the model that holds them is gone. */
  forget(): void {
    this.#tree.clear();
  }

  /** Frees the least recently used parts until the cache fits its budget. */
  fit(): void {
    this.#makeRoom(0, new Set());
  }

  /** Frees all cached texts. Returns whether there were any. */
  free(): boolean {
    const all = this.#tree.removable(new Set());
    for (const part of all) this.#remove(part);
    return all.length > 0;
  }
}

/** Returns null if the model cannot copy parts of its cache. */
export function createCachedPrefixes(model: LanguageModel, budget: () => number): CachedPrefixes | null {
  const { segments, vocabularySize } = model;
  return segments ? new CachedPrefixes(segments, vocabularySize, budget) : null;
}

/** The longest prompt among the found parts whose logits are cached. */
function promptIn({ length, path }: PrefixMatch<CachedPart>): PromptLogits | null {
  const known = path.map(({ content: { prompt } }, i) => {
    const end = path[i + 1]?.from ?? length;
    return prompt && prompt.length <= end ? prompt : null;
  });
  return known.findLast((prompt) => prompt !== null) ?? null;
}
