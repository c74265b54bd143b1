import { expect, test } from "vitest";
import { defaultMemoryBudgetSentence, loadedModelsSentence, modelMemorySentence } from "./memory-labels.ts";

const memory = { bytes: 4e8, textBytes: 0, modelCount: 1, budgetBytes: 4e9, model: null };
const cache = { bytes: 23_592_960, tokens: 512, mostBytes: 94_371_840, mostTokens: 2048 };

test("a model with its cache: now, and at most", () => {
  expect(modelMemorySentence(memory)).toBeNull();
  expect(modelMemorySentence({ ...memory, model: { bytes: 3e8, cache } })).toBe(
    "This model uses 300 MB of memory, including 24 MB for the text so far (the KV cache), with room for 512 tokens. The cache grows in steps, up to 94 MB for 2,048 tokens.",
  );
  const whole = { ...cache, tokens: 2048, bytes: cache.mostBytes };
  expect(modelMemorySentence({ ...memory, model: { bytes: 3e8, cache: whole } })).toBe(
    "This model uses 300 MB of memory, including 94 MB for the text so far (the KV cache). The cache has room for 2,048 tokens, the longest text that the model can read.",
  );
  // One that holds what there is, without room of its own.
  const exact = { ...cache, tokens: 2048, bytes: 1e6 };
  expect(modelMemorySentence({ ...memory, model: { bytes: 3e8, cache: exact } })).toBe(
    "This model uses 300 MB of memory, including 1.0 MB for the text so far (the KV cache). The cache grows in steps, up to 94 MB for 2,048 tokens.",
  );
  expect(modelMemorySentence({ ...memory, model: { bytes: 3e8, cache: null } })).toBe(
    "This model uses 300 MB of memory.",
  );
});

test("a model on a server takes no memory here: nothing is said", () => {
  expect(modelMemorySentence({ ...memory, model: { bytes: 0, cache: null } })).toBeNull();
});

test("a model whose layers are open: what that takes", () => {
  const layers = " The layers of this model can be read and steered; this uses about 113 MB of the memory.";
  const model = { bytes: 3e8, lensBytes: 113e6 };
  expect(modelMemorySentence({ ...memory, model: { ...model, cache: null } })).toBe(
    `This model uses 300 MB of memory.${layers}`,
  );
  expect(modelMemorySentence({ ...memory, model: { ...model, cache } })).toMatch(
    new RegExp(`for 2,048 tokens\\.${layers}$`),
  );
  expect(modelMemorySentence({ ...memory, model: { ...model, lensBytes: 0, cache: null } })).toBe(
    "This model uses 300 MB of memory. The layers of this model can be read and steered.",
  );
});

test("several models, and the default of the budget", () => {
  expect(loadedModelsSentence(memory)).toBeNull();
  expect(loadedModelsSentence({ ...memory, modelCount: 2 })).toBe(
    "2 models are loaded and use 400 MB of the 4.0 GB limit.",
  );
  expect(defaultMemoryBudgetSentence(4e9, 8e9)).toBe("Default: 4.0 GB (half of this device’s memory).");
  expect(defaultMemoryBudgetSentence(4e9, null)).toBe(
    "Default: 4.0 GB (this browser does not report the device’s memory).",
  );
});
