/**
 * Rewrites a decoder so that its residual stream can be read and steered after every layer. Each layer gets an input, which
 * is added to the stream, and an output, which returns the stream. Inputs of zeros change nothing.
 */
import { encodeModel, parseModel } from "./codec.ts";
import { constantsOf } from "./constants.ts";
import { buildLensGraph } from "./lens-graph.ts";
import { makeNode, makeValueInfo } from "./make.ts";
import { elementType, type Graph, type Node } from "./model.ts";
import type { LayerNames, OpenedLayers } from "./opened-layers.ts";
import { findResidualStream, producersOf, type ResidualJoin } from "./residual-stream.ts";
import { tensorByteLength } from "./tensor.ts";

/**
 * @returns the result, or the reason why the layers were not found, as the end of a sentence without a full stop
 * @throws OnnxFormatError for a damaged file
 */
export function openLayers(bytes: Uint8Array): OpenedLayers | string {
  const model = parseModel(bytes);
  const { graph } = model;
  if (!graph) return "it has no graph";
  const constant = constantsOf(graph, new Map());
  const stream = findResidualStream(graph, (value) => constant(value) !== null);
  if (typeof stream === "string") return stream;
  const last = stream.layers.at(-1) as ResidualJoin;
  const type = streamType(graph, last);
  if (type === null) return "its residual stream is neither float32 nor float16";
  const element = elementType[type === "float32" ? "float" : "float16"];
  const lens = buildLensGraph(graph, { last, type: element, constant });
  if (typeof lens === "string") return lens;
  const lensFile = encodeModel({ ...model, graph: lens.graph });
  const lensBytes = lens.graph.initializer.reduce((sum, tensor) => sum + tensorByteLength(tensor), 0);
  const { hiddenSize, selectsRows } = lens;
  const layers = stream.layers.map((join, i) => openLayer(graph, join, { layer: i, hiddenSize, type }));
  return { graph: encodeModel(model), lens: lensFile, lensBytes, layers, hiddenSize, selectsRows, type };
}

interface LayerToOpen {
  readonly layer: number;
  readonly hiddenSize: number;
  readonly type: OpenedLayers["type"];
}

/** Changes the graph in place. */
function openLayer(
  graph: Graph,
  { node, addedInput, stream }: ResidualJoin,
  { layer, hiddenSize, type }: LayerToOpen,
): LayerNames {
  const steering = `midtoken/steering.${layer}`;
  const hidden = stream || `midtoken/hidden.${layer}`;
  const element = elementType[type === "float32" ? "float" : "float16"];
  const steered = `midtoken/steered.${layer}`;
  const add = makeNode("Add", [node.input[addedInput] ?? "", steering], [steered], {
    name: `${steered}/Add`,
  });
  node.input[addedInput] = steered;
  // The node adds and norms, and nothing read its sum (output 3) so far. Outputs before the sum are named "" if they are
  // missing.
  if (!stream) for (let i = node.output.length; i <= 3; i++) node.output[i] = i === 3 ? hidden : "";
  graph.node.splice(graph.node.indexOf(node), 0, add);
  graph.input.push(makeValueInfo(steering, element, [hiddenSize]));
  if (!graph.output.some(({ name }) => name === hidden))
    graph.output.push(makeValueInfo(hidden, element, ["batch_size", "sequence_length", hiddenSize]));
  return { steering, hidden };
}

/** Operators whose output has the type of an input other than the first; the value is the input's index. */
const typeInput: Readonly<Record<string, number>> = { MatMulNBits: 2, GatherBlockQuantized: 2, Where: 1 };

function streamType(graph: Graph, { node }: ResidualJoin): OpenedLayers["type"] | null {
  const producers = producersOf(graph);
  const weights = new Map(graph.initializer.map(({ name, dataType }) => [name, dataType] as const));
  const seen = new Set<string>();
  const typeOf = (name: string): number | null => {
    const known = weights.get(name);
    if (known !== undefined) return known;
    const producer = producers.get(name);
    if (!producer || seen.has(name)) return null;
    seen.add(name);
    return givenType(producer) ?? typeOf(producer.input[typeInput[producer.operator ?? ""] ?? 0] ?? "");
  };
  const type = typeOf(node.input[0] ?? "");
  if (type === elementType.float) return "float32";
  return type === elementType.float16 ? "float16" : null;
}

/** The type that an attribute of the node sets; null if there is none. */
function givenType({ operator, attribute }: Node): number | null {
  const named = (name: string) => attribute.find((each) => each.name === name);
  if (operator === "Cast") return Number(named("to")?.i ?? 0);
  return operator === "Constant" ? (named("value")?.t?.dataType ?? null) : null;
}
