/**
 * 4-bit weights in float32 with the adapter's subgroups: at accuracy level 4 the runtime rounds activations to 8 bits. The device's
 * results are compared with the same graph in float64, within a bound derived before the device is asked (`rounding-bounds.ts`).
 */
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { someTokens } from "../../src/core/decoder/ports/language-model.compare.ts";
import { parseModel } from "../../src/runtime/engine/onnx/codec.ts";
import { integerAttribute } from "../../src/runtime/engine/onnx/tensor.ts";
import { createGraphEvaluator } from "../../src/runtime/engine/onnx/testing/evaluate-graph.ts";
import { roundsActivationsOnWebGpu } from "../../src/runtime/engine/onnx/testing/evaluate-products.ts";
import { readGraph } from "../../src/runtime/engine/onnx/testing/graphs.ts";
import { exported, isFloat16, type ServedGraph } from "./graphs.ts";
import { onEnginePage } from "./on-engine-page.ts";
import { bounds, distance, outputOf, reserve } from "./rounding-bounds.ts";

const asking = onEnginePage();

/** Float32's own roundings, where no activation is rounded to 8 bits. */
const float32Share = 1e-4;

const graphs = exported.filter((graph) => graph.quantized && !isFloat16(graph));
if (graphs.length === 0) test.skip("the exporters' 4-bit graphs: set MIDTOKEN_MODELS", () => {});

function roundsActivations({ folder, file }: ServedGraph): boolean {
  const nodes = parseModel(readGraph(join(folder, file)).model).graph?.node ?? [];
  return nodes.some(
    (node) =>
      node.operator === "MatMulNBits" &&
      integerAttribute(node, "accuracy_level", 0) === 4 &&
      roundsActivationsOnWebGpu(node),
  );
}

for (const graph of graphs) {
  test(`${graph.name}: with right subgroups as near to float64 as 8-bit activations allow`, async () => {
    const { subgroups } = await asking((page) => page.evaluate(() => window.engine.adapter()));
    test.skip(subgroups !== "right", "test-graph.ts has what this adapter's subgroups compute");
    const { model, external } = readGraph(join(graph.folder, graph.file));
    const own = createGraphEvaluator(model, external);
    const tokens = someTokens(2048, 40, 7);
    const [bound] = bounds(own, tokens, [outputOf(own, tokens)], { half: false, eightBits: true });
    if (!bound) throw new Error("No bound.");
    const logits = await asking((page) =>
      page.evaluate(([a, t]) => window.engine.logits(a, t, true), [graph.address, tokens] as const),
    );
    const { share, largest } = distance(bound.exact, logits);
    console.log(
      `${graph.name}: ${share.toPrecision(2)} of the logits off, at most ${largest.toPrecision(2)}; by rounding ${bound.share.toPrecision(2)}, ${bound.largest.toPrecision(2)}`,
    );
    // The bound comes of 8-bit activations wherever the graph has them.
    expect(bound.share > float32Share).toBe(roundsActivations(graph));
    expect(share).toBeLessThan(Math.max(reserve * bound.share, float32Share));
  });
}
