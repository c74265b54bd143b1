import { expect, test } from "vitest";
import type { CatalogEntry } from "../../session/catalog.ts";
import { modelFacts } from "./model-facts.ts";

const entry: CatalogEntry = {
  title: "Tiny",
  description: "Small.",
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
  [{}, "from Hugging Face · q4 weights · 183 MB · 8,192 tokens of context · MIT"],
  [
    { origin: "folder", reference: int8, downloadBytes: 138_000_000 },
    "from your folder · fp16 or int8 weights · 138 MB · 8,192 tokens of context · MIT",
  ],
  [
    { origin: "page", contextLength: 0, downloadBytes: 0, needs: ["shader-f16"] },
    "comes with the page · q4 weights · MIT · needs shader-f16",
  ],
])("%o: %s", (changes, facts) => {
  expect(modelFacts({ ...entry, ...changes })).toBe(facts);
});
