/** Measures the memory of the largest tokenizers that a model folder may have: each is as large as one limit allows. */
import { expect, test } from "vitest";
import { randomBits } from "../base/random.ts";
import { measureRetainedMemory, megabyte } from "../base/testing/retained-memory.ts";
import { createTokenizer, type JsonObject } from "./create-tokenizer.ts";
import { sentencePieceFiles } from "./testing/sentencepiece.ts";
import { tokenizerLimits } from "./tokenizer-limits.ts";

const parts = { normalizer: null, pre_tokenizer: null, post_processor: null, decoder: { type: "ByteLevel" } };

/** Texts with different beginnings, so that a search tree can share no nodes. */
function randomText(length: number, seed: number): string {
  let text = "";
  for (let i = 0; text.length < length; i++) text += randomBits(seed, i).toString(36);
  return text.slice(0, length);
}

const texts = (count: number, length: number) =>
  Array.from({ length: count }, (_, seed) => randomText(length, seed));

/** A quarter of what a limit allows, so that the test is short. */
const share = 0.25;

const largest: readonly (readonly [string, number, () => object])[] = [
  [
    "added tokens of many characters",
    400,
    () => ({
      ...parts,
      added_tokens: texts((tokenizerLimits.addedCharacters * share) / 12_500, 12_500).map((content, id) => ({
        id,
        content,
        special: false,
        normalized: false,
      })),
      model: { type: "BPE", vocab: { a: 0 }, merges: [] },
    }),
  ],
  [
    "many added tokens",
    250,
    () => ({
      ...parts,
      added_tokens: Array.from({ length: tokenizerLimits.addedTokens * share }, (_, id) => ({
        id,
        content: `<${id}>`,
        special: true,
        normalized: true,
      })),
      model: { type: "BPE", vocab: { a: 0 }, merges: [] },
    }),
  ],
  [
    "a Unigram model of many characters",
    1_000,
    () => ({
      ...parts,
      added_tokens: [],
      model: {
        type: "Unigram",
        unk_id: 0,
        vocab: texts((tokenizerLimits.unigramCharacters * share) / 100, 100).map((text, i) => [text, -i]),
      },
    }),
  ],
  [
    "many merges",
    600,
    () => ({
      ...parts,
      added_tokens: [],
      model: {
        type: "BPE",
        vocab: { a: 0 },
        merges: Array.from({ length: tokenizerLimits.merges * share }, (_, i) => [`left${i}`, `r${i}`]),
      },
    }),
  ],
];

test.each(largest)("%s: at most %i MB at the limit", async (_, most, make) => {
  const tokenizerJson = make() as JsonObject;
  const data = { tokenizerJson, tokenizerConfig: {}, vocabSize: 2 ** 20, eosTokenIds: [] };
  const limit = most * megabyte * share;
  const { value, bytes } = await measureRetainedMemory(() => createTokenizer(data), limit);
  expect(value.vocabSize).toBe(2 ** 20);
  expect(bytes).toBeLessThan(limit);
});

test("words that a tokenizer remembers take a bounded part of memory", async () => {
  const data = sentencePieceFiles("metaspace");
  const tokenizer = createTokenizer({ ...data, eosTokenIds: [] });
  const { bytes } = await measureRetainedMemory(() => {
    for (let seed = 0; seed < 10_500; seed++) tokenizer.encodePrompt(randomText(250, seed));
  });
  expect(bytes).toBeLessThan(50 * megabyte);
});
