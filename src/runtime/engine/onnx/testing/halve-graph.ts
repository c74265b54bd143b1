/** Converts a 4-bit graph to q4f16: everything except the 4-bit weights becomes float16. For families without such a file. */
import { float32ToFloat16 } from "../../base/float16-arrays.ts";
import type { ExternalData } from "../../base/weight-bytes.ts";
import { encodeModel, parseModel } from "../codec.ts";
import { makeTensor } from "../make.ts";
import { elementType, type Tensor, type ValueInfo } from "../model.ts";
import { tensorBytes, tensorFloats } from "../tensor.ts";

/** The converted file, which contains all weights. */
export function convertGraphToFloat16(bytes: Uint8Array, external: ExternalData): Uint8Array {
  const model = parseModel(bytes);
  const { graph } = model;
  if (!graph) throw new Error("The model has no graph.");
  graph.initializer = graph.initializer.map((tensor) => halved(tensor, external));
  for (const { attribute, operator } of graph.node) {
    for (const each of attribute) {
      if (each.t) each.t = halved(each.t, external);
      const isToFloat = operator === "Cast" && each.name === "to" && each.i === BigInt(elementType.float);
      if (isToFloat) each.i = BigInt(elementType.float16);
    }
  }
  for (const value of [...graph.input, ...graph.output, ...graph.valueInfo]) halve(value);
  return encodeModel(model);
}

function halved(tensor: Tensor, external: ExternalData): Tensor {
  const { name = "", dims, dataType = 0 } = tensor;
  if (dataType !== elementType.float)
    return tensor.dataLocation === 1
      ? makeTensor(name, dataType, dims, new Uint8Array(tensorBytes(tensor, external)))
      : tensor;
  const halves = float32ToFloat16(tensorFloats(tensor, external));
  return makeTensor(name, elementType.float16, dims, new Uint8Array(halves.buffer));
}

function halve({ type }: ValueInfo): void {
  if (type?.tensor?.elementType === elementType.float) type.tensor.elementType = elementType.float16;
}
