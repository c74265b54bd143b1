/** A vocabulary from a tokenizer of @huggingface/transformers, which this file describes by types and does not import. */
import { isRecord } from "../../base/record.ts";
import { describeValue } from "../../base/show.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";
import { encodeUtf8 } from "../automaton/utf8.ts";
import { checkOptions } from "../strategies/arguments.ts";
import { copyBytesIfRoom, createVocabularyEntryDecoder } from "../vocabulary/entry-bytes.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import { checkEndTokens, noBytes } from "./vocabulary-from-list.ts";

/** The parts of a tokenizer of @huggingface/transformers 4 (`AutoTokenizer.from_pretrained`) that masks need. */
export interface TransformersTokenizer {
  /** The id of each entry, including added tokens. */
  get_vocab(): Map<string, number>;
  encode(text: string, options?: { add_special_tokens?: boolean }): number[];
  readonly eos_token_id?: number;
  /** The parsed `tokenizer.json`: its `decoder` says which bytes an entry stands for, its `added_tokens` which are special. */
  readonly _tokenizerJSON: unknown;
}

export interface TokenizerVocabularyOptions {
  /** Tokens that end a sequence: the model's `generation_config.eos_token_id`. Default: the tokenizer's own. */
  readonly eosTokenIds?: readonly number[] | undefined;
}

const made = new WeakMap<object, Map<string, TokenBytes>>();

/**
 * The vocabulary of a tokenizer of @huggingface/transformers, made once for each.
 *
 * @example
 * const tokenizer = await AutoTokenizer.from_pretrained("HuggingFaceTB/SmolLM2-135M-Instruct");
 * const vocabulary = vocabularyFromTokenizer(tokenizer);
 *
 * @throws TypeError for another kind of tokenizer. @throws RangeError for an end of sequence that it does not have.
 * @throws Error where tokens have no bytes of their own (a CTC decoder), or no token ends a sequence.
 */
export function vocabularyFromTokenizer(
  tokenizer: TransformersTokenizer,
  options: TokenizerVocabularyOptions = {},
): TokenBytes {
  checkOptions("vocabularyFromTokenizer", options, ["eosTokenIds"]);
  if (!isTransformersTokenizer(tokenizer)) {
    throw new TypeError(
      `${describeValue(tokenizer)} is not a tokenizer of @huggingface/transformers 4: pass what AutoTokenizer.from_pretrained returns, or use vocabularyFromList.`,
    );
  }
  const eosTokenIds = options.eosTokenIds ?? endOf(tokenizer);
  if (eosTokenIds.length === 0)
    throw new Error("The tokenizer names no end-of-sequence token: give the model's eosTokenIds.");
  const byEndTokens = getOrCreate(made, tokenizer, () => new Map<string, TokenBytes>());
  return getOrCreate(byEndTokens, eosTokenIds.join(), () => createVocabulary(tokenizer, eosTokenIds));
}

/** Such a tokenizer may be callable, so it is a function to `typeof`. */
function isTransformersTokenizer(value: unknown): value is TransformersTokenizer {
  const parts = Object(value) as Partial<Record<keyof TransformersTokenizer, unknown>>;
  return (
    typeof parts.get_vocab === "function" &&
    typeof parts.encode === "function" &&
    isRecord(parts._tokenizerJSON)
  );
}

function endOf(tokenizer: TransformersTokenizer): readonly number[] {
  return tokenizer.eos_token_id === undefined ? [] : [tokenizer.eos_token_id];
}

function createVocabulary(tokenizer: TransformersTokenizer, eosTokenIds: readonly number[]): TokenBytes {
  const json = tokenizer._tokenizerJSON as Readonly<Record<string, unknown>>;
  const entries = createVocabularyEntryDecoder(json.decoder);
  const names = namesOf(tokenizer);
  const added = addedTexts(json.added_tokens);
  checkEndTokens(eosTokenIds, names.length);
  const copy = (token: number, into: Uint8Array, at: number): number => {
    const text = added.get(token);
    if (text !== undefined) return copyBytesIfRoom(text, into, at);
    const name = names[token];
    return name === undefined ? 0 : entries.copy(name, into, at);
  };
  const tokenBytes = (token: number): Uint8Array => {
    const name = names[token];
    return added.get(token) ?? (name === undefined ? noBytes : entries.bytesOf(name));
  };
  return {
    vocabSize: names.length,
    eosTokenIds: [...eosTokenIds],
    tokenBytes,
    copyTokenBytes: copy,
    encode: (text) => encodeContinuation(tokenizer, tokenBytes, text),
  };
}

/** The entries by their ids; undefined for ids without an entry. */
function namesOf(tokenizer: TransformersTokenizer): readonly (string | undefined)[] {
  const vocabulary = tokenizer.get_vocab();
  if (!(vocabulary instanceof Map) || vocabulary.size === 0)
    throw new TypeError(
      `The tokenizer's get_vocab() returned ${describeValue(vocabulary)}: it must return a Map with entries.`,
    );
  const names: (string | undefined)[] = [];
  for (const [name, token] of vocabulary) {
    while (names.length <= token) names.push(undefined);
    names[token] = name;
  }
  return names;
}

/** The texts of added tokens. Special tokens have no text. */
function addedTexts(list: unknown): ReadonlyMap<number, Uint8Array> {
  const texts = new Map<number, Uint8Array>();
  for (const token of Array.isArray(list) ? list : []) {
    if (!isRecord(token) || typeof token.id !== "number" || typeof token.content !== "string") continue;
    texts.set(token.id, encodeUtf8(token.special === true ? "" : token.content));
  }
  return texts;
}

/**
 * Encodes a text as a continuation. Some tokenizers add a space before every text, so the text is encoded after a line
 * break; the last tokens that make up exactly the text are its spelling.
 */
function encodeContinuation(
  tokenizer: TransformersTokenizer,
  tokenBytes: (token: number) => Uint8Array,
  text: string,
): number[] {
  const encode = (whole: string) => tokenizer.encode(whole, { add_special_tokens: false });
  const alone = encode(text);
  const wanted = encodeUtf8(text).length;
  const length = (tokens: readonly number[]) =>
    tokens.reduce((sum, token) => sum + tokenBytes(token).length, 0);
  if (length(alone) === wanted) return alone;
  const behind = encode(`\n${text}`);
  for (let from = behind.length - 1; from > 0; from--)
    if (length(behind.slice(from)) === wanted) return behind.slice(from);
  return alone;
}
