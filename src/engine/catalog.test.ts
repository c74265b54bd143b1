import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CatalogError, parseCatalog } from "./catalog.ts";
import { graphPath } from "./files.ts";

const page = "https://example.org/some/path/index.html";
const committed: unknown = JSON.parse(readFileSync("models.json", "utf8"));

describe("the committed models.json", () => {
  const [bundled, ...others] = parseCatalog(committed, page);

  test("begins with the bundled model, whose files are there and weigh what it says", () => {
    expect(bundled?.reference).toEqual({
      id: "stories260k",
      url: "https://example.org/some/path/models/stories260k/",
      revision: null,
      dtype: { webgpu: "fp32", wasm: "fp32" },
    });
    const folder = "public/models/stories260k";
    const graph = graphPath(bundled?.reference.dtype.webgpu ?? "");
    const files = ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", graph];
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bundled?.downloadBytes).toBe(bytes);
    expect(existsSync(join(folder, graphPath("q4")))).toBe(true);
    const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    expect(bundled?.contextLength).toBe(config.max_position_embeddings);
  });

  test("lists SmolLM2-135M-Instruct from the hub", () => {
    expect(others.map(({ reference, hub, licence }) => ({ reference, hub, licence }))).toEqual([
      {
        reference: {
          id: "onnx-community/SmolLM2-135M-Instruct-ONNX",
          url: "https://huggingface.co/onnx-community/SmolLM2-135M-Instruct-ONNX/resolve/main/",
          revision: "main",
          dtype: { webgpu: "q4", wasm: "q4" },
        },
        hub: "onnx-community/SmolLM2-135M-Instruct-ONNX",
        licence: "Apache-2.0",
      },
    ]);
  });
});

const good = {
  id: "tiny",
  title: "Tiny",
  description: "Small.",
  url: "models/tiny/",
  dtype: { webgpu: "q4f16", wasm: "fp32" },
  licence: "MIT",
  contextLength: 512,
  downloadBytes: 1000,
  needs: ["shader-f16"],
  suggestedPrompt: "Hello",
};
const list = (...models: unknown[]) => ({ models });
const { url: _, ...withoutUrl } = good;

test("an entry with everything is read", () => {
  expect(parseCatalog(list(good), page)).toEqual([
    {
      title: "Tiny",
      description: "Small.",
      reference: {
        id: "tiny",
        url: "https://example.org/some/path/models/tiny/",
        revision: null,
        dtype: good.dtype,
      },
      origin: "page",
      hub: null,
      licence: "MIT",
      contextLength: 512,
      downloadBytes: 1000,
      needs: ["shader-f16"],
      suggestedPrompt: "Hello",
    },
  ]);
});

const refusals: [string, unknown, string][] = [
  ["no object", [], 'models.json must hold an object with a list "models"'],
  ["no models", list(), "at least one model"],
  ["a model that is no object", list(7), 'model number 1: "model" is 7; it must be an object.'],
  ["no id", list({ ...good, id: undefined }), 'model number 1: "id" is missing; it must be a text.'],
  ["an empty title", list({ ...good, title: " " }), 'model "tiny": "title" is " "; it must be a text.'],
  ["a misspelt field", list({ ...good, license: "MIT" }), '"license" is "MIT"; it must be one of id, title'],
  ["neither url nor hub", list(withoutUrl), '"url" is missing; it must be given, or "hub" in its place'],
  ["both", list({ ...good, hub: "a/b", revision: "main" }), "and not both"],
  ["no folder", list({ ...good, url: "models/tiny" }), "the address of a folder, ending in /"],
  ["a script as address", list({ ...good, url: "javascript:alert(1)/" }), "the address of a folder"],
  [
    "a hub id of one part",
    list({ ...withoutUrl, hub: "b", revision: "main" }),
    '"hub" is "b@main"; it must be a model of the hub',
  ],
  ["a hub model without revision", list({ ...withoutUrl, hub: "a/b" }), '"revision" is missing'],
  ["a revision of a plain folder", list({ ...good, revision: "main" }), 'it must be left out beside "url"'],
  [
    "an unknown dtype",
    list({ ...good, dtype: { webgpu: "q5", wasm: "fp32" } }),
    '"dtype.webgpu" is "q5"; it must be a dtype',
  ],
  ["half a dtype", list({ ...good, dtype: { webgpu: "q4" } }), '"dtype.wasm" is missing; it must be a text.'],
  [
    "a context of 0",
    list({ ...good, contextLength: 0 }),
    '"contextLength" is 0; it must be a whole number above 0.',
  ],
  ["bytes as text", list({ ...good, downloadBytes: "1 MB" }), '"downloadBytes" is "1 MB"'],
  [
    "an unknown need",
    list({ ...good, needs: ["luck"] }),
    '"needs" is "luck"; it must be a list of webgpu, shader-f16.',
  ],
  ["an id twice", list(good, good), 'lists the id "tiny" twice'],
];

test.each(refusals)("%s is refused", (_name, json, message) => {
  expect(() => parseCatalog(json, page)).toThrow(CatalogError);
  expect(() => parseCatalog(json, page)).toThrow(message);
});
