import { expect, test } from "vitest";
import type { CatalogEntry } from "../../api/catalog.ts";
import { modelFacts, modelOrigin } from "./model-facts.ts";

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
  [{}, "q4 weights · 183 MB · 8,192 tokens of context · MIT"],
  [
    { reference: int8, downloadBytes: 138_000_000 },
    "fp16 or int8 weights · 138 MB · 8,192 tokens of context · MIT",
  ],
  [{ contextLength: 0, downloadBytes: 0, needs: ["shader-f16"] }, "q4 weights · MIT · needs shader-f16"],
])("%o: %s", (changes, facts) => {
  expect(modelFacts({ ...entry, ...changes })).toBe(facts);
});

test.each([
  ["page", "comes with the page"],
  ["hub", "from Hugging Face"],
  ["folder", "from your folder"],
] as const)("%s: %s", (origin, words) => {
  expect(modelOrigin({ ...entry, origin })).toBe(words);
});
