/** Adds an input to a graph that the graph does not use. */
import { encodeModel, parseModel } from "../../onnx/codec.ts";
import { makeValueInfo } from "../../onnx/make.ts";

/** @param type a number of `elementType`. */
export function withExtraInput(
  bytes: Uint8Array,
  name: string,
  type: number,
  dims: readonly (number | string)[],
): Uint8Array {
  const { graph, ...rest } = parseModel(bytes);
  if (!graph) throw new Error("The model has no graph.");
  const input = [...graph.input, makeValueInfo(name, type, dims)];
  return encodeModel({ ...rest, graph: { ...graph, input } });
}
