/** The runtime's WebGPU build has no CPU kernel for a quantized embedding, and a rewritten graph does not need one. */
import * as ort from "onnxruntime-web/webgpu";
import { describe, expect, test } from "vitest";
import { dequantizeModel } from "./dequantize.ts";
import { exportedGraphs, loadExternalData, readGraph } from "./testing/graphs.ts";
import type { GraphFiles } from "./testing/run-graph.ts";

ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

const graphs = exportedGraphs().filter((path) => /_q4(_split)?\.onnx$/.test(path));

if (graphs.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS");

async function open({ model, external = new Map() }: GraphFiles): Promise<readonly string[]> {
  const externalData = Array.from(external, ([path, data]) => ({ path, data }));
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"], externalData });
  await session.release();
  return session.outputNames;
}

// The first session compiles 27 MB of WebAssembly.
describe.skipIf(graphs.length === 0)("on WebAssembly", () => {
  test.each(graphs)("%s opens when it is rewritten, and only then", async (path) => {
    const files = readGraph(path);
    await expect(open(files)).rejects.toThrow("GatherBlockQuantized");
    const { model, externalData } = dequantizeModel(files.model, files.external);
    expect(await open({ model, external: loadExternalData(externalData) })).toContain("logits");
  });
});
