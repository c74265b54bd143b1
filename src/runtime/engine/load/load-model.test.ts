import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { modelFolder } from "../../../../scripts/models-folder.ts";
import { Detokenizer } from "../../../core/sdk/detokenizer.ts";
import { createTokenizer } from "../../../core/tokenizer/create-tokenizer.ts";
import type { LoadProgress, ModelReference } from "../base/model-reference.ts";
import { createUrlSource } from "../files/url-source.ts";
import { createMemoryModelStore } from "../storage/testing/memory-store.ts";
import { generateGreedily } from "../testing/greedy.ts";
import { type ModelHub, startModelHub } from "../testing/model-hub.ts";
import { loadModel } from "./load-model.ts";

let hub: ModelHub;
let bundled: ModelReference;
beforeAll(async () => {
  hub = await startModelHub({ "midtoken/stories260k": "public/models/stories260k" });
  const url = hub.url("midtoken/stories260k");
  bundled = { id: "stories260k", url, revision: null, dtype: { webgpu: "q4", wasm: "fp32" } };
});
beforeEach(() => hub.faults.clear());
afterAll(() => hub.close());

test("the bundled model is loaded and tells its story", async () => {
  const progress: LoadProgress[] = [];
  const { model, tokenizer, tokenizerData, formatPrompt, generationConfig, info } = await loadModel(
    bundled,
    "wasm",
    {
      onProgress: (report) => progress.push(report),
    },
  );
  const tokens = await generateGreedily(
    model,
    formatPrompt([{ role: "user", content: "Once upon a time" }]),
    40,
  );
  const detokenizer = new Detokenizer(tokenizer);
  for (const token of tokens) detokenizer.append(token);
  expect(detokenizer.text).toMatch(
    /^, there was a little girl named Lily\. She loved to play outside in the park\. One day, she saw a big, red ball\./,
  );
  expect(info).toMatchObject({
    id: "stories260k",
    device: "wasm",
    file: "onnx/model.onnx",
    vocabularySize: 512,
    capacity: 512,
    chatTemplate: true,
  });
  expect(tokenizerData).toMatchObject({ vocabSize: 512, eosTokenIds: [1, 2] });
  expect(generationConfig.bos_token_id).toBe(1);
  expect([...new Set(progress.map(({ stage }) => stage))].slice(0, 2)).toEqual(["download", "compile"]);
  await model.dispose();
});

describe("devices", () => {
  test("without WebGPU, auto takes WebAssembly and says so", async () => {
    const { model, info } = await loadModel(bundled, "auto");
    expect([info.device, info.file]).toEqual(["wasm", "onnx/model.onnx"]);
    expect(info.reason).toBe("This browser has no WebGPU. The model runs on WebAssembly.");
    await model.dispose();
  });

  test("WebGPU that is asked for and not there is an error that says what to do", async () => {
    await expect(loadModel(bundled, "webgpu")).rejects.toThrow(
      "You chose WebGPU, which cannot be used. This browser has no WebGPU. Choose WebAssembly instead.",
    );
  });
});

const folder = modelFolder("exported/tiny-qwen3");
test.skipIf(folder === null)(
  "a file for WebGPU alone is refused on WebAssembly before its weights are fetched",
  async () => {
    for (const name of ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model_q4_gpu.onnx"]) {
      hub.write(name.replace("_gpu", ""), readFileSync(`${folder}/${name}`));
    }
    hub.requests.length = 0;
    const forGpu = { ...bundled, url: hub.url(), dtype: { webgpu: "q4", wasm: "q4" } };
    await expect(loadModel(forGpu, "auto")).rejects.toThrow(
      "onnx/model_q4.onnx does not run on WebAssembly. The graph computes per-head norms",
    );
    expect(hub.requests.at(-1)).toBe("onnx/model_q4.onnx");
  },
);

describe("weights that were left open", () => {
  const auto = { webgpu: "auto", wasm: "auto" };

  test("are chosen from what the hub lists", async () => {
    const { model, info } = await loadModel({ ...bundled, dtype: auto }, "auto", {
      source: createUrlSource(bundled.url, { store: null }),
    });
    expect(info.file).toBe("onnx/model.onnx");
    expect(info.reason).toContain(
      "The model has weights of the types fp32, q4; fp32 suits this device best.",
    );
    await model.dispose();
  });

  test("are chosen from what is kept where the hub cannot be reached", async () => {
    const { store } = createMemoryModelStore();
    const online = createUrlSource(bundled.url, { store });
    await (
      await loadModel({ ...bundled, dtype: { webgpu: "q4", wasm: "q4" } }, "wasm", { source: online })
    ).model.dispose();
    const offline = createUrlSource(bundled.url, {
      store,
      fetch: () => Promise.reject(new TypeError("offline")),
    });
    const { model, info } = await loadModel({ ...bundled, dtype: auto }, "wasm", { source: offline });
    expect(info.file).toBe("onnx/model_q4.onnx");
    await model.dispose();
    const nothing = createUrlSource(bundled.url, {
      store: null,
      fetch: () => Promise.reject(new TypeError("offline")),
    });
    await expect(nothing.list()).rejects.toThrow("cannot be reached");
  });

  test("are not fetched where they would fail", async () => {
    for (const path of ["config.json", "tokenizer.json", "tokenizer_config.json"]) {
      hub.write(path, readFileSync(`public/models/stories260k/${path}`));
    }
    rmSync(`${hub.folder}/onnx`, { recursive: true, force: true });
    hub.write("onnx/model_q4f16.onnx", "weights");
    hub.requests.length = 0;
    const loading = loadModel({ ...bundled, url: hub.url(), dtype: auto }, "auto");
    await expect(loading).rejects.toThrow(
      `${bundled.id} cannot run on this device. This browser has no WebGPU.`,
    );
    expect(hub.requests.filter((file) => file.startsWith("onnx/"))).toEqual([]);
  });
});

describe("cancelling", () => {
  const reason = new DOMException("Stopped.", "AbortError");

  test.each<[string, (progress: LoadProgress) => boolean]>([
    ["at the first byte", () => true],
    ["in the middle of the graph", ({ file }) => file === "onnx/model.onnx"],
    ["while the session is made", ({ stage }) => stage === "compile"],
  ])("%s", async (_when, isTime) => {
    const controller = new AbortController();
    const loading = loadModel(bundled, "wasm", {
      signal: controller.signal,
      onProgress: (progress) => isTime(progress) && controller.abort(reason),
    });
    await expect(loading).rejects.toBe(reason);
  });
});

test("that a file could not be kept is said beside the device", async () => {
  const notices: string[] = [];
  const source = createUrlSource(bundled.url, {
    store: createMemoryModelStore({ room: async () => 1000 }).store,
    onNotice: (notice) => notices.push(notice),
  });
  const { model } = await loadModel(bundled, "wasm", { source });
  expect(notices).toHaveLength(5);
  await model.dispose();
});

test("a kept model that is damaged is repaired when it fails to load, which is said", async () => {
  const { store, tree } = createMemoryModelStore({ blockBytes: 200_000 });
  const load = () => loadModel(bundled, "wasm", { source: createUrlSource(bundled.url, { store }) });
  await (await load()).model.dispose();
  const blocks = [...tree.files].filter(([path, { length }]) => /\d{6}$/.test(path) && length === 200_000);
  blocks[0]?.[1].fill(255, 0, 5000);
  hub.requests.length = 0;
  const { model, info } = await load();
  expect(info.reason).toContain("Damaged parts of onnx/model.onnx were fetched again.");
  expect(hub.requests).toEqual(["onnx/model.onnx 0-199999"]);
  await model.dispose();
});

test("special tokens that mark the reasoning are in the text, and the model is said to think", async () => {
  const file = (path: string) => readFileSync(`public/models/stories260k/${path}`, "utf8");
  const tokenizer = JSON.parse(file("tokenizer.json"));
  const [unknown, ...added] = tokenizer.added_tokens;
  const marks = ["[THINK]", "[/THINK]"].map((content, place) => ({ ...unknown, id: 500 + place, content }));
  hub.write("tokenizer.json", JSON.stringify({ ...tokenizer, added_tokens: [unknown, ...added, ...marks] }));
  const config = { ...JSON.parse(file("tokenizer_config.json")), chat_template: "{# [/THINK] #}Hi" };
  hub.write("tokenizer_config.json", JSON.stringify(config));
  for (const path of ["config.json", "generation_config.json"]) hub.write(path, file(path));
  hub.write("onnx/model.onnx", readFileSync("public/models/stories260k/onnx/model.onnx"));
  const { model, info, ...loaded } = await loadModel({ ...bundled, url: hub.url() }, "wasm");
  expect(info.thinking).toBe("always");
  expect(loaded.tokenizer.decode([500, 0, 501])).toBe("[THINK][/THINK]");
  // The sandbox makes its tokenizer from this data too.
  expect(createTokenizer(loaded.tokenizerData).decode([500])).toBe("[THINK]");
  await model.dispose();
});

test("a graph that is no model is refused", async () => {
  for (const [path, content] of [
    ["config.json", '{"vocab_size": 512}'],
    ["tokenizer.json", "{}"],
    ["onnx/model.onnx", ""],
  ] as const) {
    hub.write(path, content);
  }
  const broken = { ...bundled, url: hub.url() };
  await expect(loadModel(broken, "wasm")).rejects.toMatchObject({ name: "ModelFileError" });
});

test("a model whose tokenizer is broken is refused before its weights are fetched", async () => {
  hub.write("config.json", '{"vocab_size": 512}');
  hub.write("tokenizer.json", '{"model": 5}');
  hub.requests.length = 0;
  await expect(loadModel({ ...bundled, url: hub.url() }, "wasm")).rejects.toThrow(/tokenizer\.json/);
  expect(hub.requests).not.toContain("onnx/model.onnx");
});
