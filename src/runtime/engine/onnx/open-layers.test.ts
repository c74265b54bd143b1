import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { encodeModel, parseModel } from "./codec.ts";
import { constantsOf } from "./constants.ts";
import { makeNode } from "./make.ts";
import type { Graph, Node } from "./model.ts";
import { openLayers } from "./open-layers.ts";
import { findResidualStream } from "./residual-stream.ts";
import { withoutOutputHead } from "./without-head.ts";

const bundled = new Uint8Array(readFileSync("public/models/stories260k/onnx/model.onnx"));

function bundledGraph(): Graph {
  const { graph } = parseModel(bundled);
  if (!graph) throw new Error("The bundled model has no graph.");
  return graph;
}

/** The bundled model's file after a change. */
function changed(change: (graph: Graph) => void): Uint8Array {
  const model = parseModel(bundled);
  if (model.graph) change(model.graph);
  return encodeModel(model);
}

function streamOf(graph: Graph) {
  const constant = constantsOf(graph, new Map());
  return findResidualStream(graph, (value) => constant(value) !== null);
}

const isJoin = (node: Node) => node.operator === "SkipSimplifiedLayerNormalization";

/** The same graph with meaningless names, except those of its inputs and outputs. */
function withoutNames(graph: Graph): void {
  const kept = new Set([...graph.input, ...graph.output].map(({ name }) => name));
  const names = new Map<string, string>();
  const other = (name: string) => {
    if (name === "" || kept.has(name)) return name;
    if (!names.has(name)) names.set(name, `v${names.size}`);
    return names.get(name) as string;
  };
  for (const [i, node] of graph.node.entries()) {
    node.name = `n${i}`;
    node.input = node.input.map(other);
    node.output = node.output.map(other);
  }
  for (const tensor of graph.initializer) tensor.name = other(tensor.name ?? "");
}

test("the stream is found by what nodes do, whatever they are called", () => {
  const [named, unnamed] = [bundledGraph(), bundledGraph()];
  withoutNames(unnamed);
  const places = (graph: Graph) => {
    const stream = streamOf(graph);
    if (typeof stream === "string") throw new Error(stream);
    return stream.layers.map(({ node, addedInput }) => [graph.node.indexOf(node), addedInput]);
  };
  expect(places(unnamed)).toEqual(places(named));
  const ends = named.node.filter(isJoin).filter((_, i) => i % 2 === 1);
  expect(places(named)).toEqual(ends.map((node) => [named.node.indexOf(node), 1]));
});

test("which of two inputs is the stream is not told by their order", () => {
  const graph = bundledGraph();
  for (const node of graph.node.filter(isJoin))
    node.input.splice(0, 2, node.input[1] ?? "", node.input[0] ?? "");
  const stream = streamOf(graph);
  expect(typeof stream === "string" ? stream : stream.layers.map(({ addedInput }) => addedInput)).toEqual([
    0, 0, 0, 0, 0,
  ]);
});

test("attention and MLP that read the same stream, and are added together, are one layer", () => {
  const graph = bundledGraph();
  const [attention, mlp] = graph.node.filter(isJoin) as [Node, Node];
  const sum = makeNode("Add", [attention.input[1] ?? "", mlp.input[1] ?? ""], ["both"], { name: "sum" });
  graph.node.splice(graph.node.indexOf(mlp), 0, sum);
  mlp.input.splice(0, 2, attention.input[0] ?? "", "both");
  // Makes the first layer's MLP read the norm that attention reads.
  const normed =
    graph.node.find(({ operator }) => operator === "SimplifiedLayerNormalization")?.output[0] ?? "";
  for (const node of graph.node)
    node.input = node.input.map((name) => (name === attention.output[0] ? normed : name));
  graph.node = graph.node.filter((node) => node !== attention);
  const stream = streamOf(graph);
  expect(typeof stream === "string" ? stream : stream.layers.map(({ node }) => node.output[3])).toHaveLength(
    5,
  );
  expect(typeof stream === "string" ? stream : stream.layers[0]?.node).toBe(mlp);
});

const refused: [string, (graph: Graph) => void, RegExp][] = [
  [
    "no joins",
    (graph) => {
      graph.node = graph.node.filter((node) => !isJoin(node));
    },
    /no node adds/,
  ],
  [
    "no past",
    (graph) => {
      for (const node of graph.node)
        node.input = node.input.map((name) => (name.startsWith("past") ? "" : name));
    },
    /no layer has a KV cache/,
  ],
  [
    "a second stream",
    (graph) => {
      const joins = graph.node.filter(isJoin);
      const [, , third, fourth] = joins as [Node, Node, Node, Node];
      fourth.input[0] = third.input[0] ?? "";
    },
    /the stream splits before "\/model\/layers\.2\/input_layernorm/,
  ],
  [
    "logits of something else",
    (graph) => {
      for (const node of graph.node) if (node.output[0] === "logits") node.input[0] = "attention_mask";
    },
    /logits are not computed from its last layer/,
  ],
  [
    "a head that reads an input",
    (graph) => {
      for (const node of graph.node) if (node.output[0] === "logits") node.input[1] = "attention_mask";
    },
    /its head reads "attention_mask"/,
  ],
];

test.each(refused)("refused: %s", (_, change, reason) => {
  expect(openLayers(changed(change))).toMatch(reason);
});

test("the given bytes are not written into, and what comes is steerable once", () => {
  const before = bundled.slice();
  const opened = openLayers(bundled);
  if (typeof opened === "string") throw new Error(opened);
  expect(Buffer.compare(bundled, before)).toBe(0);
  expect(opened).toMatchObject({ hiddenSize: 64, type: "float32" });
  expect(new Set(opened.layers.flatMap(({ steering, hidden }) => [steering, hidden])).size).toBe(10);
  const { graph } = parseModel(opened.graph);
  for (const { steering, hidden } of opened.layers) {
    expect(graph?.input.filter(({ name }) => name === steering)).toHaveLength(1);
    expect(graph?.output.filter(({ name }) => name === hidden)).toHaveLength(1);
    expect(graph?.node.filter(({ input }) => input.includes(steering))).toHaveLength(1);
  }
  expect(parseModel(opened.lens).graph?.node.map(({ operator }) => operator)).toEqual([
    "SimplifiedLayerNormalization",
    "MatMul",
  ]);
});

test("without its head a graph gives all but its logits, and has no weight of the head alone", () => {
  const ofItsOwn = changed((graph) => {
    const head = graph.node.find(({ output }) => output[0] === "logits") as Node;
    const weight = graph.initializer.find(({ name }) => name === head.input[1]);
    if (weight) graph.initializer.push({ ...weight, name: "of the head alone" });
    head.input[1] = "of the head alone";
  });
  const opened = openLayers(ofItsOwn);
  if (typeof opened === "string") throw new Error(opened);
  const [whole, cut] = [opened.graph, withoutOutputHead(opened.graph)].map(
    (bytes) => parseModel(bytes).graph as Graph,
  ) as [Graph, Graph];
  const names = (list: readonly { readonly name?: string }[]) => list.map(({ name }) => name);
  const gone = (list: (graph: Graph) => readonly { readonly name?: string }[]) =>
    names(list(whole)).filter((name) => !names(list(cut)).includes(name));
  expect(gone(({ input }) => input)).toEqual([]);
  expect(gone(({ output }) => output)).toEqual(["logits"]);
  expect(gone(({ initializer }) => initializer)).toEqual(["of the head alone"]);
  expect(whole.node.length - cut.node.length).toBe(1);
  expect(opened.selectsRows).toBe(false);
});
