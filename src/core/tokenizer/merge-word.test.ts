/** Merges of long words equal those of the library, for every word. */
import { BPE, Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, test } from "vitest";
import { randomBits, uniformRandom } from "../base/random.ts";
import { runToEnd } from "../base/resumable-work.ts";
import { createTokenizer } from "./create-tokenizer.ts";
import { mergeWord } from "./merge-word.ts";
import { repositoryTokenizerData } from "./testing/repository-tokenizers.ts";
import { sentencePieceFiles } from "./testing/sentencepiece.ts";

const samples = ["=", "a", "ab", "#-", "the quick brown fox ", "é語🙂", "x 1\n", "        "];

/** Words of random parts, so that pairs of many ranks are neighbours and repeat. */
function randomWord(seed: number, length: number): string {
  let word = "";
  for (let i = 0; word.length < length; i++) {
    const sample = samples[randomBits(seed, 3 * i) % samples.length] ?? "";
    word += sample.repeat(1 + Math.floor(uniformRandom(seed, 3 * i + 1) ** 4 * 40));
  }
  return word.slice(0, length);
}

describe.each(["stories260k", "smollm2-135m"] as const)("%s", (name) => {
  const files = repositoryTokenizerData(name);
  const library = () => new Tokenizer(structuredClone(files.tokenizerJson), files.tokenizerConfig);

  test("a word is merged as in the library", () => {
    const { model } = library();
    if (!(model instanceof BPE)) throw new Error("The model is no BPE.");
    for (let seed = 0; seed < 60; seed++) {
      const word = randomWord(seed, 1 + (seed < 50 ? seed * 3 : seed * 40)).replaceAll(" ", "Ġ");
      expect(runToEnd(mergeWord(word, model.bpe_ranks))).toEqual(model.bpe(word));
    }
  });

  test("a long text has the library's tokens, at once and in steps", () => {
    const tokenizer = createTokenizer(files);
    const plain = library();
    for (const text of [
      ...samples.map((sample) => sample.repeat(21_000 / sample.length)),
      randomWord(7, 30_000),
    ]) {
      const expected = plain.encode(text, { add_special_tokens: false }).ids;
      expect(tokenizer.encodePrompt(text)).toEqual(expected);
      expect(runToEnd(tokenizer.encodeInSteps(text, "template"))).toEqual(expected);
      expect(runToEnd(tokenizer.encodeInSteps(text, "whole text"))).toEqual(plain.encode(text).ids);
    }
  });
});

test("a long word is merged in steps, each of a bounded number of merges", () => {
  const tokenizer = createTokenizer({ ...sentencePieceFiles("metaspace"), eosTokenIds: [] });
  const steps = tokenizer.encodeInSteps("the cat ".repeat(5_000), "template");
  let count = 0;
  while (!steps.next().done) count++;
  expect(count).toBeGreaterThan(40);
});
