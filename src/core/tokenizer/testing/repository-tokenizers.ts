/**
 * The tokenizers in the repository. They are separate from `test-tokenizers.ts`, so that tests which need only these do not
 * depend on the folder of test models: `.ci/run` runs tests that depend on this folder twice.
 */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { JsonObject, TokenizerData } from "../create-tokenizer.ts";

const root = resolve(import.meta.dirname, "../../../..");

/** A folder with a tokenizer's files, and the numbers that the files do not state. */
export interface TokenizerFolder extends Pick<TokenizerData, "vocabSize" | "eosTokenIds"> {
  readonly folder: string;
}

export const repositoryTokenizers = {
  stories260k: {
    folder: join(root, "public/models/stories260k"),
    vocabSize: 512,
    eosTokenIds: [1, 2],
  },
  "smollm2-135m": {
    folder: join(import.meta.dirname, "smollm2-135m"),
    vocabSize: 49_152,
    eosTokenIds: [2],
  },
} as const satisfies Readonly<Record<string, TokenizerFolder>>;

export type RepositoryTokenizerName = keyof typeof repositoryTokenizers;
export const repositoryTokenizerNames = Object.keys(
  repositoryTokenizers,
) as readonly RepositoryTokenizerName[];

/** Reads the files at each call, so that a test may change the result. */
export function repositoryTokenizerData(name: RepositoryTokenizerName): TokenizerData {
  return readDataInFolder(repositoryTokenizers[name]);
}

export function readDataInFolder({ folder, vocabSize, eosTokenIds }: TokenizerFolder): TokenizerData {
  return { ...readTokenizerFolder(folder), vocabSize, eosTokenIds };
}

/** Reads the tokenizer's files from a model folder, in either form in which they are stored. */
export function readTokenizerFolder(
  folder: string,
): Pick<TokenizerData, "tokenizerJson" | "tokenizerConfig"> {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const has = (file: string) => existsSync(join(folder, file));
  const tokenizerJson: JsonObject = JSON.parse(read("tokenizer.json"));
  const tokenizerConfig: JsonObject = JSON.parse(read("tokenizer_config.json"));
  return {
    tokenizerJson: has("merges.txt") ? withMerges(tokenizerJson, read("merges.txt")) : tokenizerJson,
    tokenizerConfig: has("chat_template.jinja")
      ? { ...tokenizerConfig, chat_template: read("chat_template.jinja") }
      : tokenizerConfig,
  };
}

/**
 * Adds merges, and the entries that they make, to a `tokenizer.json` that is stored without merges.
 * @param text one merge on each line, for example `Ġ t`, which makes the next entry, `Ġt`.
 */
function withMerges(tokenizerJson: JsonObject, text: string): JsonObject {
  const model = tokenizerJson.model as JsonObject;
  const merges = text.trimEnd().split("\n");
  const vocab = { ...(model.vocab as Record<string, number>) };
  const first = Object.keys(vocab).length;
  for (const [index, merge] of merges.entries()) vocab[merge.replace(" ", "")] = first + index;
  return { ...tokenizerJson, model: { ...model, vocab, merges } };
}
