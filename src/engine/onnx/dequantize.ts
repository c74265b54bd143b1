/**
 * Rewrites a graph with 4-bit weights so that it works on float32 weights.
 *
 * On WebAssembly the runtime expands 4-bit weights again at every step, and its WebGPU builds have no kernel there for
 * a quantized embedding at all. With float32 weights both are gone, for 4 bytes per parameter. A weight is written as
 * (outputs, inputs), the order in which it lies in the file, so that an embedding and the output matrix that share
 * their weights share them still: MatMulNBits becomes FusedMatMul with a transposed weight, GatherBlockQuantized
 * becomes Gather.
 */
import type { BlockMatrix } from "./blocks.ts";
import { dequantizeBlocks } from "./blocks.ts";
import { encodeModel, parseModel } from "./codec.ts";
import { constantsOf, removeUnread } from "./constants.ts";
import { externalTensor, makeNode } from "./make.ts";
import type { Graph, Model, Node, Tensor } from "./model.ts";
import { elementType } from "./model.ts";
import { contribDomain, quantizedNodes } from "./quantized-nodes.ts";
import type { ExternalData } from "./tensor.ts";
import { type externalPlace, tensorByteLength, tensorBytes } from "./tensor.ts";

/** A node with quantized weights that stays as it is, and the reason. */
export interface KeptNode {
  readonly name: string;
  readonly operator: string;
  readonly reason: string;
}

export interface DequantizedModel {
  /** Bytes of the float32 weights that replace the quantized ones. */
  readonly floatBytes: number;
  /** Number of nodes that are rewritten. */
  readonly rewritten: number;
  readonly kept: readonly KeptNode[];
  /** The new file, small: weights are in `externalData`. */
  readonly model: Uint8Array<ArrayBuffer>;
  /** All external data that the new file names, in place of the external data that was given. */
  readonly externalData: Map<string, Uint8Array<ArrayBuffer>>;
}

export interface DequantizeOptions {
  /** Most bytes of float32 weights; 3 GiB unless given: the runtime's heap ends at 4. */
  readonly maximumBytes?: number;
  /** Size at which a new external file is begun; 1 GiB unless given. */
  readonly chunkBytes?: number;
}

const gibibyte = 2 ** 30;
/** Browsers end an array buffer at 2 GiB or somewhat above. */
const largestBuffer = 2 * gibibyte - 1;
const alignment = 64;

/** The float32 weights need more memory than `maximumBytes`, or one of them more than a buffer holds. */
export class ModelTooLargeError extends RangeError {
  override readonly name = "ModelTooLargeError";
}

/**
 * Writes quantized weights as float32. The results differ from the quantized graph's only by rounding.
 * A file without such weights comes back as it was, with its external data.
 * @throws OnnxFormatError for a damaged file or missing external data.
 * @throws ModelTooLargeError when the float32 weights go beyond `maximumBytes`, or one beyond 2 GiB.
 */
export function dequantizeModel(
  bytes: Uint8Array,
  externalData: ExternalData,
  { maximumBytes = 3 * gibibyte, chunkBytes = gibibyte }: DequantizeOptions = {},
): DequantizedModel {
  const model = parseModel(bytes);
  const graph = graphOf(model);
  const plan = rewritePlanOf(graph, externalData);
  const { matrices, kept, rewritten } = plan;
  const size = floatBytes(matrices.keys());
  refuseTooLarge(size, matrices.keys(), maximumBytes);
  graph.node = graph.node.flatMap((node) => plan.replacements.get(node) ?? [node]);
  removeUnread(graph);
  const old = graph.initializer.filter((tensor) => tensor.dataLocation === 1);
  const layout = new Layout(Math.min(chunkBytes, largestBuffer));
  const places = Array.from(matrices, ([matrix, name]) => ({
    matrix,
    name,
    place: layout.add(sizeOf(matrix)),
  }));
  const moved = old.map((tensor) => ({ tensor, place: layout.add(tensorByteLength(tensor)) }));
  const files = layout.allocate();
  for (const { matrix, name, place } of places) {
    dequantizeBlocks(matrix, externalData, floatsAt(files, place));
    graph.initializer.push(externalTensor(name, elementType.float, [matrix.rows, matrix.columns], place));
  }
  for (const { tensor, place } of moved) {
    bytesAt(files, place).set(tensorBytes(tensor, externalData));
    tensor.externalData = externalTensor("", elementType.float, [], place).externalData;
  }
  return { floatBytes: size, rewritten, kept, model: encodeModel(model), externalData: files };
}

function graphOf({ graph }: Model): Graph {
  if (!graph) throw new RangeError("The model has no graph.");
  return graph;
}

interface RewritePlan {
  /** Name of the new weight of each matrix; nodes that share a weight share its matrix. */
  readonly matrices: Map<BlockMatrix, string>;
  /** The nodes that replace each rewritten node. */
  readonly replacements: Map<Node, Node[]>;
  readonly rewritten: number;
  readonly kept: KeptNode[];
}

function rewritePlanOf(graph: Graph, external: ExternalData): RewritePlan {
  const matrices = new Map<BlockMatrix, string>();
  const shared = new Map<string, string>();
  const replacements = new Map<Node, Node[]>();
  const kept: KeptNode[] = [];
  for (const { node, found } of quantizedNodes(graph, constantsOf(graph, external))) {
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
 * A key that is equal for nodes that read the same weights, which they do when they name the same tensors. A reshaped
 * tensor keeps its name.
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
}: BlockMatrix): string {
  const zero = zeroPoints.kind === "one" ? zeroPoints.value : `${zeroPoints.kind} ${zeroPoints.tensor.name}`;
  return JSON.stringify([rows, columns, bits, blockSize, signed, levels.name, scales.name, zero]);
}

/** The nodes that replace `node`: its operator on the float32 weight, between casts where the graph computes in float16. */
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

function sizeOf({ rows, columns }: BlockMatrix): number {
  return rows * columns * 4;
}

function floatBytes(matrices: Iterable<BlockMatrix>): number {
  let sum = 0;
  for (const matrix of matrices) sum += sizeOf(matrix);
  return sum;
}

function refuseTooLarge(sum: number, matrices: Iterable<BlockMatrix>, maximum: number): void {
  const mebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;
  if (sum > maximum) {
    throw new ModelTooLargeError(
      `The weights take ${mebibytes(sum)} as float32; at most ${mebibytes(maximum)} fit here. Use WebGPU or a smaller model.`,
    );
  }
  for (const { rows, columns, levels } of matrices) {
    if (rows * columns * 4 > largestBuffer) {
      throw new ModelTooLargeError(
        `The weight "${levels.name}" takes ${mebibytes(rows * columns * 4)} as float32; a buffer ends at 2048 MiB. Use WebGPU or a smaller model.`,
      );
    }
  }
}

/** A span of an external data file. */
type Place = ReturnType<typeof externalPlace>;

/** Lays out spans one after the other in files of bounded size, before anything is allocated: so each file is allocated once. */
class Layout {
  private readonly sizes: number[] = [];

  constructor(private readonly chunkBytes: number) {}

  add(length: number): Place {
    const last = this.sizes.length - 1;
    const end = Math.ceil((this.sizes[last] ?? 0) / alignment) * alignment;
    const fits = last >= 0 && end + length <= this.chunkBytes;
    const file = fits ? last : last + 1;
    const offset = fits ? end : 0;
    this.sizes[file] = offset + length;
    return { location: `float32_${file}.onnx_data`, offset, length };
  }

  allocate(): Map<string, Uint8Array<ArrayBuffer>> {
    return new Map(this.sizes.map((size, file) => [`float32_${file}.onnx_data`, new Uint8Array(size)]));
  }
}

function bytesAt(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>, place: Place): Uint8Array<ArrayBuffer> {
  const file = files.get(place.location) ?? new Uint8Array();
  return file.subarray(place.offset, place.offset + place.length);
}

function floatsAt(files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>, place: Place): Float32Array {
  const { buffer, byteOffset, byteLength } = bytesAt(files, place);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}
