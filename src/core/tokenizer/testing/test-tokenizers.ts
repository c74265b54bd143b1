/** The tokenizers of tests and benches: two of the repository, and a larger one that may lie beside the models. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { folderBesideModels } from "../../../../scripts/models-folder.ts";
import type { JsonObject, TokenizerData } from "../create-tokenizer.ts";

const root = resolve(import.meta.dirname, "../../../..");

const known = {
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
  "qwen3-0.6b": {
    folder: folderBesideModels("tokenizers/qwen3-0.6b"),
    vocabSize: 151_936,
    eosTokenIds: [151_645, 151_643],
  },
} as const;

export type TestTokenizerName = keyof typeof known;
export const testTokenizerNames = Object.keys(known) as readonly TestTokenizerName[];

/** False where the files are not in the repository and do not lie beside the models either. */
export function hasTestTokenizer(name: TestTokenizerName): boolean {
  return known[name].folder !== null;
}

/** Read anew at each call, so that a test may change it. @throws Error if `hasTestTokenizer` is false. */
export function testTokenizerData(name: TestTokenizerName): TokenizerData {
  const { folder, vocabSize, eosTokenIds } = known[name];
  if (folder === null)
    throw new Error(
      `The tokenizer ${name} is not in the repository. Set MIDTOKEN_MODELS to the folder of test models, beside which it lies in tokenizers/${name}.`,
    );
  return { ...readTokenizerFolder(folder), vocabSize, eosTokenIds };
}

/** The tokenizer's files in a model folder, whichever way they are kept. */
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
 * Puts the merges and the entries that they make into a `tokenizer.json` that was kept without them.
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
