/** Makes a complete ONNX model of a decoder's nodes and weights: ids and mask in, logits out, and a KV cache for each layer. */
import { makeValueInfo } from "../../src/runtime/engine/onnx/make.ts";
import type { Model, Node, Tensor } from "../../src/runtime/engine/onnx/model.ts";
import { elementType } from "../../src/runtime/engine/onnx/model.ts";
import type { FloatType } from "./graph-parts.ts";
import type { DecoderShape } from "./shapes.ts";

/** `headSize`: the width of the caches, which may be larger than the model's own. `floatType`: float32 unless given. */
export function assembleDecoderModel(
  nodes: Node[],
  weights: Tensor[],
  {
    layers,
    keyValueHeads,
    headSize,
    vocabulary,
    floatType = elementType.float,
  }: Pick<DecoderShape, "layers" | "keyValueHeads" | "headSize" | "vocabulary"> & {
    readonly floatType?: FloatType;
  },
): Model {
  const caches = (prefix: string, rows: string) =>
    Array.from({ length: layers }, (_, layer) =>
      ["key", "value"].map((part) =>
        makeValueInfo(`${prefix}.${layer}.${part}`, floatType, ["batch_size", keyValueHeads, rows, headSize]),
      ),
    ).flat();
  return {
    irVersion: 10,
    producerName: "midtoken",
    operatorSets: [
      { domain: "", version: 21 },
      { domain: "com.microsoft", version: 1 },
    ],
    metadata: [],
    graph: {
      node: nodes,
      name: "main_graph",
      initializer: weights,
      input: [
        makeValueInfo("input_ids", elementType.int64, ["batch_size", "sequence_length"]),
        makeValueInfo("attention_mask", elementType.int64, ["batch_size", "total_sequence_length"]),
        ...caches("past_key_values", "past_sequence_length"),
      ],
      output: [
        makeValueInfo("logits", floatType, ["batch_size", "sequence_length", vocabulary]),
        ...caches("present", "total_sequence_length"),
      ],
      valueInfo: [],
    },
  };
}
