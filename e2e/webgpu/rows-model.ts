/** The model of rows.spec.ts: one tiny layer under a large vocabulary. */
import { createMemoryDataFile } from "../../scripts/models/data-file.ts";
import { decoderGraph } from "../../scripts/models/graph.ts";
import type { DecoderShape } from "../../scripts/models/shapes.ts";
import { randomWeights } from "../../scripts/models/weights.ts";
import { encodeModel } from "../../src/runtime/engine/onnx/codec.ts";
import { makeFloatTensor, makeNode, makeTensor } from "../../src/runtime/engine/onnx/make.ts";
import { elementType, type Graph } from "../../src/runtime/engine/onnx/model.ts";

/** The vocabulary is no multiple of anything. */
const shape: DecoderShape = {
  layers: 1,
  hidden: 32,
  intermediate: 32,
  heads: 2,
  keyValueHeads: 1,
  headSize: 16,
  vocabulary: 20_011,
  context: 200,
  rotaryTheta: 10_000,
  epsilon: 1e-6,
  headNorms: false,
};

/** Larger norms: else no token would be much likelier than another. */
function weights() {
  const random = randomWeights(3);
  const norm = (name: string, length: number) => random.norm(name, length).map((x) => 3 * x);
  return { ...random, norm };
}

/**
 * Computes the logits without the output matrix, on which software WebGPU spends 95% of a pass: each logit is one number of the last
 * norm, drawn for its token, times a weight of the token.
 */
function replaceOutputMatrix(graph: Graph): void {
  const head = graph.node.find(({ output }) => output.includes("logits"));
  if (head?.operator !== "MatMul") throw new Error("The graph has no output matrix.");
  const { hidden, vocabulary } = shape;
  // Numbers from -1 to 1: two for each token.
  const drawn = randomWeights(5)
    .matrix("head", 2 * vocabulary, 3)
    .values.filter((_, i) => i % 3 === 0);
  const places = Array.from(drawn.subarray(0, vocabulary), (number) =>
    Math.min(hidden - 1, Math.floor(((number + 1) / 2) * hidden)),
  );
  // Cubes: large weights are rare, so the most likely tokens are well apart.
  const weights = drawn.slice(vocabulary).map((number) => 1.5 * number ** 3);
  graph.initializer.push(
    makeTensor("head/places", elementType.int64, [vocabulary], BigInt64Array.from(places, BigInt)),
    makeFloatTensor("head/weights", [vocabulary], weights),
  );
  const [rows = ""] = head.input;
  const nodes = [
    makeNode("Gather", [rows, "head/places"], ["head/numbers"], {
      name: "head/Gather",
      attributes: { axis: 2n },
    }),
    makeNode("Mul", ["head/numbers", "head/weights"], ["logits"], { name: "head/Mul" }),
  ];
  graph.node.splice(graph.node.indexOf(head), 1, ...nodes);
}

function configOf({ hidden, heads, keyValueHeads, headSize, layers, context, vocabulary }: DecoderShape) {
  return {
    model_type: "llama",
    hidden_size: hidden,
    num_attention_heads: heads,
    num_hidden_layers: layers,
    num_key_value_heads: keyValueHeads,
    head_dim: headSize,
    max_position_embeddings: context,
    vocab_size: vocabulary,
  };
}

/** The files of the model, by their paths in its folder. */
export function createRowsModel(): ReadonlyMap<string, Uint8Array> {
  const data = createMemoryDataFile("model.onnx_data");
  const model = decoderGraph(shape, weights(), "fp32", data);
  if (!model.graph) throw new Error("The model has no graph.");
  replaceOutputMatrix(model.graph);
  return new Map([
    ["onnx/model.onnx", encodeModel(model)],
    ["onnx/model.onnx_data", data.bytes()],
    ["config.json", new TextEncoder().encode(JSON.stringify(configOf(shape)))],
  ]);
}
