/** The model's tokenizer from its two JSON files. The same code in the engine's worker and in the sandbox. */
import { Tokenizer as HuggingFaceTokenizer } from "@huggingface/tokenizers";
import { isRecord } from "../base/record.ts";
import type { Steps } from "../base/steps.ts";
import { copyBytes, createEntryBytes, type JsonObject } from "../masks/vocabulary/entry-bytes.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Tokenizer } from "../sdk/tokenizer.ts";
import { withNamesAsText } from "./encode-as-text.ts";
import { type CallWrapper, steppedEncoder } from "./encode-in-steps.ts";
import type { RestoreText } from "./restore-text.ts";
import { checkTokenizerSize } from "./tokenizer-limits.ts";

export type { JsonObject } from "../masks/vocabulary/entry-bytes.ts";

/** The data from which a tokenizer is made. Plain data; crosses every boundary. */
export interface TokenizerData {
  /** `tokenizer.json`, parsed. */
  readonly tokenizerJson: JsonObject;
  /** `tokenizer_config.json`, parsed. */
  readonly tokenizerConfig: JsonObject;
  /** Width of the model's logits, which may be more than the tokenizer's entries. */
  readonly vocabSize: number;
  readonly eosTokenIds: readonly TokenId[];
}

/** A tokenizer that can also read a rendered chat template. */
export interface ModelTokenizer extends Tokenizer {
  /** Tokens of a rendered prompt: special tokens written in it are recognised, none are added. */
  encodePrompt(text: string): TokenId[];
  /** Names of the special tokens. */
  readonly specialNames: readonly string[];
  /** Names of special tokens that mark the model's reasoning, and are text for that reason (`isMark`). */
  readonly markNames: readonly string[];
  /**
   * Unicode normalization of the tokenizer, if the tokenizer looks for special tokens in normalized texts: `＜s＞` is the special token
   * `<s>` under NFKC. Else null.
   */
  readonly normalized: ((text: string) => string) | null;
  /**
   * The tokens of a whole prompt in steps: of a rendered chat template, or of a text with what the tokenizer puts around it.
   * @param restore puts characters back that the caller replaced, after the special tokens in the text were found
   */
  encodeInSteps(text: string, kind: "template" | "whole text", restore?: RestoreText): Steps<TokenId[]>;
  /** The same bytes as of `tokenBytes`, put into `into` from `at` on where all of them have room. @returns how many there are. */
  copyTokenBytes(token: TokenId, into: Uint8Array, at: number): number;
}

interface AddedToken {
  readonly id: TokenId;
  readonly content: string;
  readonly special: boolean;
  readonly normalized?: unknown;
  readonly [isMark]?: boolean;
}

/** In an entry of `added_tokens`: a special token that was made text, since it marks the model's reasoning. */
export const isMark = "marks_reasoning";

/**
 * Makes the tokenizer. Two readings of a text, because a mod's text stands in the middle of an output:
 * - `encode(text)` reads a continuation: no special tokens, none recognised, and no space put before the text
 *   (SentencePiece and some byte-level tokenizers do that at the start of a text). So `decode(encode(text))` is `text`,
 *   up to the tokenizer's Unicode normalization. With `specialTokens: "parse"` names of special tokens are recognised.
 * - `encode(text, { addSpecialTokens: true })` reads a whole text, exactly as `encode(text)` of @huggingface/transformers.
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
  const stepped = steppedEncoder(whole);
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
  const markNames = added.filter((token) => token[isMark] === true).map(({ content }) => content);
  const normalized = normalizerOfNames(continuation, added);
  const names = [...specialNames, ...markNames];
  const guarded = new Set(normalized ? names.flatMap((name) => [name, normalized(name)]) : names);

  return {
    vocabSize,
    eosTokenIds: [...eosTokenIds],
    encode(text, options) {
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
        restore && ((call) => withNamesAsText(whole, guarded, restore, call));
      return stepped.steps(text, kind === "template" ? encodePrompt : encodeWhole, wrap);
    },
    decode(tokens, options) {
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

/** Texts by their tokens, each decoded once: every step of a trace names some tokens with their texts. */
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

/** Ids as the library gives them: an entry that it does not know, and that has no unknown token, is left out. */
function known(tokens: readonly (number | undefined)[]): TokenId[] {
  return tokens.filter((token): token is number => token !== undefined);
}

/** Added tokens that the model has a row for. (Gemma 3's text models list one image token more than they have rows.) */
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

/** The same vocabulary and merges (shared, they are large), but without special tokens and without a space before the text. */
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
 * A Unigram or whole-word vocabulary may hold a special token's name as an entry: a text with that name is then read
 * in two parts, so that it stays text.
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
    // A normalizer may have made the name of other characters.
    const cut = at < 0 ? Math.floor(text.length / 2) : at + 1;
    if (cut === 0) continue;
    const parts = [text.slice(0, cut), text.slice(cut)];
    return parts.flatMap((part) => encodeContinuation(continuation, special, part));
  }
  return tokens;
}

/** See `ModelTokenizer.normalized`. `continuation`: its normalizer puts nothing before a text. */
function normalizerOfNames(
  { normalizer }: HuggingFaceTokenizer,
  added: readonly AddedToken[],
): ((text: string) => string) | null {
  // As the library reads the entries: a token that is not special is looked for in normalized texts unless its entry says otherwise.
  const isLookedFor = (token: AddedToken) => token.normalized ?? !token.special;
  const guarded = added.filter((token) => token.special || token[isMark]);
  if (normalizer === null || !guarded.some(isLookedFor)) return null;
  return (text) => (normalizer as unknown as (text: string) => string)(text);
}

/** Splits a text at the names of special tokens; of names that begin alike the longest counts. */
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
  /** Made on demand and kept; not to be changed by the caller. Empty for special tokens and rows without an entry. */
  bytesOf(token: TokenId): Uint8Array;
  /** Without keeping them: who copies all of them keeps them elsewhere. */
  copy(token: TokenId, into: Uint8Array, at: number): number;
}

function createBytesOf(
  whole: HuggingFaceTokenizer,
  data: TokenizerData,
  added: readonly AddedToken[],
): BytesOf {
  const entries = createEntryBytes(data.tokenizerJson.decoder);
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
      if (known !== undefined) return copyBytes(known, into, at);
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
