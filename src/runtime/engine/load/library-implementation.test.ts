import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { largestDifference, someTokens } from "../../../core/decoder/ports/language-model.compare.ts";
import { UnsupportedGraphError } from "../onnx/decoder-graph.ts";
import { elementType } from "../onnx/model.ts";
import { createMiniatureModel } from "../testing/miniature.ts";
import { withExtraInput } from "../transformers/testing/extra-input.ts";
import { splitEmbedding } from "../transformers/testing/split-embedding.ts";
import { createModel } from "./create-model.ts";
import type { CreateModelOptions } from "./created-model.ts";
import { refusalInShort } from "./library-implementation.ts";

const folder = join(import.meta.dirname, "../../../../public/models/stories260k");

function bundled(file = "onnx/model.onnx"): CreateModelOptions {
  return {
    graph: new Uint8Array(readFileSync(join(folder, file))),
    externalData: new Map(),
    config: JSON.parse(readFileSync(join(folder, "config.json"), "utf8")),
    endOfSequence: [2],
    device: "wasm",
    file,
  };
}

const bool = 9;

test("a graph that our runners do not know runs through the library, and it is said what that costs", async () => {
  const plain = await createModel(bundled());
  const graph = withExtraInput(bundled().graph, "use_cache_branch", bool, [1]);
  const created = await createModel({ ...bundled(), graph });
  expect(await created.model.forward([1, 403, 407])).toEqual(await plain.model.forward([1, 403, 407]));
  expect(created.adapter).toMatch(/^WebAssembly, \d+ threads?, @huggingface\/transformers 4\.3\.1$/);
  expect(created.reason).toMatch(
    /^The model runs on WebAssembly\. The model's forward passes run through @huggingface\/transformers 4\.3\.1, because onnx\/model\.onnx has an input "use_cache_branch" \(bool\) that Midtoken cannot fill\. A token takes about [\d.e+]+ ms, and each backtrack copies the KV cache/,
  );
  await Promise.all([plain.model.dispose(), created.model.dispose()]);
});

test("our own runners alone, or the library alone, where that is asked for", async () => {
  const graph = withExtraInput(bundled().graph, "use_cache_branch", bool, [1]);
  await expect(createModel({ ...bundled(), graph, implementation: "own" })).rejects.toThrow(
    UnsupportedGraphError,
  );
  const { model, reason } = await createModel({ ...bundled(), implementation: "transformers" });
  expect(reason).toContain(
    "@huggingface/transformers 4.3.1, because the option `implementation` asks for it",
  );
  await model.dispose();
});

test("embeddings in a graph of their own, their 4-bit weights expanded too", async () => {
  const whole = await createModel(bundled("onnx/model_q4.onnx"));
  const { embedTokens, decoder } = splitEmbedding(bundled("onnx/model_q4.onnx").graph, 64);
  const split: CreateModelOptions = {
    ...bundled("onnx/model_q4.onnx"),
    config: {
      model_type: "gemma3n",
      architectures: ["Gemma3nForConditionalGeneration"],
      text_config: bundled().config,
    },
    graph: decoder,
    embedTokens: { graph: embedTokens, externalData: new Map() },
  };
  const created = await createModel(split);
  expect(created.reason).toContain("because its embeddings are a separate graph");
  const asked = createModel({ ...split, implementation: "own" });
  await expect(asked).rejects.toThrow("its embeddings are in a separate graph, which Midtoken's own runtime");
  expect(await created.model.forward([1, 403])).toEqual(await whole.model.forward([1, 403]));
  await Promise.all([whole.model.dispose(), created.model.dispose()]);
});

test.each([
  ["qwen3_5_text", "Qwen3_5ForCausalLM", "one graph"],
  ["qwen2_vl", "Qwen2VLForConditionalGeneration", "two graphs"],
])("places in time, height and width are the text's: %s, %s, in %s", async (type, architecture, graphs) => {
  const common = { endOfSequence: [], device: "wasm" } as const;
  const plain = await createModel({ ...common, ...createMiniatureModel({ heads: 2, positions: true }) });
  const { config, graph, file } = createMiniatureModel({ heads: 2, positions: "time, height and width" });
  const { embedTokens, decoder } = splitEmbedding(graph, 16);
  const parts = { graph: decoder, embedTokens: { graph: embedTokens, externalData: new Map() } };
  const sizes = { num_attention_heads: 2, num_key_value_heads: 2, head_dim: 8, hidden_size: 16 };
  const created = await createModel({
    ...common,
    file,
    externalData: new Map(),
    ...(graphs === "two graphs" ? parts : { graph }),
    config: { ...config, ...sizes, model_type: type, architectures: [architecture], text_config: sizes },
  });
  expect(created.reason).toMatch(
    graphs === "two graphs"
      ? /because its embeddings are a separate graph/
      : /because onnx\/model\.onnx has an input "position_ids" \(int64, 3 × batch × sequence\)/,
  );
  const text = someTokens(plain.model.vocabularySize, 12);
  const models = [plain.model, created.model] as const;
  for (const model of models) {
    await model.forward(text.slice(0, 9));
    model.truncate(6);
  }
  const [expected, given] = await Promise.all(models.map((model) => model.forward(text.slice(6))));
  expect(largestDifference(given as Float32Array, expected as Float32Array)).toBeLessThan(1e-5);
  await Promise.all(models.map((model) => model.dispose()));
});

test("a graph that runs neither way is refused with both reasons", async () => {
  const graph = withExtraInput(bundled().graph, "pixel_values", elementType.float, [1]);
  const unknown = createModel({ ...bundled(), graph, config: { ...bundled().config, model_type: "bert" } });
  await expect(unknown).rejects.toThrow(UnsupportedGraphError);
  await expect(unknown).rejects.toThrow(
    /"pixel_values".* The model does not run through @huggingface\/transformers either: .* has no "bert" model/,
  );
  await expect(createModel({ ...bundled(), graph })).rejects.toThrow(
    /The model does not run through @huggingface\/transformers either: .*pixel_values/,
  );
});

test("an aborted load rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const reason = new Error("stop");
  const graph = withExtraInput(bundled().graph, "use_cache_branch", bool, [1]);
  const options = { ...bundled(), graph, signal: controller.signal };
  await expect(createModel({ ...options, onStage: () => controller.abort(reason) })).rejects.toBe(reason);
});

test("of a refusal the advice is left out", () => {
  expect(refusalInShort(new UnsupportedGraphError("model.onnx asks for “x”. Choose another export."))).toBe(
    "model.onnx asks for “x”",
  );
});
