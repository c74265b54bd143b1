import { expect, test } from "vitest";
import { someTokens } from "../../../../core/decoder/ports/language-model.compare.ts";
import { encodeModel, parseModel } from "../codec.ts";
import { type EightBitProducts, roundActivations } from "./eight-bit-activations.ts";
import { createGraphEvaluator } from "./evaluate-graph.ts";
import { exportedGraphs, readGraph } from "./graphs.ts";
import { exactRounding } from "./rounding.ts";
import { largestDifference, openGraph } from "./run-graph.ts";

const graphs = exportedGraphs().filter((path) => /tiny-(lfm2|qwen3)\/onnx\/model_q4\.onnx$/.test(path));
if (graphs.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS", () => {});

const tokens = someTokens(2048, 12, 7);

function rewritten(path: string, products: EightBitProducts) {
  const { model, external } = readGraph(path);
  const parsed = parseModel(model);
  const changed = roundActivations(parsed, products);
  return { changed, files: { model: encodeModel(parsed), external } };
}

test.each(graphs.map((path) => [path.split("/").slice(-3).join("/"), path]))(
  "%s with rounded activations gives the evaluation's numbers of 8 bits, and not those without",
  async (_, path) => {
    const { changed, files } = rewritten(path, "as on WebGPU");
    expect(changed).toBeGreaterThan(0);
    const { model, external } = readGraph(path);
    const evaluation = createGraphEvaluator(model, external);
    const [inFloats, inEightBits] = [false, true].map((eightBits) => {
      const rounding = { ...exactRounding, integer: Math.round };
      const rows = evaluation.run(tokens, { eightBits, rounding }).get("logits");
      return Float32Array.from(rows?.data ?? []);
    });
    const graph = await openGraph(files);
    const logits = (await graph.run(tokens)).slice(-2048);
    await graph.release();
    const near = largestDifference(inEightBits ?? logits, logits);
    expect(near).toBeLessThan(largestDifference(inFloats ?? logits, logits) / 5);
  },
);

test("everywhere means every product", () => {
  for (const path of graphs) {
    const { changed } = rewritten(path, "everywhere");
    const all = parseModel(readGraph(path).model).graph?.node.filter(
      ({ operator }) => operator === "MatMulNBits",
    );
    expect(changed).toBe(all?.length);
  }
});
