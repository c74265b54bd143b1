/**
 * Finds weights that a graph stores as integers with a scale for each column, and converts to float32 with a Cast and a Mul:
 * weight-only int8 for runtimes that fold constants. While it folds them, the runtime would hold the integers, their casts
 * and the products at the same time.
 */

import type { ExternalData } from "../base/weight-bytes.ts";
import type { ConstantLookup } from "./constants.ts";
import type { Graph, Node, Tensor } from "./model.ts";
import { elementType } from "./model.ts";
import { elementCount, integerAttribute, tensorBytes, tensorFloats } from "./tensor.ts";

/** `levels × scales` as a float32 matrix. */
export interface ScaledMatrix {
  readonly rows: number;
  readonly columns: number;
  /** (rows, columns), int8 or uint8. */
  readonly levels: Tensor;
  /** One for each column. */
  readonly scales: Tensor;
  /** The Mul node that computes the matrix. */
  readonly product: Node;
}

/** The Mul nodes that compute such a matrix. */
export function findScaledMatrices(graph: Graph, constant: ConstantLookup): ScaledMatrix[] {
  const producers = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  return graph.node.flatMap((product) => {
    if (product.operator !== "Mul" || product.domain) return [];
    const cast = producers.get(product.input[0] ?? "");
    if (cast?.operator !== "Cast" || integerAttribute(cast, "to", 0) !== elementType.float) return [];
    const [levels, scales] = [constant(cast.input[0] ?? ""), constant(product.input[1] ?? "")];
    if (!levels || !scales || !isInteger(levels) || scales.dataType !== elementType.float) return [];
    const [rows = 0, columns = 0, ...more] = levels.dims;
    const perColumn = scales.dims.at(-1) === columns && elementCount(scales.dims) === columns;
    if (more.length > 0 || rows < 1 || columns < 1 || scales.dims.length > 2 || !perColumn) return [];
    return [{ rows, columns, levels, scales, product }];
  });
}

function isInteger({ dataType }: Tensor): boolean {
  return dataType === elementType.int8 || dataType === elementType.uint8;
}

/** Writes the values, (rows, columns) row-major, into `target`. */
export function computeScaledMatrix(
  matrix: ScaledMatrix,
  external: ExternalData,
  target: Float32Array,
): void {
  const { rows, columns } = matrix;
  const bytes = tensorBytes(matrix.levels, external);
  const isSigned = matrix.levels.dataType === elementType.int8;
  const levels = isSigned ? new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length) : bytes;
  const scales = tensorFloats(matrix.scales, external);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at++) {
      target[at] = (levels[at] as number) * (scales[column] as number);
    }
  }
}
