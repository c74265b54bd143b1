/**
 * Removes everything after the last layer from a decoder's graph. Used if final norm and output matrix are in a separate
 * graph, so that their weights are loaded only once.
 */
import { encodeModel, parseModel } from "./codec.ts";
import { lensNames } from "./lens-graph.ts";
import type { Graph } from "./model.ts";

/**
 * @param graph a graph that returns the stream after its last layer (`openLayers`) @returns the file without logits, and
 * without the nodes and weights that only the logits need @throws OnnxFormatError for a damaged file
 */
export function withoutOutputHead(bytes: Uint8Array): Uint8Array {
  const model = parseModel(bytes);
  const { graph } = model;
  if (graph) {
    graph.output = graph.output.filter(({ name }) => name !== lensNames.logits);
    removeUnneededParts(graph);
  }
  return encodeModel(model);
}

/** Removes nodes and weights that no output of the graph needs. Returns the names of all values that the outputs need. */
export function removeUnneededParts(graph: Graph): ReadonlySet<string> {
  const producers = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  const needed = new Set<string>();
  const open = graph.output.map(({ name = "" }) => name);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (needed.has(name)) continue;
    needed.add(name);
    const node = producers.get(name);
    if (node) open.push(...node.input, ...outerNames(node));
  }
  graph.node = graph.node.filter(({ output }) => output.some((name) => name !== "" && needed.has(name)));
  graph.initializer = graph.initializer.filter(({ name }) => needed.has(name ?? ""));
  return needed;
}

/** Names that the graphs inside a node read. Some of them may be defined outside the node. */
function outerNames({ attribute }: Graph["node"][number]): string[] {
  return attribute
    .flatMap(({ g, graphs }) => (g ? [g, ...graphs] : graphs))
    .flatMap((inner) => [
      ...inner.output.map(({ name = "" }) => name),
      ...inner.node.flatMap((node) => [...node.input, ...outerNames(node)]),
    ]);
}
