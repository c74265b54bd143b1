/** Models on WebAssembly in the page itself, where the browser's tools see their threads. */
import { someTokens } from "../../src/core/decoder/ports/language-model.compare.ts";
import type { LanguageModel } from "../../src/core/decoder/ports/language-model.ts";
import { createDecoderModel } from "../../src/runtime/engine/graph/decoder-model.ts";
import { createModel } from "../../src/runtime/engine/load/create-model.ts";
import { parseModel } from "../../src/runtime/engine/onnx/codec.ts";
import { inspectGraph } from "../../src/runtime/engine/onnx/inspect.ts";
import { createWasmRunner } from "../../src/runtime/engine/wasm/wasm-runner.ts";

const folder = "/models/stories260k/";

async function options() {
  const [config, graph] = await Promise.all([
    fetch(`${folder}config.json`).then((response) => response.json()),
    fetch(`${folder}onnx/model.onnx`).then((response) => response.arrayBuffer()),
  ]);
  return {
    graph: new Uint8Array(graph),
    externalData: new Map<string, Uint8Array>(),
    config: config as Record<string, unknown>,
    endOfSequence: [2],
    file: "onnx/model.onnx",
  };
}

let current: LanguageModel | null = null;

/** Logits of a pass of 40 tokens, of one of 1, and of one of 8. */
async function answers(model: LanguageModel): Promise<number[]> {
  const tokens = someTokens(model.vocabularySize, 49, 7);
  const parts: number[] = [];
  for (const [start, end] of [
    [0, 40],
    [40, 41],
    [41, 49],
  ] as const)
    parts.push(...(await model.forward(tokens.slice(start, end))));
  return parts;
}

const threads = {
  /** Makes a model with so many threads, or as many as the engine chooses, and returns its description. It stays until `dispose`. */
  async create(threads?: number) {
    const { model, adapter, reason } = await createModel({ ...(await options()), device: "wasm", threads });
    current = model;
    const logits = await answers(model);
    return { adapter, reason, logits };
  },

  async dispose() {
    await current?.dispose();
    current = null;
  },

  async logitsWith(count: number) {
    const given = await options();
    const summary = inspectGraph(parseModel(given.graph));
    const runner = await createWasmRunner({ ...given, summary, cacheRows: 64, threads: count });
    const model = createDecoderModel(runner, given);
    const logits = await answers(model);
    await model.dispose();
    return logits;
  },

  /** From now on the page may start no worker. */
  forbidWorkers() {
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = "worker-src 'none'";
    document.head.append(policy);
  },
};

declare global {
  var threadsPage: typeof threads;
}
globalThis.threadsPage = threads;
