/** Reads a summary of a decoder's file before a session is created. */
import type { CacheKind, GraphSummary, ValueSummary } from "./graph-summary.ts";
import { graphLimits } from "./limits.ts";
import type { Graph, Model, Node, Tensor, ValueInfo } from "./model.ts";
import { elementType, elementTypeName } from "./model.ts";
import { findRotaryNodes } from "./rotary-nodes.ts";
import { externalRange, integerAttribute } from "./tensor.ts";
import { refuseGraph } from "./wire.ts";

/**
 * @throws RangeError for a model without a graph (`parseModel` never returns one), and OnnxFormatError if the graph has too
 * many external files.
 */
export function inspectGraph(model: Model): GraphSummary {
  const { graph } = model;
  if (!graph) throw new RangeError("The model has no graph.");
  const nodes = allNodes(graph);
  const inputs = graph.input.map(valueSummary);
  const outputs = graph.output.map(valueSummary);
  const attentions = nodes.filter((node) => node.operator === "GroupQueryAttention");
  const operators = countBy(nodes, operatorName);
  return {
    operatorSets: new Map(model.operatorSets.map(({ domain = "", version = 0 }) => [domain, version])),
    operators,
    inputs,
    outputs,
    cache: cacheKind(inputs, attentions),
    states: inputs.filter(({ name }) => /^past[._]/.test(name) && !keyOrValue.test(name)).length,
    ...cacheSizes(inputs),
    slidingWindow: slidingWindow(attentions),
    lastLogitsOnly: outputs.find(({ name }) => name === "logits")?.shape.at(-2) === 1,
    rotaryNodes: findRotaryNodes(graph),
    normsInAttention: attentions.some((node) => Boolean(node.input[14] || node.input[15])),
    float16: hasFloat16(graph, nodes, [...inputs, ...outputs]),
    quantized: {
      products: operators.get("com.microsoft.MatMulNBits") ?? 0,
      embeddings: operators.get("com.microsoft.GatherBlockQuantized") ?? 0,
    },
    externalFiles: externalFiles(graph.initializer),
  };
}

/** Why WebAssembly cannot run the graph, with what to do, or null. */
export function webAssemblyFault({ normsInAttention }: GraphSummary): string | null {
  return normsInAttention
    ? "The graph computes per-head norms inside its attention operator, which exists on WebGPU only. Use WebGPU, or a dtype of the model made for the CPU."
    : null;
}

/** Why a WebGPU device cannot run the graph, with what to do, or null. */
export function webGpuFault(
  { float16 }: GraphSummary,
  device: { readonly shaderF16: boolean },
): string | null {
  return float16 && !device.shaderF16
    ? "The graph computes in float16, which this GPU or browser does not offer (shader-f16). Choose a float32 dtype of the model: q4 instead of q4f16, fp32 instead of fp16."
    : null;
}

function allNodes(graph: Graph): Node[] {
  return graph.node.flatMap((node) => {
    const inner = node.attribute.flatMap(({ g, graphs }) => (g ? [g, ...graphs] : graphs));
    return [node, ...inner.flatMap(allNodes)];
  });
}

function operatorName({ domain, operator = "" }: Node): string {
  return domain && domain !== "ai.onnx" ? `${domain}.${operator}` : operator;
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
}

function valueSummary({ name = "", type }: ValueInfo): ValueSummary {
  const shape = type?.tensor?.shape?.dims.map(({ value, symbol }) => value ?? symbol ?? "?") ?? [];
  const element = type?.tensor?.elementType;
  const spelled: Record<number, string> = { [elementType.float]: "float32", [elementType.double]: "float64" };
  return { name, type: spelled[element ?? 0] ?? elementTypeName(element), shape };
}

const keyOrValue = /^past(_key_values)?\.\d+\.(decoder\.)?(key|value)$/;

function cacheKind(inputs: readonly ValueSummary[], attentions: readonly Node[]): CacheKind {
  const past = inputs.filter(({ name }) => keyOrValue.test(name));
  if (past.length === 0) return "none";
  const shared = new Set(attentions.flatMap((node) => [node.input[3], node.input[4]]));
  return past.every(({ name }) => shared.has(name)) ? "shared-cache" : "growing-cache";
}

function cacheSizes(inputs: readonly ValueSummary[]): {
  keyValueHeads: number | null;
  headSize: number | null;
} {
  const shapes = inputs.filter(({ name }) => keyOrValue.test(name)).map(({ shape }) => shape);
  const common = (index: number) => {
    const [first, ...others] = new Set(shapes.map((shape) => shape[index]));
    return typeof first === "number" && others.length === 0 ? first : null;
  };
  return { keyValueHeads: common(1), headSize: common(3) };
}

function slidingWindow(attentions: readonly Node[]): number | null {
  const windows = attentions.map((node) => integerAttribute(node, "local_window_size", -1));
  if (windows.length === 0 || windows.some((size) => size <= 0)) return null;
  return windows.reduce((widest, size) => Math.max(widest, size));
}

function hasFloat16(graph: Graph, nodes: readonly Node[], values: readonly ValueSummary[]): boolean {
  return (
    values.some(({ type }) => type === "float16") ||
    graph.initializer.some(({ dataType }) => dataType === elementType.float16) ||
    nodes.some((node) => node.operator === "Cast" && integerAttribute(node, "to", 0) === elementType.float16)
  );
}

/** The number of bytes that the tensors need of each external file. @throws OnnxFormatError if there are too many files */
function externalFiles(initializers: readonly Tensor[]): Map<string, number> {
  const ends = new Map<string, number>();
  const most = graphLimits.externalFiles;
  for (const tensor of initializers) {
    if (tensor.dataLocation !== 1) continue;
    const { location, offset, length } = externalRange(tensor);
    ends.set(location, Math.max(ends.get(location) ?? 0, offset + length));
    if (ends.size > most) refuseGraph(`weights in more than ${most} files`);
  }
  return ends;
}
