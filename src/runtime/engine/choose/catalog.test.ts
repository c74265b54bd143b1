import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { modelGraphPath } from "../base/dtype.ts";
import { CatalogError, type ChatTemplateMetadata, cacheBytesPerToken, parseCatalog } from "./catalog.ts";

const page = "https://example.org/some/path/index.html";
const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const committed = readJson("models.json");
const fitsSchema = new Ajv({ allErrors: true }).compile(readJson("models.schema.json") as object);

describe("the committed models.json", () => {
  const entries = parseCatalog(committed, page);
  const [bundled, ...others] = entries;

  test("fits its schema", () => {
    expect([fitsSchema(committed), fitsSchema.errors]).toEqual([true, null]);
  });

  test("begins with the bundled model, whose files are what it says", () => {
    expect(bundled?.reference).toEqual({
      id: "stories260k",
      url: "https://example.org/some/path/models/stories260k/",
      revision: null,
      dtype: { webgpu: "fp32", wasm: "fp32" },
    });
    const folder = "public/models/stories260k";
    const sizes = bundled?.weights.map(({ dtype }) => statSync(join(folder, modelGraphPath(dtype))).size);
    expect(bundled?.weights.map(({ bytes }) => bytes)).toEqual(sizes);
    expect(bundled?.downloadBytes).toBe(sizes?.[0]);
    const config = readJson(join(folder, "config.json")) as Record<string, number>;
    expect(bundled?.contextLength).toBe(config.max_position_embeddings);
    expect(bundled?.architecture).toEqual({
      vocabularySize: config.vocab_size,
      hiddenSize: config.hidden_size,
      attentionLayers: config.num_hidden_layers,
      keyValueHeads: config.num_key_value_heads,
      headSize: config.head_dim,
    });
  });

  test("says of no model of the hub that it was measured before it was", () => {
    expect(others).toHaveLength(14);
    for (const { origin, measured, tier } of others) expect([origin, measured, tier]).not.toContain("story");
    expect(others.filter(({ measured }) => measured)).toEqual([]);
  });

  /** Bytes of the KV cache per token in float16, from reference/inference.md. */
  test.each([
    ["SmolLM2-135M-Instruct-ONNX", 23_040],
    ["SmolLM2-360M-Instruct-ONNX", 40_960],
    ["gemma-3-270m-it-ONNX", 18_432],
    ["LFM2-350M-ONNX", 12_288],
    ["granite-4.0-350m-ONNX-web", 28_672],
    ["Qwen2.5-0.5B-Instruct", 12_288],
    ["Qwen3-0.6B-ONNX", 114_688],
    ["gemma-3-1b-it-ONNX-GQA", 26_624],
    ["LFM2.5-1.2B-Instruct-ONNX", 12_288],
    ["Llama-3.2-1B-Instruct-ONNX", 32_768],
    ["Qwen3-1.7B-ONNX", 114_688],
    ["granite-4.0-micro-ONNX-web", 81_920],
    ["Phi-4-mini-instruct-ONNX-GQA", 131_072],
    ["Qwen3-4B-ONNX", 147_456],
  ])("%s takes %i bytes of cache per token in float16, and twice that in float32", (name, bytes) => {
    const entry = entries.find(({ reference }) => reference.id.endsWith(`/${name}`));
    if (!entry?.architecture) throw new Error(`${name} is not listed.`);
    expect(cacheBytesPerToken(entry.architecture, 2)).toBe(bytes);
    expect(cacheBytesPerToken(entry.architecture, 4)).toBe(2 * bytes);
  });
});

const architecture = {
  vocabularySize: 512,
  hiddenSize: 64,
  attentionLayers: 5,
  keyValueHeads: 4,
  headSize: 16,
};
const chatTemplate = { format: "chatml", toolCalls: "hermes", thinking: true };
const good = {
  id: "tiny",
  title: "Tiny",
  description: "Small.",
  tier: "tiny",
  url: "models/tiny/",
  dtype: { webgpu: "q4f16", wasm: "fp32" },
  weights: [
    { dtype: "fp32", bytes: null },
    { dtype: "q4f16", bytes: 1000 },
  ],
  parameters: 260_000,
  contextLength: 512,
  licence: "MIT",
  chatTemplate,
  architecture,
  needs: ["shader-f16"],
  float16Overflows: true,
  measured: false,
  source: "Somebody's notes",
  suggestedPrompt: "Hello",
};
const list = (...models: unknown[]) => ({ models });
const { url: _, ...withoutUrl } = good;
const { dtype: __, float16Overflows: ___, ...withoutChoices } = good;

/** The type makes the compiler require every format. */
const toolFormats: Readonly<Record<NonNullable<ChatTemplateMetadata["toolCalls"]>, true>> = {
  hermes: true,
  llama3: true,
  lfm2: true,
  granite: true,
};

test("the schema knows each format of tool calls", () => {
  const withFormat = (toolCalls: string) => list({ ...good, chatTemplate: { ...chatTemplate, toolCalls } });
  const names = Object.keys(toolFormats);
  expect(names.filter((name) => !fitsSchema(withFormat(name)))).toEqual([]);
  expect(fitsSchema(withFormat("unknown"))).toBe(false);
});

test("an entry with everything is read", () => {
  expect(fitsSchema(list(good))).toBe(true);
  expect(parseCatalog(list(good), page)).toEqual([
    {
      title: "Tiny",
      description: "Small.",
      tier: "tiny",
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
      parameters: 260_000,
      architecture,
      chatTemplate,
      weights: good.weights,
      float16Overflows: true,
      downloadBytes: 1000,
      needs: ["shader-f16"],
      measured: false,
      suggestedPrompt: "Hello",
    },
  ]);
});

test("where the weights are not fixed, they are chosen later", () => {
  const bare = { ...withoutChoices, chatTemplate: null, architecture: { ...architecture, stateLayers: 2 } };
  expect(fitsSchema(list(bare))).toBe(true);
  expect(parseCatalog(list(bare), page)).toMatchObject([
    {
      reference: { dtype: { webgpu: "auto", wasm: "auto" } },
      float16Overflows: false,
      chatTemplate: null,
      architecture: { stateLayers: 2 },
      downloadBytes: 0,
    },
  ]);
});

const refusals: [string, unknown, string][] = [
  ["no object", [], 'models.json must contain an object with a list "models"'],
  ["no models", list(), "at least one model"],
  ["something beside the models", { ...list(good), version: 1 }, 'unknown field "version"'],
  ["a model that is no object", list(7), 'model number 1: "model" is 7; it must be an object.'],
  [
    "no id",
    list({ ...good, id: undefined }),
    'model number 1: "id" is missing; it must be a non-empty string.',
  ],
  [
    "an empty title",
    list({ ...good, title: " " }),
    'model "tiny": "title" is " "; it must be a non-empty string.',
  ],
  [
    "a misspelt field",
    list({ ...good, license: "MIT" }),
    '"license" is "MIT"; it must be a known field. Did you mean "licence"?',
  ],
  ["an unknown tier", list({ ...good, tier: "huge" }), '"tier" is "huge"; it must be one of story, tiny'],
  ["neither url nor hub", list(withoutUrl), '"url" is missing; it must be given if "hub" is not'],
  ["both", list({ ...good, hub: "a/b", revision: "main" }), 'left out if "hub" is given'],
  ["no folder", list({ ...good, url: "models/tiny" }), "the address of a folder, ending in /"],
  [
    "a hub id of one part",
    list({ ...withoutUrl, hub: "b", revision: "main" }),
    '"hub" is "b@main"; it must be the id and the revision of a model on Hugging Face: "b" is not the id',
  ],
  ["a hub model without revision", list({ ...withoutUrl, hub: "a/b" }), '"revision" is missing'],
  [
    "a revision of a plain folder",
    list({ ...good, revision: "main" }),
    'it must be left out if "url" is given',
  ],
  [
    "an unknown dtype",
    list({ ...good, dtype: { webgpu: "q5", wasm: "fp32" } }),
    '"dtype.webgpu" is "q5"; it must be a dtype: one of fp32,',
  ],
  ["half a dtype", list({ ...good, dtype: { webgpu: "q4" } }), '"dtype.wasm" is missing; it must be a dtype'],
  [
    "no weights",
    list({ ...good, weights: [] }),
    '"weights" is []; it must be a list with at least one entry',
  ],
  ["weights of no type", list({ ...good, weights: [{ bytes: 7 }] }), '"weights[0].dtype" is missing'],
  ["weights of no bytes", list({ ...good, weights: [{ dtype: "q4", bytes: 0 }] }), '"weights[0].bytes" is 0'],
  [
    "a context of 0",
    list({ ...good, contextLength: 0 }),
    '"contextLength" is 0; it must be a whole number above 0.',
  ],
  ["parameters as text", list({ ...good, parameters: "1B" }), '"parameters" is "1B"'],
  ["no architecture", list({ ...good, architecture: null }), '"architecture" is null; it must be an object'],
  [
    "half a head",
    list({ ...good, architecture: { ...architecture, headSize: 0.5 } }),
    '"architecture.headSize" is 0.5',
  ],
  [
    "an unknown template",
    list({ ...good, chatTemplate: { ...chatTemplate, format: "x" } }),
    '"chatTemplate.format" is "x"',
  ],
  [
    "an unknown need",
    list({ ...good, needs: ["luck"] }),
    '"needs[0]" is "luck"; it must be one of webgpu, shader-f16.',
  ],
  [
    "a doubt about float16",
    list({ ...good, float16Overflows: false }),
    '"float16Overflows" is false; it must be one of true',
  ],
  ["nobody who measured", list({ ...good, source: "" }), '"source" is ""; it must be a non-empty string'],
];
/** Invalid catalogs that a JSON Schema cannot refuse. */
const beyondSchema: typeof refusals = [
  ["a script as address", list({ ...good, url: "javascript:alert(1)/" }), "the address of a folder"],
  [
    "a dtype twice",
    list({ ...good, weights: [...good.weights, ...good.weights] }),
    "contains each dtype only once",
  ],
  ["an id twice", list(good, good), 'lists the id "tiny" twice'],
];

test.each([...refusals, ...beyondSchema])("%s is refused", (_name, json, message) => {
  expect(() => parseCatalog(json, page)).toThrow(CatalogError);
  expect(() => parseCatalog(json, page)).toThrow(message);
});

test.each(refusals)("%s is refused by the schema too", (_name, json) => {
  expect(fitsSchema(JSON.parse(JSON.stringify(json)))).toBe(false);
});
