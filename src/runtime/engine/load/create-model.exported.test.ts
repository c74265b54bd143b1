/** `createModel` on the graphs of the exporters. */
import { expect, test } from "vitest";
import { largestDifference } from "../../../core/decoder/ports/language-model.compare.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { UnsupportedGraphError } from "../onnx/decoder-graph.ts";
import { exportedGraphs } from "../testing/exported-models.ts";
import { readGraph } from "../testing/graph-folder.ts";
import { createWasmRunner } from "../wasm/wasm-runner.ts";
import { createModel } from "./create-model.ts";

const exported = exportedGraphs();
if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS", () => {});

const quantized = exported.filter(({ name }) => /_q4(_split)?$/.test(name));
for (const graph of quantized) {
  test(`${graph.name}: expanded weights compute what the 4-bit file says`, async () => {
    const read = readGraph(graph);
    const runner = await createWasmRunner({ ...read, cacheRows: 64 });
    const asItIs = createDecoderModel(runner, { endOfSequence: [2] });
    const expanded = await createModel({ ...read, endOfSequence: [2], device: "wasm" });
    const tokens = [5, 900, 33, 71, 1500];
    const difference = largestDifference(await asItIs.forward(tokens), await expanded.model.forward(tokens));
    expect(difference).toBeLessThan(1e-3);
    await asItIs.dispose();
    await expanded.model.dispose();
  });
}

const refusals: [RegExp, RegExp][] = [[/_gpu$/, /exists on WebGPU only/]];
for (const graph of exported) {
  const reason = refusals.find(([name]) => name.test(graph.name))?.[1];
  if (!reason) continue;
  test(`${graph.name} is refused with the reason`, async () => {
    const load = createModel({ ...readGraph(graph), endOfSequence: [2], device: "auto" });
    await expect(load).rejects.toThrow(UnsupportedGraphError);
    await expect(load).rejects.toThrow(reason);
  });
}
