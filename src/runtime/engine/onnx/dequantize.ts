/**
 * Rewrites a graph with quantized weights so that it uses float32 weights.
 *
 * On WebAssembly the runtime would expand 4-bit weights again at every step, and its WebGPU builds have no CPU kernel for a
 * quantized embedding. Float32 weights avoid both, at 4 bytes per parameter. A weight is written as (outputs, inputs), its
 * order in the file, so that an embedding and an output matrix which share weights still share them: MatMulNBits becomes
 * FusedMatMul with a transposed weight, GatherBlockQuantized becomes Gather.
 */

import type { ExternalData } from "../base/weight-bytes.ts";
import type { BlockQuantizedMatrix } from "./blocks.ts";
import { dequantizeBlocks } from "./blocks.ts";
import { encodeModel, parseModel } from "./codec.ts";
import { ComputedWeights } from "./computed-weights.ts";
import { type ConstantLookup, constantsOf, removeUnusedConstants } from "./constants.ts";
import { makeExternalTensor, makeNode } from "./make.ts";
import type { Graph, Model, Node, Tensor } from "./model.ts";
import { elementType } from "./model.ts";
import { contribDomain, findQuantizedNodes } from "./quantized-nodes.ts";
import { computeScaledMatrix, findScaledMatrices } from "./scaled-matrices.ts";
import { checkTensor, elementCount } from "./tensor.ts";
import { rewriteTransposedGathers } from "./transposed-tables.ts";

/** A node whose quantized weights stay unchanged, and the reason. */
export interface UnchangedNode {
  readonly name: string;
  readonly operator: string;
  readonly reason: string;
}

export interface DequantizedModel {
  /** Bytes of the float32 weights that replace the quantized ones. */
  readonly floatBytes: number;
  /** Number of nodes with quantized weights that are rewritten. */
  readonly rewritten: number;
  readonly kept: readonly UnchangedNode[];
  /** The rewritten graph without weights, which are in `externalData`. */
  readonly model: Uint8Array;
  /**
   * All external data that the new graph uses: the given data, and the float32 weights, each computed when it is read. The
   * result of a read stays valid until the next read.
   */
  readonly externalData: ExternalData;
}

export interface DequantizeOptions {
  /** Most bytes of float32 weights; 3 GiB unless given, because the runtime's heap has at most 4. */
  readonly maximumBytes?: number;
}

const gibibyte = 2 ** 30;
/** Browsers limit an array buffer to 2 GiB or slightly more. */
const largestBuffer = 2 * gibibyte - 1;

/** The float32 weights need more than `maximumBytes`, or one weight needs more than an array buffer can hold. */
export class ModelTooLargeError extends RangeError {
  override readonly name = "ModelTooLargeError";
}

/**
 * Converts quantized weights to float32, and rewrites gathers from large transposed matrices (transposed-tables.ts). The results
 * differ from the given graph's only by rounding. A file with neither is returned unchanged, with its external data.
 * @throws OnnxFormatError for a damaged file or missing external data.
 * @throws ModelTooLargeError if the float32 weights exceed `maximumBytes`, or one weight exceeds 2 GiB.
 */
export function dequantizeModel(
  bytes: Uint8Array,
  externalData: ExternalData,
  { maximumBytes = 3 * gibibyte }: DequantizeOptions = {},
): DequantizedModel {
  const model = parseModel(bytes);
  const graph = graphOf(model);
  const constant = constantsOf(graph, externalData);
  const plan = rewritePlanOf(graph, constant);
  const scaled = findScaledMatrices(graph, constant);
  const { matrices, kept, rewritten } = plan;
  const all = [...matrices.keys(), ...scaled];
  const size = all.reduce((sum, matrix) => sum + sizeOf(matrix), 0);
  refuseTooLarge(size, all, maximumBytes);
  const products = new Map(scaled.map((matrix) => [matrix.product.output[0] ?? "", matrix]));
  const turned = rewriteTransposedGathers(graph, (name) => products.has(name) || isLarge(constant(name)));
  if (rewritten + scaled.length + turned === 0) {
    return { floatBytes: 0, rewritten: 0, kept, model: bytes, externalData };
  }
  graph.node = graph.node.flatMap((node) => plan.replacements.get(node) ?? [node]);
  const weights = new ComputedWeights();
  for (const [matrix, name] of matrices) {
    for (const tensor of [matrix.levels, matrix.scales]) checkTensor(tensor, externalData);
    addWeight(graph, weights, name, matrix, (target) => dequantizeBlocks(matrix, externalData, target));
  }
  for (const [name, matrix] of products) {
    for (const tensor of [matrix.levels, matrix.scales]) checkTensor(tensor, externalData);
    graph.node = graph.node.filter((node) => node !== matrix.product);
    addWeight(graph, weights, name, matrix, (target) => computeScaledMatrix(matrix, externalData, target));
  }
  removeUnusedConstants(graph);
  return {
    floatBytes: size,
    rewritten: rewritten + scaled.length,
    kept,
    model: encodeModel(model),
    externalData: weights.filesWith(externalData),
  };
}

/** Whether a matrix is so large (a megabyte or more) that adding two small nodes is better than holding it twice. */
function isLarge(tensor: Tensor | null): boolean {
  return tensor !== null && tensor.dims.length === 2 && elementCount(tensor.dims) >= 2 ** 18;
}

function addWeight(
  graph: Graph,
  weights: ComputedWeights,
  name: string,
  { rows, columns }: MatrixSize,
  compute: (target: Float32Array) => void,
): void {
  const count = rows * columns;
  const place = weights.add(4 * count, (target) => compute(new Float32Array(target, 0, count)));
  graph.initializer.push(makeExternalTensor(name, elementType.float, [rows, columns], place));
}

function graphOf({ graph }: Model): Graph {
  if (!graph) throw new RangeError("The model has no graph.");
  return graph;
}

interface RewritePlan {
  /** Name of the new weight of each matrix. Nodes that share a weight share its matrix. */
  readonly matrices: Map<BlockQuantizedMatrix, string>;
  /** The nodes that replace each rewritten node. */
  readonly replacements: Map<Node, Node[]>;
  readonly rewritten: number;
  readonly kept: UnchangedNode[];
}

function rewritePlanOf(graph: Graph, constant: ConstantLookup): RewritePlan {
  const matrices = new Map<BlockQuantizedMatrix, string>();
  const shared = new Map<string, string>();
  const replacements = new Map<Node, Node[]>();
  const kept: UnchangedNode[] = [];
  for (const { node, found } of findQuantizedNodes(graph, constant)) {
    if (typeof found === "string") {
      kept.push({ name: node.name ?? "", operator: node.operator ?? "", reason: found });
      continue;
    }
    const key = identity(found);
    const name = shared.get(key) ?? `${found.levels.name}_float32`;
    if (!shared.has(key)) matrices.set(found, name);
    shared.set(key, name);
    replacements.set(node, replacement(node, name, found.scales));
  }
  return { matrices, replacements, rewritten: replacements.size, kept };
}

/**
 * A key that is equal for nodes with the same weights. Such nodes name the same tensors; a reshaped tensor keeps its name.
 */
function identity({
  rows,
  columns,
  bits,
  blockSize,
  signed,
  levels,
  scales,
  zeroPoints,
}: BlockQuantizedMatrix): string {
  const zero = zeroPoints.kind === "one" ? zeroPoints.value : `${zeroPoints.kind} ${zeroPoints.tensor.name}`;
  return JSON.stringify([rows, columns, bits, blockSize, signed, levels.name, scales.name, zero]);
}

/**
 * The nodes that replace `node`: its operator with the float32 weight, between two casts if the graph computes in float16.
 */
function replacement(node: Node, weight: string, scales: Tensor): Node[] {
  const half = scales.dataType === elementType.float16;
  const name = node.name ?? "";
  const result = node.output[0] ?? "";
  const wide = half ? `${result}_float32` : result;
  const nodes: Node[] = [];
  const cast = (from: string, to: string, type: number) => {
    nodes.push(makeNode("Cast", [from], [to], { name: `${to}/Cast`, attributes: { to: BigInt(type) } }));
    return to;
  };
  if (node.operator === "GatherBlockQuantized") {
    nodes.push(makeNode("Gather", [weight, node.input[1] ?? ""], [wide], { name }));
  } else {
    const input = node.input[0] ?? "";
    const activations = half ? cast(input, `${name}/input_float32`, elementType.float) : input;
    const bias = node.input[5] ?? "";
    const product = bias ? `${wide}_unbiased` : wide;
    const attributes = { transB: 1n };
    nodes.push(
      makeNode("FusedMatMul", [activations, weight], [product], { name, domain: contribDomain, attributes }),
    );
    if (bias) {
      const added = half ? cast(bias, `${name}/bias_float32`, elementType.float) : bias;
      nodes.push(makeNode("Add", [product, added], [wide], { name: `${name}/Add` }));
    }
  }
  if (half) cast(wide, result, elementType.float16);
  return nodes;
}

interface MatrixSize {
  readonly rows: number;
  readonly columns: number;
  readonly levels: Tensor;
}

function sizeOf({ rows, columns }: MatrixSize): number {
  return rows * columns * 4;
}

function refuseTooLarge(sum: number, matrices: Iterable<MatrixSize>, maximum: number): void {
  const mebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
  if (sum > maximum) {
    throw new ModelTooLargeError(
      `The weights take ${mebibytes(sum)} as float32; at most ${mebibytes(maximum)} fit here. Use WebGPU or a smaller model.`,
    );
  }
  for (const { rows, columns, levels } of matrices) {
    if (rows * columns * 4 > largestBuffer) {
      throw new ModelTooLargeError(
        `The weight "${levels.name}" takes ${mebibytes(rows * columns * 4)} as float32; a buffer holds at most 2048 MiB. Use WebGPU or a smaller model.`,
      );
    }
  }
}
