/**
 * Finds the residual stream of a decoder: the value that every layer reads, and to which it adds its result (Elhage et al.
 * 2021, https://transformer-circuits.pub/2021/framework/index.html). The stream begins at the embedding; a join is a node that
 * adds to it. The search looks at what nodes compute, because only some exporters use names that show the stream.
 *
 * Example: layer 0 of the bundled model, with shortened names; `SkipNorm` adds its first two inputs, then norms the sum.
 *   Gather(table, input_ids)          -> e         the embedding: the stream begins here
 *   GroupQueryAttention(…, past key)  -> a -> …    attention, which reads the KV cache; its last product is `o`
 *   SkipNorm(e, o)                    -> sum s0    a join: `e` is the stream, `o` is added. `o` depends on the KV cache, so
 *                                                  a layer begins with this join
 *   …MLP…                             -> d
 *   SkipNorm(s0, d)                   -> sum s1    a join: `d` depends on no further KV cache, so the layer goes on
 * The result for layer 0 is the second join: `addedInput` 1, `stream` s1. The model has 5 layers, so 5 such joins are returned.
 *
 * Rules: exactly one of a join's two inputs is the stream. Each join must read the stream after the join before it. If the
 * stream splits, or no layer has a KV cache, the result is a sentence that says so.
 */
import type { Graph, Node } from "./model.ts";

/** A node that adds to the stream: `Add`, or a norm that first adds two inputs. */
export interface ResidualJoin {
  readonly node: Node;
  /** The index of the input that is added to the stream. The other of the first two inputs is the stream. */
  readonly addedInput: 0 | 1;
  /** Name of the stream after this node; "" if that output has no name. */
  readonly stream: string;
}

export interface ResidualStream {
  /** The last join of each layer, in the order of the layers. The next layer reads the stream after this join. */
  readonly layers: readonly ResidualJoin[];
}

/** Norms that first add their first two inputs, and return the sum as their fourth output. */
export const addingNorms: ReadonlySet<string> = new Set([
  "SkipSimplifiedLayerNormalization",
  "SkipLayerNormalization",
]);
/** Operators that return their first input, at most in another type. */
const aliases = new Set(["Cast", "Identity"]);
const embeddings = new Set(["Gather", "GatherBlockQuantized"]);
const pastInput = /^past[._]/;

/**
 * @param isConstant whether a value is the same in every pass; a node that adds a constant is no join
 * @returns the stream, or the reason why it was not found, as the end of a sentence without a full stop
 */
export function findResidualStream(
  graph: Graph,
  isConstant: (value: string) => boolean,
): ResidualStream | string {
  const joins = new Joins(graph, isConstant).all();
  if (joins.length === 0) return "no node adds the output of a layer to its input";
  // If the stream splits in two, the layers may read either of them, so opening them would be a guess.
  for (const [i, join] of joins.entries())
    if (i > 0 && join.readsFrom !== joins[i - 1]?.node)
      return `the stream splits before "${join.node.name ?? join.node.operator}"`;
  const layers = layersOf(graph, joins);
  return layers.length > 0 ? { layers } : "no layer has a KV cache";
}

interface OrderedJoin extends ResidualJoin {
  /** The join after which this join reads the stream; null if it reads the embedding. */
  readonly readsFrom: Node | null;
}

class Joins {
  readonly #producers: ReadonlyMap<string, Node>;
  readonly #isConstant: (value: string) => boolean;
  readonly #graph: Graph;
  readonly #found = new Map<Node, OrderedJoin | null>();

  constructor(graph: Graph, isConstant: (value: string) => boolean) {
    this.#graph = graph;
    this.#producers = producersOf(graph);
    this.#isConstant = isConstant;
  }

  /** In the graph's order, in which a node follows the nodes whose outputs it reads. */
  all(): OrderedJoin[] {
    return this.#graph.node.flatMap((node) => this.#joinAt(node) ?? []);
  }

  #joinAt(node: Node): OrderedJoin | null {
    let join = this.#found.get(node);
    if (join === undefined) {
      this.#found.set(node, null); // Ends a cycle, which a valid graph does not have, as "no join".
      join = this.#find(node);
      this.#found.set(node, join);
    }
    return join;
  }

  #find(node: Node): OrderedJoin | null {
    const adds = addingNorms.has(node.operator ?? "");
    if (!adds && node.operator !== "Add") return null;
    const [a = "", b = ""] = node.input;
    if (this.#isConstant(a) || this.#isConstant(b)) return null;
    const stream = (adds ? node.output[3] : node.output[0]) ?? "";
    const [first, second] = [this.#streamAt(a), this.#streamAt(b)];
    // A join adds one other value to the stream: two values of the stream, or none, are no join.
    if ((first === null) === (second === null)) return null;
    const readsFrom = first ?? second;
    return {
      node,
      addedInput: first === null ? 0 : 1,
      stream,
      readsFrom: readsFrom === "embedding" ? null : readsFrom,
    };
  }

  /** The node that computes the value, if the value is the stream; "embedding" at its beginning; else null. */
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

  /** Whether the node is the embedding: a table row for each token, which some families multiply by a constant. */
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

/**
 * Groups the joins by layer. A layer begins where the result of attention, a convolution or a recurrence is added to the
 * stream.
 */
function layersOf(graph: Graph, joins: readonly OrderedJoin[]): ResidualJoin[] {
  const producers = producersOf(graph);
  const ends = new Set(joins.map(({ node }) => node));
  const layers: ResidualJoin[] = [];
  for (const { readsFrom: _, ...join } of joins) {
    if (remembers(join.node.input[join.addedInput] ?? "", producers, ends)) layers.push(join);
    else if (layers.length > 0) layers[layers.length - 1] = join;
  }
  return layers;
}

/** Whether the value depends on the KV cache, without the nodes in `ends`: the search must not enter the layers before. */
function remembers(value: string, producers: ReadonlyMap<string, Node>, ends: ReadonlySet<Node>): boolean {
  const open = [value];
  const seen = new Set<Node>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (pastInput.test(name)) return true;
    const node = producers.get(name);
    // Many nodes use only the length of the past (`Shape`), so they do not depend on its values.
    if (!node || seen.has(node) || ends.has(node) || node.operator === "Shape") continue;
    seen.add(node);
    open.push(...node.input);
  }
  return false;
}

/** The node that computes each value, by the value's name. */
export function producersOf({ node }: Graph): Map<string, Node> {
  return new Map(node.flatMap((each) => each.output.map((name) => [name, each] as const)));
}
