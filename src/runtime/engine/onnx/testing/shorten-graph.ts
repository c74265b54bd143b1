/**
 * Removes layers and logits from a decoder's graph, for tests of its cache. Software WebGPU computes a layer and 32 logits in
 * about the same time, so a pass takes half as long with 2 of 3 layers and 512 of 2048 logits.
 *
 * Example: layer 1 of three layers is removed. The last node of a layer adds the layer's output to the stream (`findResidualStream`).
 * The last node of layer 1 gets the inputs of the last node of layer 0, so layer 2 reads the stream after layer 0.
 */
import type { ExternalData } from "../../base/weight-bytes.ts";
import { encodeModel, parseModel } from "../codec.ts";
import { constantsOf } from "../constants.ts";
import { makeTensor } from "../make.ts";
import type { Graph, Node, Tensor } from "../model.ts";
import { findResidualStream, producersOf } from "../residual-stream.ts";
import { elementCount, tensorBytes } from "../tensor.ts";
import { removeUnneededParts } from "../without-head.ts";

export interface ShorterGraph {
  /** Layers are removed as long as more than this many remain. */
  readonly layers: number;
  /** Logits are computed of this many tokens, beginning with token 0; of all tokens if the model has fewer. */
  readonly vocabulary: number;
  /** The kind of each layer; absent if all layers have the same kind. */
  readonly kinds?: readonly string[];
}

/**
 * How many layers of a graph (`tiny-llama/model_q4`) tests of its cache need. Two are enough for most graphs: the logits depend on the
 * same tokens as those of the whole graph. With two layers tiny-llama's logits depend on fewer tokens.
 */
export function layersForCacheTests(graphName: string): number {
  return graphName.startsWith("tiny-llama/") ? 3 : 2;
}

/** The shortened file. @throws Error for a graph whose layers or output matrix are not found */
export function shortenGraph(bytes: Uint8Array, external: ExternalData, options: ShorterGraph): Uint8Array {
  const model = parseModel(bytes);
  const { graph } = model;
  if (!graph) throw new Error("The model has no graph.");
  const constant = constantsOf(graph, new Map());
  const stream = findResidualStream(graph, (value) => constant(value) !== null);
  if (typeof stream === "string") throw new Error(`The graph cannot be shortened: ${stream}.`);
  const removed = removedLayers(stream.layers.length, options);
  for (const layer of removed) {
    const [before, own] = [stream.layers[layer - 1]?.node, stream.layers[layer]?.node];
    if (before && own) own.input.splice(0, 2, ...before.input.slice(0, 2));
  }
  const ofRemoved = new RegExp(`^present\\.(${removed.join("|")})\\.`);
  if (removed.length > 0) graph.output = graph.output.filter(({ name = "" }) => !ofRemoved.test(name));
  new HeadCutter(graph, external, options.vocabulary).cut();
  graph.valueInfo = [];
  const needed = removeUnneededParts(graph);
  graph.input = graph.input.filter(({ name = "" }) => needed.has(name) || !name.startsWith("past"));
  return encodeModel(model);
}

/** Removes no first and no last layer, and no layer of another kind than the layer before. */
export function removedLayers(count: number, { layers, kinds = [] }: ShorterGraph): number[] {
  const repeated = Array.from({ length: Math.max(0, count - 2) }, (_, i) => i + 1).filter(
    (layer) => kinds[layer] === kinds[layer - 1],
  );
  return repeated.slice(0, Math.max(0, count - layers));
}

class HeadCutter {
  readonly #graph: Graph;
  readonly #external: ExternalData;
  readonly #vocabulary: number;

  constructor(graph: Graph, external: ExternalData, vocabulary: number) {
    this.#graph = graph;
    this.#external = external;
    this.#vocabulary = vocabulary;
  }

  cut(): void {
    const producers = producersOf(this.#graph);
    let head = producers.get("logits");
    while (head && !/^MatMul/.test(head.operator ?? "")) head = producers.get(head.input[0] ?? "");
    if (!head) throw new Error("The graph has no output matrix.");
    const size = this.#graph.output.find(({ name }) => name === "logits")?.type?.tensor?.shape?.dims.at(-1);
    if (!size?.value) throw new Error("The graph does not say how many logits it has.");
    if (size.value <= this.#vocabulary) return;
    size.value = this.#vocabulary;
    if (head.operator === "MatMulNBits") this.#cutBlocks(head);
    else this.#cutMatrix(head, producers.get(head.input[1] ?? ""));
  }

  /** Each output of a quantized matrix has a row of levels, of scales and of zero points. */
  #cutBlocks(head: Node): void {
    for (const place of [1, 2, 3]) {
      const name = head.input[place];
      if (name) head.input[place] = this.#addRows(this.#weight(name));
    }
    const outputs = head.attribute.find(({ name }) => name === "N");
    if (outputs) outputs.i = BigInt(this.#vocabulary);
  }

  #cutMatrix(head: Node, transposed: Node | undefined): void {
    if (transposed?.operator === "Transpose") {
      const rows = this.#addRows(this.#weight(transposed.input[0] ?? ""));
      const columns = `${rows}/transposed`;
      const place = this.#graph.node.indexOf(transposed);
      this.#graph.node.splice(place, 0, { ...transposed, name: columns, input: [rows], output: [columns] });
      head.input[1] = columns;
      return;
    }
    const weight = this.#weight(head.input[1] ?? "");
    const [inputs = 0, outputs = 0] = weight.dims;
    const bytes = tensorBytes(weight, this.#external);
    const bytesPerNumber = bytes.length / elementCount(weight.dims);
    const cut = new Uint8Array(inputs * this.#vocabulary * bytesPerNumber);
    for (let row = 0; row < inputs; row++) {
      const start = row * outputs * bytesPerNumber;
      const length = this.#vocabulary * bytesPerNumber;
      cut.set(bytes.subarray(start, start + length), row * length);
    }
    head.input[1] = this.#add(weight, [inputs, this.#vocabulary], cut);
  }

  #weight(name: string): Tensor {
    const weight = this.#graph.initializer.find((tensor) => tensor.name === name);
    if (!weight) throw new Error(`"${name}" is no weight of the graph.`);
    return weight;
  }

  /** Adds the first rows of a weight. Returns the name of the new weight. */
  #addRows(weight: Tensor): string {
    const [rows = 0, ...others] = weight.dims;
    const bytes = tensorBytes(weight, this.#external);
    return this.#add(
      weight,
      [this.#vocabulary, ...others],
      bytes.slice(0, (bytes.length / rows) * this.#vocabulary),
    );
  }

  #add({ name, dataType = 0 }: Tensor, dims: readonly number[], bytes: Uint8Array): string {
    const cut = `${name}/cut`;
    this.#graph.initializer.push(makeTensor(cut, dataType, dims, bytes));
    return cut;
  }
}
