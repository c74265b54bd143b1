/**
 * Splits a decoder into two graphs, embeddings and the rest, like the exports of models that also read images and sounds.
 */
import { encodeModel, parseModel } from "../../onnx/codec.ts";
import { makeValueInfo } from "../../onnx/make.ts";
import { elementType, type Graph, type Model } from "../../onnx/model.ts";

export interface SplitDecoder {
  /** `input_ids` → `inputs_embeds`. */
  readonly embedTokens: Uint8Array;
  /** `inputs_embeds` → `logits`. */
  readonly decoder: Uint8Array;
}

/** @param hiddenSize width of an embedding. @throws Error if the graph has no embedding of `input_ids` alone */
export function splitEmbedding(bytes: Uint8Array, hiddenSize: number): SplitDecoder {
  const { graph, ...rest } = parseModel(bytes);
  const gather = graph?.node.find(({ operator, input }) => operator === "Gather" && input[1] === "input_ids");
  const embedded = gather?.output[0];
  if (!graph || !gather || embedded === undefined)
    throw new Error("The graph has no embedding of input_ids.");
  const value = makeValueInfo("inputs_embeds", elementType.float, [
    "batch_size",
    "sequence_length",
    hiddenSize,
  ]);
  const renamed = (name: string): string => (name === embedded ? "inputs_embeds" : name);
  const model = (part: Graph): Uint8Array => encodeModel({ ...rest, graph: part } satisfies Model);
  // The nodes that compute the embedding table go into both graphs, because the output matrix may use the table too.
  const table = graph.node.filter(({ output }) => output[0] === gather.input[0]);
  return {
    embedTokens: model({
      ...graph,
      node: [...table, { ...gather, output: ["inputs_embeds"] }],
      input: graph.input.filter(({ name }) => name === "input_ids"),
      output: [value],
      initializer: graph.initializer.filter(({ name = "" }) =>
        [...table, gather].some(({ input }) => input.includes(name)),
      ),
    }),
    decoder: model({
      ...graph,
      node: graph.node
        .filter((node) => node !== gather)
        .map((node) => ({ ...node, input: node.input.map(renamed) })),
      input: [value, ...graph.input.filter(({ name }) => name !== "input_ids")],
    }),
  };
}
