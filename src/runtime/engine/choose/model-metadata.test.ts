import { expect, test } from "vitest";
import { modelMetadataOf } from "./model-metadata.ts";

const llama = {
  model_type: "llama",
  vocab_size: 49_152,
  hidden_size: 576,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  num_hidden_layers: 30,
};
const sizes = {
  vocabularySize: 49_152,
  hiddenSize: 576,
  attentionLayers: 30,
  keyValueHeads: 3,
  headSize: 64,
};

test.each<[string, Record<string, unknown>, unknown]>([
  ["head size from the width", llama, sizes],
  ["head size as it is said", { ...llama, head_dim: 128 }, { ...sizes, headSize: 128 }],
  [
    "as many key/value heads as heads",
    { ...llama, num_key_value_heads: null },
    { ...sizes, keyValueHeads: 9 },
  ],
  ["of a text model inside another", { model_type: "gemma3", text_config: llama }, sizes],
  [
    "of a hybrid model",
    { ...llama, num_hidden_layers: 3, layer_types: ["conv", "full_attention", "conv"] },
    { ...sizes, attentionLayers: 1, stateLayers: 2 },
  ],
  [
    "with windows",
    { ...llama, num_hidden_layers: 2, layer_types: ["sliding_attention", "full_attention"] },
    { ...sizes, attentionLayers: 2 },
  ],
  ["layer types that do not fit", { ...llama, layer_types: ["conv"] }, sizes],
  ["a missing size", { ...llama, vocab_size: undefined }, null],
  ["a size that is no number", { ...llama, hidden_size: "576" }, null],
  ["a head of a fraction", { ...llama, num_attention_heads: 7 }, null],
  ["nothing", {}, null],
])("%s", (_, config, architecture) => {
  expect(modelMetadataOf(config).architecture).toEqual(architecture);
});

test.each([
  ["gemma3_text", true],
  ["gemma3", true],
  ["gemma2", false],
  ["llama", false],
])("%s does not fit float16: %s", (model_type, overflows) => {
  expect(modelMetadataOf({ model_type }).float16Overflows).toBe(overflows);
});
