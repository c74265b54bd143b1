/** Reads the weights of a real model from a graph that stores them as int8 with a scale for each output. */
import { parseModel } from "../../src/runtime/engine/onnx/codec.ts";
import { tensorBytes, tensorFloats } from "../../src/runtime/engine/onnx/tensor.ts";
import { matrix } from "../stories260k/matrix.ts";
import type { WeightSource } from "./weights.ts";

const inside: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * The weights in `bytes`, the contents of an .onnx file whose matrices are `NAME.MatMul.weight_q`, (inputs, outputs), and
 * `NAME.MatMul.weight_scale`. @throws Error if the file has no tensor with a requested name and size
 */
export function int8Weights(bytes: Uint8Array): WeightSource {
  const tensors = new Map(parseModel(bytes).graph?.initializer.map((tensor) => [tensor.name, tensor]));
  const tensor = (name: string, dims: readonly number[]) => {
    const found = tensors.get(name);
    if (found && found.dims.join() === dims.join()) return found;
    const has = found ? `of shape [${found.dims}]` : "nowhere";
    throw new Error(`The tensor "${name}" of shape [${dims}] is needed, and is ${has} in the graph.`);
  };
  return {
    matrix(name, rows, columns) {
      const levels = tensorBytes(tensor(`${name}.MatMul.weight_q`, [columns, rows]), inside);
      const scales = tensorFloats(tensor(`${name}.MatMul.weight_scale`, [1, rows]), inside);
      const signed = new Int8Array(levels.buffer, levels.byteOffset, levels.length);
      const values = new Float32Array(rows * columns);
      for (let column = 0; column < columns; column++) {
        for (let row = 0; row < rows; row++) {
          values[row * columns + column] = (signed[column * rows + row] as number) * (scales[row] as number);
        }
      }
      return matrix(rows, columns, values);
    },
    norm: (name, length) => tensorFloats(tensor(`${name}.weight`, [length]), inside),
  };
}
