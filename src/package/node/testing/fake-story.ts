/** A fake llama.cpp server with the vocabulary of the bundled model. Its most likely tokens depend on the whole preceding text. */

import { loadBundleWithoutWeights } from "../../../runtime/engine/load/load-model.ts";
import {
  type FakeLlama,
  type FakeLlamaOptions,
  startFakeLlama,
} from "../../../runtime/remote/testing/fake-llama.ts";
import { createFolderSource } from "../folder-source.ts";
import { bundledModel } from "./test-terminal.ts";

const vocabularySize = 512;

/** Answers in llama.cpp's formats. */
export async function startFakeStoryServer(options: Partial<FakeLlamaOptions> = {}): Promise<FakeLlama> {
  return startFakeLlama({ ...(await fakeStoryServerOptions()), ...options });
}

/** The options with which a fake server of any kind serves the bundled model. */
export async function fakeStoryServerOptions() {
  const dtype = { webgpu: "fp32", wasm: "fp32" };
  const reference = { id: "stories260k", url: "file:///stories260k/", revision: null, dtype };
  const { tokenizer } = await loadBundleWithoutWeights(reference, vocabularySize, {
    source: createFolderSource(bundledModel),
  });
  const textOf = (tokens: readonly number[]) => tokenizer.decode(tokens);
  return { vocabularySize, contextLength: 512, rowAfter: storyLogprobsAfter, textOf };
}

/**
 * Log-probabilities in which four tokens, which depend on the text, have nearly all of the probability. None of them ends a
 * story.
 */
export function storyLogprobsAfter(prompt: readonly number[]): readonly number[] {
  let state = 17;
  for (const token of prompt) state = (Math.imul(state, 31) + token) >>> 0;
  const chosen = [0, 1, 2, 3].map((place) => 260 + ((state >>> (4 * place)) % 250));
  const row = new Array<number>(vocabularySize).fill(-20);
  for (const [place, token] of chosen.entries()) row[token] = -1.2 - 0.2 * place;
  const sum = row.reduce((total, logprob) => total + Math.exp(logprob), 0);
  return row.map((logprob) => logprob - Math.log(sum));
}
