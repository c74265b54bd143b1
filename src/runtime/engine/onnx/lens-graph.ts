/**
 * Makes a graph of a decoder's end: final norm and output matrix, from rows of the residual stream to logits. With rows of
 * an inner layer it is the logit lens (nostalgebraist 2020, "interpreting GPT: the logit lens").
 *
 * Example: the bundled model ends with these two nodes (names shortened).
 *   SkipSimplifiedLayerNormalization(stream, mlp, norm.weight)  -> normed    the last join: adds, then norms
 *   MatMul(normed, lm_head.weight)                              -> logits
 * The lens drops the addition, and reads its rows from the new input "midtoken/rows", of shape (1, rows, 64):
 *   SimplifiedLayerNormalization("midtoken/rows", norm.weight)  -> normed
 *   MatMul(normed, lm_head.weight)                              -> logits, of shape (1, rows, 512)
 * `hiddenSize` is 64. `selectsRows` is false, because no node before the output matrix selects rows (`Gather`, `Slice`). If one
 * does, the lens leaves the node out, so that every row that it gets has logits.
 */
import type { ConstantLookup } from "./constants.ts";
import { makeNode, makeValueInfo } from "./make.ts";
import type { Graph, Node } from "./model.ts";
import { addingNorms, producersOf, type ResidualJoin } from "./residual-stream.ts";
import { floatAttribute } from "./tensor.ts";

/** Names of the graph's input `(1, rows, hidden)` and of its output `(1, rows, vocabulary)`. */
export const lensNames = { rows: "midtoken/rows", logits: "logits" } as const;

const products = new Set(["MatMul", "MatMulNBits", "Gemm", "FusedMatMul"]);
/** Operators with which a graph selects the rows that need logits; the lens computes logits for all rows that it gets. */
const selectors = new Set(["Gather", "Slice"]);

export interface LensGraph {
  readonly graph: Graph;
  /** Width of a row. */
  readonly hiddenSize: number;
  /** Whether the decoder selects some rows before its output matrix, and computes only their logits. */
  readonly selectsRows: boolean;
}

/** The end of a decoder. */
export interface DecoderEnd {
  /** The join (see residual-stream.ts) after the last layer. */
  readonly last: ResidualJoin;
  /** Element type of the stream. */
  readonly type: number;
  readonly constant: ConstantLookup;
}

/** @returns the graph, or the reason why it cannot be made, as the end of a sentence */
export function buildLensGraph(graph: Graph, { last, type, constant }: DecoderEnd): LensGraph | string {
  const path = pathFrom(graph, last);
  const logits = graph.output.find(({ name }) => name === lensNames.logits);
  const head = path.at(-1);
  if (!logits || !head?.output.includes(lensNames.logits))
    return "its logits are not computed from its last layer";
  const renamed = new Map<string, string>();
  const nodes: Node[] = [];
  if (addingNorms.has(last.node.operator ?? "")) {
    nodes.push(normOf(last.node));
    if (last.stream) renamed.set(last.stream, lensNames.rows);
  } else renamed.set(last.stream, lensNames.rows);
  // The output of the last node that was left out because it only selects rows; "" if there is no such node.
  let chosen = "";
  for (const node of path) {
    const input = node.input.map((name) => renamed.get(name) ?? name);
    const isBeforeHead = !nodes.some(({ operator }) => products.has(operator ?? ""));
    const unfolds = node.operator === "Unsqueeze" && node.input[0] === chosen;
    if (isBeforeHead && (selectors.has(node.operator ?? "") || unfolds)) {
      chosen = node.output[0] ?? "";
      renamed.set(chosen, input[0] ?? "");
    } else nodes.push({ ...node, input });
  }
  const constants = constantsBehind(graph, nodes);
  if (typeof constants === "string") return constants;
  const weights = graph.initializer.filter(({ name }) => constants.values.has(name ?? ""));
  // The first vector that the nodes read is the weight of the final norm: it has one number for each place of a row.
  const hiddenSize = nodes
    .flatMap(({ input }) => input)
    .map((name) => constant(name)?.dims)
    .find((dims) => dims?.length === 1 && (dims[0] ?? 0) > 1)?.[0];
  if (hiddenSize === undefined) return "it has no norm before its head";
  return {
    hiddenSize,
    selectsRows: chosen !== "",
    graph: {
      node: [...constants.nodes, ...nodes],
      name: "lens",
      initializer: weights,
      input: [makeValueInfo(lensNames.rows, type, [1, "rows", hiddenSize])],
      output: [{ ...logits, ...openRows(logits) }],
      valueInfo: [],
    },
  };
}

/** The nodes between `last` and the logits that depend on the stream, in the graph's order. */
function pathFrom(graph: Graph, last: ResidualJoin): Node[] {
  const reached = new Set(last.node.output.filter(Boolean));
  const producers = producersOf(graph);
  const wanted = new Set<Node>();
  const open = [lensNames.logits as string];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const node = producers.get(name);
    if (!node || node === last.node || wanted.has(node)) continue;
    wanted.add(node);
    open.push(...node.input);
  }
  const path: Node[] = [];
  for (const node of graph.node) {
    if (!wanted.has(node) || !node.input.some((name) => reached.has(name))) continue;
    path.push(node);
    for (const name of node.output) reached.add(name);
  }
  return path;
}

/** A node that only norms, made from a node that adds and norms. */
function normOf(node: Node): Node {
  const [, , scale = "", offset = ""] = node.input;
  const isCentred = node.operator === "SkipLayerNormalization";
  return makeNode(
    isCentred ? "LayerNormalization" : "SimplifiedLayerNormalization",
    [lensNames.rows, scale, ...(isCentred && offset ? [offset] : [])],
    [node.output[0] ?? ""],
    {
      name: `${node.name}/norm`,
      attributes: { axis: -1n, epsilon: floatAttribute(node, "epsilon", 1e-12), stash_type: 1n },
    },
  );
}

/**
 * All values that these nodes read from outside: constants of the graph, and values computed from constants only. A text if
 * another value is read.
 */
function constantsBehind(graph: Graph, nodes: readonly Node[]) {
  const producers = producersOf(graph);
  const initializers = new Set(graph.initializer.map(({ name }) => name));
  const own = new Set(nodes.flatMap(({ output }) => output));
  const values = new Set<string>();
  const behind = new Set<Node>();
  const open = nodes.flatMap(({ input }) => input);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name === "" || name === lensNames.rows || own.has(name) || values.has(name)) continue;
    values.add(name);
    if (initializers.has(name)) continue;
    const node = producers.get(name);
    if (!node) return `its head reads "${name}" in addition to the last layer`;
    behind.add(node);
    open.push(...node.input);
  }
  return { values, nodes: graph.node.filter((node) => behind.has(node)) };
}

function openRows(logits: Graph["output"][number]): Pick<Graph["output"][number], "type"> {
  const { elementType, shape } = logits.type?.tensor ?? {};
  const width = shape?.dims.at(-1);
  const dims = [{ value: 1 }, { symbol: "rows" }, width ?? { symbol: "vocabulary" }];
  return { type: { tensor: { ...(elementType === undefined ? {} : { elementType }), shape: { dims } } } };
}
