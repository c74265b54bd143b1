/** The model's tokenizer from its two JSON files. The same code in the engine's worker and in the sandbox. */
import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { checkOptionKeys, type OptionKeys } from "../base/known-keys.ts";
import { isRecord } from "../base/record.ts";
import type { ResumableWork } from "../base/resumable-work.ts";
import {
  copyBytesIfRoom,
  createVocabularyEntryDecoder,
  type JsonObject,
} from "../masks/vocabulary/entry-bytes.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Tokenizer } from "../sdk/tokenizer.ts";
import { withSpecialNamesAsText } from "./encode-as-text.ts";
import { type CallWrapper, installSteppedEncoder } from "./encode-in-steps.ts";
import type { RestoreText } from "./restore-text.ts";
import { checkTokenizerSize } from "./tokenizer-limits.ts";

export type { JsonObject } from "../masks/vocabulary/entry-bytes.ts";

/** The data from which a tokenizer is made. Plain data; crosses every boundary. */
export interface TokenizerData {
  /** `tokenizer.json`, parsed. */
  readonly tokenizerJson: JsonObject;
  /** `tokenizer_config.json`, parsed. */
  readonly tokenizerConfig: JsonObject;
  /** Number of logits of the model, which may be larger than the number of the tokenizer's entries. */
  readonly vocabSize: number;
  readonly eosTokenIds: readonly TokenId[];
}

/** A tokenizer that can also read a rendered chat template. */
export interface ModelTokenizer extends Tokenizer {
  /** Encodes a rendered prompt: special tokens written in it are recognised, no others are added. */
  encodePrompt(text: string): TokenId[];
  /** Names of the special tokens. */
  readonly specialNames: readonly string[];
  /** Names of special tokens that mark the model's reasoning. These tokens are treated as text (`reasoningMarkKey`). */
  readonly markNames: readonly string[];
  /**
   * Unicode normalization of the tokenizer, if the tokenizer looks for special tokens in normalized texts: `＜s＞` is the special token
   * `<s>` under NFKC. Else null.
   */
  readonly normalized: ((text: string) => string) | null;
  /**
   * In steps: encodes a whole prompt, which is a rendered chat template, or a text to which the tokenizer adds its special
   * tokens.
   * @param restore puts characters back that the caller replaced, after the special tokens in the text were found
   */
  encodeInSteps(
    text: string,
    kind: "template" | "whole text",
    restore?: RestoreText,
  ): ResumableWork<TokenId[]>;
  /** Copies the bytes of `tokenBytes` into `into` from `at` on, if all of them fit. @returns the number of bytes. */
  copyTokenBytes(token: TokenId, into: Uint8Array, at: number): number;
}

interface AddedToken {
  readonly id: TokenId;
  readonly content: string;
  readonly special: boolean;
  readonly normalized?: unknown;
  readonly [reasoningMarkKey]?: boolean;
}

/** Key in an entry of `added_tokens`: the special token is treated as text, because it marks the model's reasoning. */
export const reasoningMarkKey = "marks_reasoning";

const encodeKeys: OptionKeys<NonNullable<Parameters<Tokenizer["encode"]>[1]>> = {
  specialTokens: true,
  addSpecialTokens: true,
};
const decodeKeys: OptionKeys<NonNullable<Parameters<Tokenizer["decode"]>[1]>> = { specialTokens: true };

/**
 * Makes the tokenizer. It encodes a text in two ways, because a mod's text stands in the middle of an output:
 * - `encode(text)` encodes a continuation: special tokens are neither added nor recognised, and no space is put before the
 *   text (SentencePiece and some byte-level tokenizers put one at the start of a text). So `decode(encode(text))` is `text`,
 *   up to the tokenizer's Unicode normalization. With `specialTokens: "parse"` names of special tokens are recognised.
 * - `encode(text, { addSpecialTokens: true })` encodes a whole text, exactly as `encode(text)` of @huggingface/transformers.
 * @throws Error when the files are not those of a tokenizer.
 */
export function createTokenizer(data: TokenizerData): ModelTokenizer {
  const { vocabSize, eosTokenIds } = data;
  if (!Number.isInteger(vocabSize) || vocabSize <= 0) {
    throw new Error(`The vocabulary size must be a positive whole number, not ${vocabSize}.`);
  }
  checkTokenizerSize(data.tokenizerJson);
  const added = addedTokens(data.tokenizerJson, vocabSize);
  const whole = new HuggingFaceTokenizer(
    { ...data.tokenizerJson, added_tokens: added },
    data.tokenizerConfig,
  );
  const stepped = installSteppedEncoder(whole);
  const continuation = continuationOf(whole, data, added);
  const special = new Map(added.filter((token) => token.special).map((token) => [token.id, token.content]));
  const parseSpecial = specialParser(special);
  const { bytesOf, copy } = createBytesOf(whole, data, added);
  const check = (token: TokenId): void => {
    if (Number.isInteger(token) && token >= 0 && token < vocabSize) return;
    throw new RangeError(`Token ${token} is not in the vocabulary: ids are 0 to ${vocabSize - 1}.`);
  };
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const encoder = new TextEncoder();
  const encodePrompt = (text: string) => known(whole.encode(text, { add_special_tokens: false }).ids);
  const encodeWhole = (text: string) => known(whole.encode(text).ids);
  const specialNames = [...special.values()];
  const markNames = added.filter((token) => token[reasoningMarkKey] === true).map(({ content }) => content);
  const normalized = normalizerOfNames(continuation, added);
  const names = [...specialNames, ...markNames];
  const guarded = new Set(normalized ? names.flatMap((name) => [name, normalized(name)]) : names);

  return {
    vocabSize,
    eosTokenIds: [...eosTokenIds],
    encode(text, options) {
      if (options) checkOptionKeys("tokenizer.encode", options, encodeKeys);
      if (options?.addSpecialTokens === true) return encodeWhole(text);
      const encodeText = (part: string) => encodeContinuation(continuation, special, part);
      return options?.specialTokens === "parse" ? parseSpecial(text, encodeText) : encodeText(text);
    },
    encodePrompt,
    specialNames,
    markNames,
    normalized,
    encodeInSteps(text, kind, restore) {
      const wrap: CallWrapper | undefined =
        restore && ((call) => withSpecialNamesAsText(whole, guarded, restore, call));
      return stepped.steps(text, kind === "template" ? encodePrompt : encodeWhole, wrap);
    },
    decode(tokens, options) {
      if (options) checkOptionKeys("tokenizer.decode", options, decodeKeys);
      const chunks: Uint8Array[] = [];
      for (const token of tokens) {
        check(token);
        const name = options?.specialTokens === "parse" ? special.get(token) : undefined;
        chunks.push(name === undefined ? bytesOf(token) : encoder.encode(name));
      }
      return decoder.decode(concatenate(chunks));
    },
    tokenText: cached((token) => {
      check(token);
      return special.get(token) ?? decoder.decode(bytesOf(token));
    }),
    tokenBytes(token) {
      check(token);
      return bytesOf(token).slice();
    },
    copyTokenBytes(token, into, at) {
      check(token);
      return copy(token, into, at);
    },
  };
}

/** Caches the text of each token: every step of a trace has some tokens with their texts. */
function cached(textOf: (token: TokenId) => string): (token: TokenId) => string {
  const texts = new Map<TokenId, string>();
  return (token) => {
    const known = texts.get(token);
    if (known !== undefined) return known;
    const text = textOf(token);
    texts.set(token, text);
    return text;
  };
}

/** Removes the `undefined` that the library returns for unknown text if the vocabulary has no unknown token. */
function known(tokens: readonly (number | undefined)[]): TokenId[] {
  return tokens.filter((token): token is number => token !== undefined);
}

/** Added tokens that have a logit. (The tokenizer of Gemma 3's text models lists one image token that has none.) */
function addedTokens(tokenizerJson: JsonObject, vocabSize: number): AddedToken[] {
  const list = tokenizerJson.added_tokens ?? [];
  if (!Array.isArray(list)) throw new Error("tokenizer.json: added_tokens is not a list.");
  return list
    .map((token: unknown): AddedToken => {
      if (
        !isRecord(token) ||
        !Number.isInteger(token.id) ||
        typeof token.content !== "string" ||
        token.content === ""
      ) {
        throw new Error(
          `tokenizer.json: ${JSON.stringify(token)?.slice(0, 200)} in added_tokens has no id or no content.`,
        );
      }
      return { ...token, id: token.id as number, content: token.content, special: token.special === true };
    })
    .filter((token) => token.id >= 0 && token.id < vocabSize);
}

/**
 * A tokenizer with the same vocabulary and merges (shared, because they are large), but without special tokens and without a
 * space before the text.
 */
function continuationOf(
  whole: HuggingFaceTokenizer,
  data: TokenizerData,
  added: readonly AddedToken[],
): HuggingFaceTokenizer {
  const continuation = new HuggingFaceTokenizer(
    {
      ...data.tokenizerJson,
      normalizer: withoutPrefix(data.tokenizerJson.normalizer),
      pre_tokenizer: withoutPrefix(data.tokenizerJson.pre_tokenizer),
      model: { type: "BPE", vocab: {}, merges: [] },
      added_tokens: added.filter((token) => !token.special),
    },
    data.tokenizerConfig,
  );
  continuation.model = whole.model;
  return continuation;
}

function withoutPrefix(part: unknown): unknown {
  if (!isRecord(part)) return null;
  if (part.type === "Prepend") return null;
  if (part.type === "Sequence") {
    const key = Array.isArray(part.normalizers) ? "normalizers" : "pretokenizers";
    const list = Array.isArray(part[key]) ? part[key] : [];
    return { ...part, [key]: list.map(withoutPrefix).filter((inner) => inner !== null) };
  }
  if (part.type === "Metaspace") return { ...part, prepend_scheme: "never", add_prefix_space: false };
  return part.type === "ByteLevel" ? { ...part, add_prefix_space: false } : part;
}

/**
 * Encodes a text so that names of special tokens in it stay text. A Unigram or whole-word vocabulary may have such a name as
 * an entry: then the text is encoded in two parts.
 */
function encodeContinuation(
  continuation: HuggingFaceTokenizer,
  special: ReadonlyMap<TokenId, string>,
  text: string,
): TokenId[] {
  const tokens = known(continuation.encode(text, { add_special_tokens: false }).ids);
  for (const token of tokens) {
    const name = special.get(token);
    if (name === undefined || name.length < 2) continue;
    const at = text.indexOf(name);
    // Absent if a normalizer made the name from other characters.
    const cut = at < 0 ? Math.floor(text.length / 2) : at + 1;
    if (cut === 0) continue;
    const parts = [text.slice(0, cut), text.slice(cut)];
    return parts.flatMap((part) => encodeContinuation(continuation, special, part));
  }
  return tokens;
}

/**
 * See `ModelTokenizer.normalized`. The tokenizer must be the one for continuations, whose normalizer puts nothing before a
 * text.
 */
function normalizerOfNames(
  { normalizer }: HuggingFaceTokenizer,
  added: readonly AddedToken[],
): ((text: string) => string) | null {
  // The library's rule: tokens that are not special are looked for in normalized texts unless their entry says otherwise.
  const isLookedFor = (token: AddedToken) => token.normalized ?? !token.special;
  const guarded = added.filter((token) => token.special || token[reasoningMarkKey]);
  if (normalizer === null || !guarded.some(isLookedFor)) return null;
  return (text) => (normalizer as unknown as (text: string) => string)(text);
}

/** Splits a text at the names of special tokens. If several names fit at a place, the longest counts. */
function specialParser(special: ReadonlyMap<TokenId, string>) {
  let tokens: ReadonlyMap<string, TokenId> | null = null;
  let anyName: RegExp | null = null;
  return (text: string, encodeText: (part: string) => TokenId[]): TokenId[] => {
    tokens ??= new Map([...special].map(([token, name]) => [name, token]));
    const escapedNames = () => [...special.values()].sort((a, b) => b.length - a.length).map(escapeRegExp);
    anyName ??= new RegExp(`(${special.size > 0 ? escapedNames().join("|") : "(?!)"})`);
    const read: TokenId[] = [];
    for (const [place, part] of text.split(anyName).entries()) {
      const token = place % 2 === 1 ? tokens.get(part) : undefined;
      if (token !== undefined) read.push(token);
      else if (part) for (const each of encodeText(part)) read.push(each);
    }
    return read;
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

interface BytesOf {
  /** Computed at first use and cached: do not change the result. Empty for special tokens and ids without an entry. */
  bytesOf(token: TokenId): Uint8Array;
  /** Copies the bytes without caching them, for callers that copy the bytes of all tokens. */
  copy(token: TokenId, into: Uint8Array, at: number): number;
}

function createBytesOf(
  whole: HuggingFaceTokenizer,
  data: TokenizerData,
  added: readonly AddedToken[],
): BytesOf {
  const entries = createVocabularyEntryDecoder(data.tokenizerJson.decoder);
  const encoder = new TextEncoder();
  const kept: (Uint8Array | undefined)[] = new Array(data.vocabSize);
  for (const token of added) kept[token.id] = encoder.encode(token.special ? "" : token.content);
  const entryOf = (token: TokenId): string | undefined => {
    const entry: unknown = whole.id_to_token(token);
    return typeof entry === "string" ? entry : undefined;
  };
  return {
    bytesOf(token) {
      const entry = entryOf(token);
      kept[token] ??= entry === undefined ? new Uint8Array(0) : entries.bytesOf(entry);
      return kept[token];
    },
    copy(token, into, at) {
      const known = kept[token];
      if (known !== undefined) return copyBytesIfRoom(known, into, at);
      const entry = entryOf(token);
      return entry === undefined ? 0 : entries.copy(entry, into, at);
    },
  };
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
