/** Finds the nodes with block-quantized weights, and says which of them can be converted to float32. */
import type { BlockQuantizedMatrix, ZeroPoints } from "./blocks.ts";
import { blockQuantizedMatrixFault } from "./blocks.ts";
import type { ConstantLookup } from "./constants.ts";
import type { Graph, Node, Tensor } from "./model.ts";
import { elementType } from "./model.ts";
import { integerAttribute } from "./tensor.ts";

export const contribDomain = "com.microsoft";

/** A node with block-quantized weights, with its matrix, or with the reason why it stays unchanged. */
export interface QuantizedNode {
  readonly node: Node;
  readonly found: BlockQuantizedMatrix | string;
}

/** MatMulNBits and GatherBlockQuantized nodes of the graph, in its order. */
export function findQuantizedNodes(graph: Graph, constant: ConstantLookup): QuantizedNode[] {
  return graph.node
    .filter((node) => node.domain === contribDomain)
    .flatMap((node) => {
      if (node.operator === "MatMulNBits") return [{ node, found: checked(matMulMatrix(node, constant)) }];
      if (node.operator === "GatherBlockQuantized") {
        return [{ node, found: checked(gatherMatrix(node, constant)) }];
      }
      return [];
    });
}

function checked(found: BlockQuantizedMatrix | string): BlockQuantizedMatrix | string {
  return typeof found === "string" ? found : (blockQuantizedMatrixFault(found) ?? found);
}

/**
 * The matrix of a MatMulNBits node. Inputs: activations, weights, scales, zero points?, group index?, bias?. Weights are (N,
 * blocks, bytes).
 */
function matMulMatrix(node: Node, constant: ConstantLookup): BlockQuantizedMatrix | string {
  const [levels, scales] = [constant(node.input[1] ?? ""), constant(node.input[2] ?? "")];
  if (!levels || !scales) return "weights that the graph computes";
  if (node.input[4]) return "a group index";
  if (levels.dataType !== elementType.uint8) return `weights of element type ${levels.dataType}`;
  const bits = integerAttribute(node, "bits", 4) as BlockQuantizedMatrix["bits"];
  const zeroPoints = zeroPointsOf(node, constant, 2 ** (bits - 1), true);
  if (typeof zeroPoints === "string") return zeroPoints;
  return {
    rows: integerAttribute(node, "N", 0),
    columns: integerAttribute(node, "K", 0),
    bits,
    blockSize: integerAttribute(node, "block_size", 0),
    signed: false,
    levels,
    scales,
    zeroPoints,
  };
}

/**
 * The matrix of a GatherBlockQuantized node. Inputs: weights, indices, scales, zero points?. Levels of type uint8 are
 * packed as in MatMulNBits, and their zero point is the middle of the range unless given. Levels of a 4-bit type are packed
 * without gaps, and their zero point is 0 unless given.
 */
function gatherMatrix(node: Node, constant: ConstantLookup): BlockQuantizedMatrix | string {
  const [levels, scales] = [constant(node.input[0] ?? ""), constant(node.input[2] ?? "")];
  if (!levels || !scales) return "weights that the graph computes";
  const axes = [integerAttribute(node, "gather_axis", 0), integerAttribute(node, "quantize_axis", 1)];
  const isTable = levels.dims.length === 2 && axes[0] === 0 && (axes[1] === 1 || axes[1] === -1);
  if (!isTable) return `the axes ${axes} for weights of shape [${levels.dims}]`;
  const inBytes = levels.dataType === elementType.uint8;
  if (!inBytes && levels.dataType !== elementType.uint4 && levels.dataType !== elementType.int4) {
    return `weights of element type ${levels.dataType}`;
  }
  const bits = (inBytes ? integerAttribute(node, "bits", 4) : 4) as BlockQuantizedMatrix["bits"];
  const zeroPoints = zeroPointsOf(node, constant, inBytes ? 2 ** (bits - 1) : 0, inBytes);
  if (typeof zeroPoints === "string") return zeroPoints;
  return {
    rows: levels.dims[0] ?? 0,
    columns: (levels.dims[1] ?? 0) * (inBytes ? 8 / bits : 1),
    bits,
    blockSize: integerAttribute(node, "block_size", 128),
    signed: levels.dataType === elementType.int4,
    levels,
    scales,
    zeroPoints,
  };
}

function zeroPointsOf(
  node: Node,
  constant: ConstantLookup,
  otherwise: number,
  rowsOnBytes: boolean,
): ZeroPoints | string {
  const name = node.input[3] ?? "";
  if (name === "") return { kind: "one", value: otherwise };
  const tensor = constant(name);
  if (!tensor) return "zero points that the graph computes";
  return isFloat(tensor) ? { kind: "floats", tensor } : { kind: "packed", tensor, rowsOnBytes };
}

function isFloat(tensor: Tensor): boolean {
  return tensor.dataType === elementType.float || tensor.dataType === elementType.float16;
}
