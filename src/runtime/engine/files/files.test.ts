import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { modelFolder } from "../../../../scripts/models-folder.ts";
import { modelGraphPath } from "../base/dtype.ts";
import { hubFolderAddress } from "../base/hub-folder.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import type { LoadProgress } from "../base/model-reference.ts";
import { createMemoryModelStore } from "../storage/testing/memory-store.ts";
import { type ModelHub, startModelHub } from "../testing/model-hub.ts";
import { readDescription, readGraph, readGraphSummary } from "./files.ts";
import type { ModelSource } from "./model-source.ts";
import { createUrlSource, type UrlSourceOptions } from "./url-source.ts";

const bundled = "public/models/stories260k";
const bundledGraph = readFileSync(`${bundled}/onnx/model.onnx`);
const miniature = modelFolder("exported/tiny-llama");

let hub: ModelHub;
beforeAll(async () => {
  hub = await startModelHub({
    "midtoken/stories260k": { main: bundled, revisions: { v2: bundled } },
    ...(miniature === null ? {} : { "midtoken/tiny-llama": miniature }),
  });
});
beforeEach(() => {
  hub.faults.clear();
  hub.requests.length = 0;
  hub.write("config.json", '{"vocab_size": 512, "eos_token_id": [1, 2]}');
  hub.write("tokenizer.json", '{"added_tokens": [{"id": 7, "content": "<|end|>"}]}');
  hub.write("tokenizer_config.json", '{"eos_token": {"content": "<|end|>"}}');
});
afterAll(() => hub.close());

const source = (id?: string, options: UrlSourceOptions = {}) =>
  createUrlSource(hub.url(id), { store: null, retryDelayMs: 0, ...options });

describe("addresses", () => {
  test.each([
    [
      ["HuggingFaceTB/SmolLM2-135M-Instruct"],
      "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct/resolve/main/",
    ],
    [["a/b", "refs/pr/1"], "https://huggingface.co/a/b/resolve/refs%2Fpr%2F1/"],
    [["a/b", "v1", "http://localhost:1"], "http://localhost:1/a/b/resolve/v1/"],
  ] as [Parameters<typeof hubFolderAddress>, string][])("%j is at %s", (parameters, address) => {
    expect(hubFolderAddress(...parameters)).toBe(address);
  });

  test.each(["gpt2", "a/b/c", "../../x", "a/..", "a b/c", "https://x/y", ""])("%j is no hub id", (id) => {
    expect(() => hubFolderAddress(id)).toThrow("is not the id of a model on Hugging Face");
  });

  test.each(["file:///etc/", "javascript:alert(1)", "models/x", "", "data:text/plain,x"])(
    "%j is no folder",
    (url) => {
      expect(() => createUrlSource(url)).toThrow("is not the address of a model's folder");
    },
  );

  test("a refusal does not repeat a password", () => {
    expect(() => createUrlSource("https://user:geh#eim@h/x")).toThrow(/^"…@h\/x" is not/);
  });

  test("a folder's address may lack its slash", () => {
    expect(createUrlSource("https://example.org/models/x").address).toBe("https://example.org/models/x/");
  });

  test.each([
    ["fp32", "onnx/model.onnx"],
    ["q8", "onnx/model_quantized.onnx"],
    ["q4f16", "onnx/model_q4f16.onnx"],
  ])("dtype %s is %s", (dtype, path) => expect(modelGraphPath(dtype)).toBe(path));

  test.each(["q9", "constructor", "__proto__", ""])("%j is no dtype", (dtype) => {
    expect(() => modelGraphPath(dtype)).toThrow("choose one of fp32");
  });
});

describe("the description of a model", () => {
  test("is read from the bundled model's folder", async () => {
    const progress: LoadProgress[] = [];
    const description = await readDescription(source("midtoken/stories260k"), {
      onProgress: (p) => progress.push(p),
    });
    expect(description.config).toMatchObject({ vocab_size: 512, num_hidden_layers: 5 });
    expect(description.endOfSequence).toEqual([1, 2]);
    expect(new Set(progress.map(({ file }) => file))).toEqual(
      new Set(["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"]),
    );
    const size = readFileSync(`${bundled}/tokenizer.json`).length;
    expect(progress).toContainEqual({
      stage: "download",
      file: "tokenizer.json",
      loadedBytes: size,
      totalBytes: size,
      fromCache: false,
    });
  });

  test("needs no generation config and finds the end of sequence in all files", async () => {
    const description = await readDescription(source());
    expect(description.generationConfig).toEqual({});
    expect(description.endOfSequence).toEqual([1, 2, 7]);
  });

  test("takes the chat template from a file of its own", async () => {
    hub.write("chat_template.jinja", "{{ messages[0].content }}");
    const { tokenizerConfig } = await readDescription(source());
    expect(tokenizerConfig.chat_template).toBe("{{ messages[0].content }}");
  });

  test.each<[string, string, RegExp]>([
    [
      "a vocabulary that is no number",
      '{"vocab_size": "512"}',
      /"vocab_size" is "512", but must be a positive whole/,
    ],
    ["a negative size", '{"num_hidden_layers": -1}', /"num_hidden_layers" is -1/],
    ["a fraction", '{"head_dim": 0.5}', /"head_dim" is 0\.5/],
    ["a size that no buffer has", '{"vocab_size": 1e300}', /"vocab_size" is 1e\+300/],
    ["a nested size", '{"text_config": {"hidden_size": 0}}', /config\.json text_config: "hidden_size" is 0/],
    ["an end of sequence that is no token", '{"eos_token_id": [2, {}]}', /"eos_token_id" is \{\}/],
    ["a list", "[]", /config\.json from .* does not contain a JSON object/],
    [
      "lists within lists without end",
      `{"a":${"[".repeat(1_000)}`,
      /config\.json from .* has 1,001 levels of nested lists or objects; the limit is 500\. Choose another/,
    ],
    ["half a file", '{"vocab_size":', /config\.json from .* is not valid JSON/],
    ["a web page", "<!doctype html><p>Sign in", /config\.json from .* is a web page/],
    ["megabytes of nothing", `{}${" ".repeat(5e6)}`, /the limit for such a file is 4\.0 MB/],
  ])("with %s is refused", async (_what, content, message) => {
    hub.write("config.json", content);
    await expect(readDescription(source())).rejects.toThrow(message);
  });

  test("does not reach the prototype of anything", async () => {
    hub.write("config.json", '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}');
    await readDescription(source());
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("of a missing model says which file and where", async () => {
    await expect(readDescription(source("no/model"))).rejects.toThrow(
      /config\.json could not be fetched from http:.*no\/model\/resolve\/main\/config\.json \(HTTP 401\)/,
    );
  });

  test.each(["config.json", "tokenizer.json"])(
    "of a folder that is no model's names config.json, also where %s is found missing last",
    async (last) => {
      const { address, open, list } = source();
      const empty: ModelSource = {
        address,
        open,
        list,
        read: async (file) => {
          if (file === last) await new Promise((done) => setTimeout(done, 30));
          throw new ModelFileError(`${file} is not there.`, file, 404);
        },
      };
      await expect(readDescription(empty)).rejects.toThrow("config.json is not there.");
    },
  );
});

describe("the graph", () => {
  test("comes as it is", async () => {
    const { file, graph, externalData, bytes } = await readGraph(source("midtoken/stories260k"), "fp32");
    expect([file, bytes, externalData.size]).toEqual(["onnx/model.onnx", bundledGraph.length, 0]);
    expect(Buffer.compare(graph, bundledGraph)).toBe(0);
  });

  test("of a dtype that the model does not have names others", async () => {
    await expect(readGraph(source("midtoken/stories260k"), "bnb4")).rejects.toThrow(
      /onnx\/model_bnb4\.onnx is not in .*: the model has no bnb4 file\. Try another dtype \(fp32, /,
    );
  });

  test("is asked for up to the 2 GiB that its format allows", async () => {
    const asked: number[] = [];
    const whole = source("midtoken/stories260k");
    const open: ModelSource["open"] = (file, options) => {
      asked.push(options.maxBytes);
      return whole.open(file, options);
    };
    await readGraph({ ...whole, open }, "fp32");
    expect(asked).toEqual([2 ** 31]);
  });

  test("that is damaged is refused", async () => {
    hub.write("onnx/model.onnx", "not a graph at all, but text");
    await expect(readGraph(source(), "fp32")).rejects.toThrow("onnx/model.onnx is not a valid ONNX file");
  });

  test.skipIf(miniature === null)("brings its external data", async () => {
    const { externalData, bytes } = await readGraph(source("midtoken/tiny-llama"), "q4");
    expect([...externalData.keys()]).toEqual(["model_q4.onnx_data"]);
    expect(bytes).toBeGreaterThan(externalData.get("model_q4.onnx_data")?.size ?? 0);
    expect(hub.requests).toEqual(["onnx/model_q4.onnx", "onnx/model_q4.onnx_data"]);
  });

  test.skipIf(miniature === null)("whose external data is too short is refused", async () => {
    hub.write("onnx/model_q4.onnx", readFileSync(`${miniature}/onnx/model_q4.onnx`));
    hub.write("onnx/model_q4.onnx_data", "short");
    await expect(readGraph(source(), "q4")).rejects.toThrow(
      /onnx\/model_q4\.onnx_data has 5 bytes, but onnx\/model_q4\.onnx needs \d+ bytes/,
    );
  });

  test.skipIf(miniature === null)("whose external data lies outside the folder is refused", async () => {
    const graph = readFileSync(`${miniature}/onnx/model_q4.onnx`);
    const name = Buffer.from("model_q4.onnx_data");
    const hostile = Buffer.from("../../../.sshd_key");
    expect(hostile.length).toBe(name.length);
    for (let at = graph.indexOf(name); at >= 0; at = graph.indexOf(name, at)) hostile.copy(graph, at);
    expect([...readGraphSummary(graph, "x").externalFiles.keys()]).toEqual(["../../../.sshd_key"]);
    hub.write("onnx/model_q4.onnx", graph);
    await expect(readGraph(source(), "q4")).rejects.toThrow("is not a path inside a model's folder");
    expect(hub.requests).toEqual(["onnx/model_q4.onnx"]);
  });
});

describe("keeping files", () => {
  const read = (from: ReturnType<typeof source>, onProgress?: (progress: LoadProgress) => void) =>
    from.read("onnx/model.onnx", { kind: "binary", maxBytes: 1e9, onProgress });

  test("a kept file is not asked for again", async () => {
    const { store } = createMemoryModelStore();
    await read(source("midtoken/stories260k", { store }));
    const progress: LoadProgress[] = [];
    const again = await read(source("midtoken/stories260k", { store }), (p) => progress.push(p));
    expect(Buffer.compare(again, bundledGraph)).toBe(0);
    expect(hub.requests).toEqual(["onnx/model.onnx"]);
    expect(progress.map(({ fromCache, loadedBytes }) => [fromCache, loadedBytes])).toEqual([
      [true, bundledGraph.length],
    ]);
  });

  test("a file that is opened is read by slices", async () => {
    const { store } = createMemoryModelStore();
    const reading = { kind: "binary", maxBytes: 1e9 } as const;
    for (const from of [store, store, null]) {
      const opened = await source("midtoken/stories260k", { store: from }).open("onnx/model.onnx", reading);
      expect(opened.size).toBe(bundledGraph.length);
      const slice = new Uint8Array(await opened.slice(1000, 3000).arrayBuffer());
      expect(Buffer.compare(slice, bundledGraph.subarray(1000, 3000))).toBe(0);
    }
    expect(hub.requests).toHaveLength(2);
  });

  test("another revision is another file", async () => {
    const { store } = createMemoryModelStore();
    for (const revision of ["main", "v2"]) {
      await read(createUrlSource(hubFolderAddress("midtoken/stories260k", revision, hub.host), { store }));
    }
    expect(hub.requests).toHaveLength(2);
  });

  test("what the hub does not list is not asked for", async () => {
    const missing = source("midtoken/stories260k", { store: createMemoryModelStore().store }).read("x.json", {
      kind: "text",
      maxBytes: 10,
    });
    await expect(missing).rejects.toMatchObject({ name: "ModelFileError", status: 404, file: "x.json" });
    expect(hub.requests).toEqual([]);
  });
});
