import { statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { parseModel } from "./codec.ts";
import type { GraphSummary } from "./graph-summary.ts";
import { inspectGraph, webAssemblyFault, webGpuFault } from "./inspect.ts";
import { makeNode, makeTensor } from "./make.ts";
import { elementType, type Model, type Node } from "./model.ts";
import { exportedGraphs, readGraph } from "./testing/graphs.ts";

const exported = exportedGraphs();
const summaryOf = (path: string) => inspectGraph(parseModel(readGraph(path).model));

describe("the bundled model", () => {
  test.each([
    ["model.onnx", 0],
    ["model_q4.onnx", 20],
  ])("%s", (file, products) => {
    const summary = summaryOf(`public/models/stories260k/onnx/${file}`);
    expect(summary).toMatchObject({
      cache: "shared-cache",
      keyValueHeads: 4,
      headSize: 16,
      slidingWindow: null,
      lastLogitsOnly: false,
      normsInAttention: false,
      float16: false,
      quantized: { products, embeddings: 0 },
    });
    expect(summary.operatorSets).toEqual(
      new Map([
        ["", 21],
        ["com.microsoft", 1],
      ]),
    );
    expect(summary.operators.get("com.microsoft.GroupQueryAttention")).toBe(5);
    expect(summary.operators.get("SimplifiedLayerNormalization")).toBe(1);
    expect(summary.externalFiles.size).toBe(0);
    expect(summary.inputs.slice(0, 3)).toEqual([
      { name: "input_ids", type: "int64", shape: ["batch_size", "sequence_length"] },
      { name: "attention_mask", type: "int64", shape: ["batch_size", "total_sequence_length"] },
      {
        name: "past_key_values.0.key",
        type: "float32",
        shape: ["batch_size", 4, "past_sequence_length", 16],
      },
    ]);
    expect(summary.outputs[0]).toEqual({
      name: "logits",
      type: "float32",
      shape: ["batch_size", "sequence_length", 512],
    });
    expect(webAssemblyFault(summary)).toBeNull();
    expect(webGpuFault(summary, { shaderF16: false })).toBeNull();
  });
});

/** The fields that differ from `plain`, by the end of the path. The test checks all fields. */
type Facts = Pick<
  GraphSummary,
  "cache" | "states" | "keyValueHeads" | "headSize" | "lastLogitsOnly" | "normsInAttention" | "float16"
>;
const plain: Facts = {
  cache: "shared-cache",
  states: 0,
  keyValueHeads: 2,
  headSize: 16,
  lastLogitsOnly: false,
  normsInAttention: false,
  float16: false,
};
const special: [RegExp, Partial<Facts>][] = [
  [/_concat/, { cache: "growing-cache" }],
  [/lfm2/, { states: 3 }],
  [/gemma3/, { keyValueHeads: 1, headSize: 32 }],
  [/qwen3/, { headSize: 32 }],
  [/_last_logits/, { lastLogitsOnly: true }],
  [/_q4f16/, { float16: true }],
  [/_gpu/, { normsInAttention: true, headSize: null }],
];

if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS");

describe.skipIf(exported.length === 0)("exporters' graphs", () => {
  test.each(exported)("%s", (path) => {
    const name = path.slice(dirname(dirname(dirname(path))).length);
    const facts = special.filter(([pattern]) => pattern.test(name)).map(([, each]) => each);
    const summary = summaryOf(path);
    expect(summary).toMatchObject(Object.assign({}, plain, ...facts));
    const files = Array.from(readGraph(path).external.keys(), (file) => [
      file,
      statSync(`${path}_data`).size,
    ]);
    expect([...summary.externalFiles]).toEqual(files);
    // A graph without fused attention computes its rotary angles itself: sines, cosines and their inputs, but never a shape.
    expect(summary.rotaryNodes.length > 5).toBe(basename(path).includes("_concat"));
    expect(webAssemblyFault(summary) === null).toBe(!basename(path).includes("_gpu"));
    expect(webGpuFault(summary, { shaderF16: false }) === null).toBe(!basename(path).includes("f16"));
    expect(webGpuFault(summary, { shaderF16: true })).toBeNull();
  });
});

test("a graph with its weights in more files than are read is refused before any is fetched", () => {
  const graph = (files: number): Model => ({
    operatorSets: [],
    metadata: [],
    graph: {
      node: [],
      input: [],
      output: [],
      valueInfo: [],
      initializer: Array.from({ length: files }, (_, place) => ({
        ...makeTensor(`w${place}`, elementType.float, [1], new Uint8Array(4)),
        externalData: [{ key: "location", value: `w${place}.data` }],
        dataLocation: 1,
      })),
    },
  });
  expect(inspectGraph(graph(1_024)).externalFiles.size).toBe(1_024);
  expect(() => inspectGraph(graph(1_025))).toThrow("because it has weights in more than 1024 files");
});

test("a graph of very many attentions says its widest window", () => {
  const attention = makeNode("GroupQueryAttention", [], [], {
    name: "attention",
    attributes: { local_window_size: 7n },
  });
  const node = new Array(200_000).fill(attention) as Node[];
  const graph = { node, input: [], output: [], valueInfo: [], initializer: [] };
  expect(inspectGraph({ operatorSets: [], metadata: [], graph }).slidingWindow).toBe(7);
});
