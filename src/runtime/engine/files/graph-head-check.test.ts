/** Graphs that cannot run here are refused by their first nodes. Weights may be in several files. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LoadProgress } from "../base/model-reference.ts";
import { encodeModel, parseModel } from "../onnx/codec.ts";
import { UnsupportedOnDeviceError } from "../onnx/decoder-graph.ts";
import { webAssemblyFault } from "../onnx/inspect.ts";
import { makeExternalTensor, makeFloatTensor } from "../onnx/make.ts";
import { elementType, type Graph, type Tensor } from "../onnx/model.ts";
import { createMemoryModelStore } from "../storage/testing/memory-store.ts";
import { type ModelHub, startModelHub } from "../testing/model-hub.ts";
import { readGraph } from "./files.ts";
import type { ModelSource } from "./model-source.ts";
import { createUrlSource, type UrlSourceOptions } from "./url-source.ts";

let hub: ModelHub;
beforeAll(async () => {
  hub = await startModelHub();
});
afterAll(() => hub.close());

/** The bundled model with more weights, and with nodes changed by `change`. */
function changedModel(weights: readonly Tensor[], change: (graph: Graph) => void = () => {}) {
  const model = parseModel(new Uint8Array(readFileSync("public/models/stories260k/onnx/model.onnx")));
  if (!model.graph) throw new Error("no graph");
  change(model.graph);
  model.graph.initializer.push(...weights);
  return encodeModel(model);
}

/** Adds per-head norms inside the attention, which run only on WebGPU. */
function forWebGpu({ node }: Graph): void {
  for (const each of node.filter(({ operator }) => operator === "GroupQueryAttention")) {
    while (each.input.length < 14) each.input.push("");
    each.input.push("query.norm");
  }
}

const large = makeFloatTensor("large", [4_000_000], new Float32Array(4_000_000));
const refuse: Parameters<typeof readGraph>[3] = (summary, file) => {
  const fault = webAssemblyFault(summary);
  if (fault !== null) throw new UnsupportedOnDeviceError(`${file}: ${fault}`);
};

/** Counts the bytes of the graph that are read. */
function counted(options: UrlSourceOptions) {
  let bytes = 0;
  const counting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).endsWith(".onnx")) return response;
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, out) {
        bytes += piece.length;
        out.enqueue(piece);
      },
    });
    return new Response(response.body?.pipeThrough(count), response);
  };
  const source = createUrlSource(hub.url(), { retryDelayMs: 0, fetch: counting, ...options });
  return { source, read: () => bytes };
}

test.each([
  ["without a store", null],
  ["into a store, which keeps nothing of it", createMemoryModelStore().store],
])("a graph of 17 MB is refused by its first megabyte: %s", async (_, store) => {
  hub.write("onnx/model.onnx", changedModel([large], forWebGpu));
  const { source, read } = counted({ store });
  await expect(readGraph(source, "fp32", {}, refuse)).rejects.toThrow(UnsupportedOnDeviceError);
  expect(read()).toBeGreaterThanOrEqual(2 ** 20);
  expect(read()).toBeLessThan(2 ** 21);
  expect((await store?.list())?.flatMap(({ partialFiles }) => partialFiles) ?? []).toEqual([]);
});

test("what an earlier download brought of it is enough", async () => {
  hub.write("onnx/model.onnx", changedModel([large], forWebGpu));
  const { store } = createMemoryModelStore();
  // A download for a device that runs the graph, stopped in the middle.
  const { source, read } = counted({ store });
  const controller = new AbortController();
  const onProgress = ({ loadedBytes }: LoadProgress) => loadedBytes > 4e6 && controller.abort();
  const options = { kind: "binary", maxBytes: 1e9, signal: controller.signal, onProgress } as const;
  await expect(source.open("onnx/model.onnx", options)).rejects.toThrow();
  const before = read();
  await expect(readGraph(source, "fp32", {}, refuse)).rejects.toThrow(UnsupportedOnDeviceError);
  expect(read()).toBe(before);
  // The download for that device can continue.
  expect(await store.list()).toMatchObject([{ partialFiles: [{ path: "onnx/model.onnx" }] }]);
});

test("a graph that runs is read whole, and a file that is no graph is given up at its beginning", async () => {
  hub.write("onnx/model.onnx", changedModel([large]));
  const whole = counted({ store: null });
  const { bytes } = await readGraph(whole.source, "fp32", {}, refuse);
  expect(whole.read()).toBe(bytes);
  // The nodes are damaged, but not the weights.
  const damaged = changedModel([large]);
  damaged.fill(0x0a, 100, 5000);
  hub.write("onnx/model.onnx", damaged);
  const { source, read } = counted({ store: null });
  await expect(readGraph(source, "fp32", {}, refuse)).rejects.toThrow(
    "onnx/model.onnx is not a valid ONNX file",
  );
  expect(read()).toBeLessThan(2 ** 21);
});

test("files of weights come three at once; their sizes are said before; one that fails ends the others", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const parts = names.map((location) =>
    makeExternalTensor(location, elementType.float, [10], { location, offset: 0, length: 40 }),
  );
  const graph = changedModel(parts);
  let now = 0;
  let most = 0;
  let broken = "";
  const ended: string[] = [];
  const source: ModelSource = {
    address: "test",
    read: () => Promise.reject(new Error("not asked for")),
    list: async () => [],
    async open(file, { signal }) {
      if (file.endsWith(".onnx")) return new Blob([graph]);
      now += 1;
      most = Math.max(most, now);
      for (let turns = file.charCodeAt(5) % 4; turns >= 0; turns--) {
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      now -= 1;
      if (file === broken) throw new Error(`${file} broke off`);
      if (signal?.aborted) ended.push(file);
      signal?.throwIfAborted();
      return new Blob([file.padEnd(40)]);
    },
  };
  const said: LoadProgress[] = [];
  const { externalData, bytes } = await readGraph(source, "fp32", { onProgress: (each) => said.push(each) });
  expect(most).toBe(3);
  for (const name of names) expect(await externalData.get(name)?.text()).toBe(`onnx/${name}`.padEnd(40));
  expect(bytes).toBe(graph.length + 5 * 40);
  expect(said.map(({ file, totalBytes }) => [file, totalBytes])).toEqual(
    names.map((name) => [`onnx/${name}`, 40]),
  );
  broken = "onnx/d";
  await expect(readGraph(source, "fp32")).rejects.toThrow("onnx/d broke off");
  expect(ended.length).toBeGreaterThan(0);
});
