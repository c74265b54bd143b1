/** Finds the values of a graph that are known before the graph runs. */

import type { ExternalData } from "../base/weight-bytes.ts";
import type { Graph, Node, Tensor } from "./model.ts";
import { elementCount, tensorAttribute, tensorIntegers } from "./tensor.ts";

/**
 * Returns the tensor that a value of the graph always has, or null if the value depends on the inputs. Only shapes are
 * computed.
 */
export type ConstantLookup = (name: string) => Tensor | null;

/** The constants of a graph: initializers, Constant nodes, and Identity and Reshape of constants. */
export function constantsOf(graph: Graph, external: ExternalData): ConstantLookup {
  const initializers = new Map(graph.initializer.map((tensor) => [tensor.name ?? "", tensor]));
  const producers = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  const known = new Map<string, Tensor | null>();

  const lookup: ConstantLookup = (name) => {
    if (!known.has(name)) {
      known.set(name, null); // Ends a cycle, which a valid graph does not have, as "not constant".
      known.set(name, initializers.get(name) ?? fromNode(producers.get(name)));
    }
    return known.get(name) ?? null;
  };

  const fromNode = (node: Node | undefined): Tensor | null => {
    if (node === undefined || (node.domain ?? "") !== "") return null;
    const source = node.input[0] ?? "";
    if (node.operator === "Constant") return tensorAttribute(node, "value") ?? null;
    if (node.operator === "Identity") return lookup(source);
    if (node.operator !== "Reshape") return null;
    const tensor = lookup(source);
    const shape = lookup(node.input[1] ?? "");
    return tensor && shape ? reshaped(tensor, tensorIntegers(shape, external)) : null;
  };

  return lookup;
}

/**
 * The tensor with the shape that a Reshape node gives it: 0 keeps the dimension at this position, -1 is computed from the
 * others. Null if the sizes do not agree.
 */
function reshaped(tensor: Tensor, shape: readonly number[]): Tensor | null {
  const dimsOrUnknown = shape.map((dim, i) => (dim === 0 ? (tensor.dims[i] ?? 0) : dim));
  const count = elementCount(tensor.dims);
  const knownCount = elementCount(dimsOrUnknown.filter((dim) => dim !== -1));
  const dims = dimsOrUnknown.map((dim) => (dim === -1 ? count / knownCount : dim));
  return elementCount(dims) === count ? { ...tensor, dims } : null;
}

/** How often each value is read: by nodes, by graphs inside nodes, and as an output of the graph. */
function readersOf(graph: Graph, counts = new Map<string, number>()): Map<string, number> {
  const count = (name: string | undefined) => counts.set(name ?? "", (counts.get(name ?? "") ?? 0) + 1);
  for (const output of graph.output) count(output.name);
  for (const node of graph.node) {
    node.input.forEach(count);
    for (const { g, graphs } of node.attribute) {
      for (const inner of g ? [g, ...graphs] : graphs) readersOf(inner, counts);
    }
  }
  return counts;
}

/** Operators that have no effect but their output, so that a rewrite may remove them when nothing reads that output. */
const removable = new Set(["Constant", "Identity", "Reshape", "Transpose", "Cast"]);

/**
 * Removes, in place, the initializers and the `removable` nodes that nothing reads any more, and then those that only the removed
 * ones read.
 */
export function removeUnusedConstants(graph: Graph): void {
  const readers = readersOf(graph);
  const producers = new Map(graph.node.flatMap((node) => node.output.map((name) => [name, node] as const)));
  const removed = new Set<Node>();
  const unread = (name: string) => name === "" || !readers.get(name);
  const isDead = (node: Node) => removable.has(node.operator ?? "") && node.output.every(unread);
  const dead = graph.node.filter(isDead);
  for (let node = dead.pop(); node !== undefined; node = dead.pop()) {
    if (removed.has(node)) continue;
    removed.add(node);
    for (const name of node.input) {
      readers.set(name, (readers.get(name) ?? 0) - 1);
      const producer = producers.get(name);
      if (producer && isDead(producer)) dead.push(producer);
    }
  }
  graph.node = graph.node.filter((node) => !removed.has(node));
  graph.initializer = graph.initializer.filter((tensor) => !unread(tensor.name ?? ""));
}
