import { expect, test } from "vitest";
import type { JudgedWeights } from "../../../runtime/session/page-side/available-weights.ts";
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";
import {
  downloadSizeLabel,
  formatParameters,
  kvCacheSizeLabel,
  modelCaution,
  modelListHeading,
  modelMetadataLine,
  modelOrigin,
  weightsFitnessNote,
} from "./model-metadata.ts";

const entry: CatalogEntry = {
  title: "Tiny",
  description: "Small.",
  tier: "tiny",
  parameters: 135_000_000,
  architecture: null,
  chatTemplate: null,
  weights: [{ dtype: "q4", bytes: 183_000_000 }],
  float16Overflows: false,
  measured: true,
  reference: { id: "tiny", url: "https://a.example/", revision: null, dtype: { webgpu: "q4", wasm: "q4" } },
  origin: "hub",
  hub: "a/tiny",
  licence: "MIT",
  contextLength: 8192,
  downloadBytes: 183_000_000,
  needs: [],
  suggestedPrompt: "",
};
const int8 = { ...entry.reference, dtype: { webgpu: "fp16", wasm: "int8" } };

test.each<[Partial<CatalogEntry>, string]>([
  [{}, "135M parameters · q4 weights · 8,192 tokens of context · MIT"],
  [{ reference: int8, parameters: null }, "fp16 or int8 weights · 8,192 tokens of context · MIT"],
  [{ contextLength: 0, needs: ["shader-f16"] }, "135M parameters · q4 weights · MIT · needs shader-f16"],
])("%o: %s", (changes, facts) => {
  expect(modelMetadataLine({ ...entry, ...changes })).toBe(facts);
});

test.each([
  ["page", "comes with the page"],
  ["hub", "from Hugging Face"],
  ["folder", "from your folder"],
] as const)("%s: %s", (origin, words) => {
  expect(modelOrigin({ ...entry, origin })).toBe(words);
});

test.each([
  [260_032, "260K"],
  [135_000_000, "135M"],
  [1_000_000_000, "1B"],
  [1_700_000_000, "1.7B"],
])("%i parameters are %s", (count, words) => {
  expect(formatParameters(count)).toBe(words);
});

test.each<[Partial<CatalogEntry>, string]>([
  [{}, "183 MB"],
  [{ measured: false }, "about 183 MB"],
  [{ downloadBytes: 0 }, "size not known"],
])("%j is downloaded: %s", (changes, words) => {
  expect(downloadSizeLabel({ ...entry, ...changes })).toBe(words);
});

test.each([
  ["page", "story", "Saved in this browser"],
  ["folder", null, "Saved in this browser"],
  ["hub", "tiny", "Tiny: runs on any device"],
  ["hub", "large", "Large: needs 8 GB of memory and is slow"],
  ["hub", null, "Tiny: runs on any device"],
] as const)("%s, %s: under %s", (origin, tier, group) => {
  expect(modelListHeading({ ...entry, origin, tier })).toBe(group);
});

const good: JudgedWeights = {
  dtype: "q4f16",
  bytes: 570e6,
  device: "webgpu",
  fitness: "good",
  reason: "q4f16 weights run well on WebGPU.",
  isRecommended: true,
};
const poor: JudgedWeights = {
  ...good,
  dtype: "q4",
  device: "wasm",
  fitness: "poor",
  reason: "They are slow.",
};
const never: JudgedWeights = {
  ...poor,
  fitness: "impossible",
  reason: "There is no GPU.",
  isRecommended: false,
};

test.each<[JudgedWeights, string, string | null]>([
  [good, "recommended, on WebGPU", null],
  [{ ...good, isRecommended: false }, "on WebGPU", null],
  [poor, "the best choice for this device. They are slow.", "They are slow."],
  [never, "There is no GPU.", "Does not run here. There is no GPU."],
])("weights in words: %#", (weights, words, caution) => {
  expect(weightsFitnessNote(weights)).toBe(words);
  const cacheBytes = { float16: 114_688, float32: 229_376 };
  const available = { weights: [weights], refused: [], dtype: null, cacheBytes, contextLength: 0 };
  expect(modelCaution(available)).toBe(caution);
  expect(kvCacheSizeLabel(available)).toBe(
    weights.dtype === "q4f16"
      ? "The KV cache uses 115 MB of memory per 1,000 tokens (float16)"
      : "The KV cache uses 229 MB of memory per 1,000 tokens (float32)",
  );
  expect(kvCacheSizeLabel({ ...available, cacheBytes: null })).toBeNull();
});
