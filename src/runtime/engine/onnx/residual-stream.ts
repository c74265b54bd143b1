/**
 * Finds the residual stream of a decoder: the value that every layer reads, and to which each adds what it computed
 * (Elhage et al. 2021, https://transformer-circuits.pub/2021/framework/index.html). It is found by what nodes do: names say it
 * in some exporters' files alone.
 */
import { type ConstantLookup, constantsOf } from "./constants.ts";
import type { Graph, Node } from "./model.ts";

/** A node that adds to the stream: `Add`, or a norm that adds before it norms. */
export interface Join {
  readonly node: Node;
  /** The index of the input that is added; the other one of the first two is the stream. */
  readonly addedInput: 0 | 1;
  /** The stream after it; empty if the node's output has no name. */
  readonly stream: string;
}

export interface ResidualStream {
  /** The last join of each layer, in the order of the layers; the next layer reads the stream after it. */
  readonly layers: readonly Join[];
}

/** Norms that first add their first two inputs, and give the sum as their fourth output. */
export const addingNorms: ReadonlySet<string> = new Set([
  "SkipSimplifiedLayerNormalization",
  "SkipLayerNormalization",
]);
/** Operators whose output is their first input, in another type at most. */
const aliases = new Set(["Cast", "Identity"]);
const embeddings = new Set(["Gather", "GatherBlockQuantized"]);
const pastInput = /^past[._]/;

/** @returns the stream, or why the graph is of no known shape: the end of a sentence, without its full stop. */
export function residualStream(graph: Graph): ResidualStream | string {
  const joins = new Joins(graph).all();
  if (joins.length === 0) return "no node adds the output of a layer to its input";
  // Where a stream would split in two, which of them the layers read would be a guess.
  for (const [i, join] of joins.entries())
    if (i > 0 && join.readsFrom !== joins[i - 1]?.node)
      return `the stream splits in front of "${join.node.name ?? join.node.operator}"`;
  const layers = layersOf(graph, joins);
  return layers.length > 0 ? { layers } : "no layer has a KV cache";
}

interface OrderedJoin extends Join {
  /** The join whose stream it reads; null if it reads the embedding. */
  readonly readsFrom: Node | null;
}

class Joins {
  readonly #producers: ReadonlyMap<string, Node>;
  readonly #constant: ConstantLookup;
  readonly #graph: Graph;
  readonly #found = new Map<Node, OrderedJoin | null>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#producers = producersOf(graph);
    this.#constant = constantsOf(graph, new Map());
  }

  /** In the order of the graph, in which a node comes after the nodes whose outputs it reads. */
  all(): OrderedJoin[] {
    return this.#graph.node.flatMap((node) => this.#joinAt(node) ?? []);
  }

  #joinAt(node: Node): OrderedJoin | null {
    let join = this.#found.get(node);
    if (join === undefined) {
      this.#found.set(node, null); // A cycle, which no valid graph has, then ends as no join.
      join = this.#find(node);
      this.#found.set(node, join);
    }
    return join;
  }

  #find(node: Node): OrderedJoin | null {
    const adds = addingNorms.has(node.operator ?? "");
    if (!adds && node.operator !== "Add") return null;
    const [a = "", b = ""] = node.input;
    if (this.#constant(a) !== null || this.#constant(b) !== null) return null;
    const stream = (adds ? node.output[3] : node.output[0]) ?? "";
    const [first, second] = [this.#streamAt(a), this.#streamAt(b)];
    if ((first === null) === (second === null)) return null;
    const readsFrom = first ?? second;
    return {
      node,
      addedInput: first === null ? 0 : 1,
      stream,
      readsFrom: readsFrom === "embedding" ? null : readsFrom,
    };
  }

  /** Where the value comes from, if it is the stream. */
  #streamAt(value: string): Node | "embedding" | null {
    let node = this.#producers.get(value);
    let name = value;
    while (node && aliases.has(node.operator ?? "")) {
      name = node.input[0] ?? "";
      node = this.#producers.get(name);
    }
    if (!node) return null;
    const join = this.#joinAt(node);
    if (join) return join.stream === name ? node : null;
    return this.#isEmbedding(node) ? "embedding" : null;
  }

  /** A row of a table for each token, times a constant in some families. */
  #isEmbedding(node: Node): boolean {
    if (embeddings.has(node.operator ?? "")) return this.#readsIds(node.input[1] ?? "");
    if (node.operator !== "Mul" && !aliases.has(node.operator ?? "")) return false;
    return node.input.some((input) => {
      const producer = this.#producers.get(input);
      return producer !== undefined && this.#isEmbedding(producer);
    });
  }

  #readsIds(value: string): boolean {
    if (value === "input_ids") return true;
    const producer = this.#producers.get(value);
    return producer !== undefined && aliases.has(producer.operator ?? "")
      ? this.#readsIds(producer.input[0] ?? "")
      : false;
  }
}

/** A layer begins where the stream gets the result of attention, a convolution or a recurrence. */
function layersOf(graph: Graph, joins: readonly OrderedJoin[]): Join[] {
  const producers = producersOf(graph);
  const ends = new Set(joins.map(({ node }) => node));
  const layers: Join[] = [];
  for (const { readsFrom: _, ...join } of joins) {
    if (remembers(join.node.input[join.addedInput] ?? "", producers, ends)) layers.push(join);
    else if (layers.length > 0) layers[layers.length - 1] = join;
  }
  return layers;
}

function remembers(value: string, producers: ReadonlyMap<string, Node>, ends: ReadonlySet<Node>): boolean {
  const open = [value];
  const seen = new Set<Node>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (pastInput.test(name)) return true;
    const node = producers.get(name);
    // Many nodes use only the length of the past (`Shape`), which does not depend on its values.
    if (!node || seen.has(node) || ends.has(node) || node.operator === "Shape") continue;
    seen.add(node);
    open.push(...node.input);
  }
  return false;
}

/** The node that gives each value. */
export function producersOf({ node }: Graph): Map<string, Node> {
  return new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
}
