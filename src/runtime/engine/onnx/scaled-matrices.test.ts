/** Integers that a graph casts and scales become float32 weights, which are computed when they are read. */
import { describe, expect, test } from "vitest";
import { encodeModel, parseModel } from "./codec.ts";
import { dequantizeModel } from "./dequantize.ts";
import { makeFloatTensor, makeNode, makeTensor, makeValueInfo } from "./make.ts";
import { elementType, type Model, type Node, type Tensor } from "./model.ts";
import { loadExternalData } from "./testing/graphs.ts";
import { largestDifference, openGraph } from "./testing/run-graph.ts";

const [hidden, vocabulary] = [512, 600];
const levels = Uint8Array.from(
  { length: hidden * vocabulary },
  (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255,
);
const scales = Float32Array.from({ length: vocabulary }, (_, i) => (1 + Math.sin(i)) / 1000);

/** An output matrix that shares its weights with the embedding, as exporters write it. */
function tied(type: number, change: { scales?: Tensor; to?: bigint; perm?: bigint[] } = {}): Model {
  const nodes: Node[] = [
    makeNode("Cast", ["head_q"], ["head_f"], { name: "cast", attributes: { to: change.to ?? 1n } }),
    makeNode("Mul", ["head_f", "head_scale"], ["head"], { name: "scale" }),
    makeNode("Transpose", ["head"], ["table"], {
      name: "turn",
      attributes: { perm: change.perm ?? [1n, 0n] },
    }),
    makeNode("Gather", ["table", "input_ids"], ["embedded"], { name: "embed" }),
    makeNode("MatMul", ["embedded", "head"], ["logits"], { name: "head_product" }),
  ];
  return {
    irVersion: 10,
    operatorSets: [{ domain: "", version: 21 }],
    metadata: [],
    graph: {
      name: "tied",
      node: nodes,
      initializer: [
        makeTensor("head_q", type, [hidden, vocabulary], levels),
        change.scales ?? makeFloatTensor("head_scale", [1, vocabulary], scales),
      ],
      input: [
        makeValueInfo("input_ids", elementType.int64, ["batch", "tokens"]),
        makeValueInfo("attention_mask", elementType.int64, ["batch", "all"]),
      ],
      output: [makeValueInfo("logits", elementType.float, ["batch", "tokens", vocabulary])],
      valueInfo: [],
    },
  };
}

async function logitsOf(model: Uint8Array, external?: Map<string, Uint8Array>): Promise<Float32Array> {
  const graph = await openGraph(external ? { model, external } : { model });
  const logits = await graph.run([3, 599, 0]);
  await graph.release();
  return logits;
}

describe.each([
  ["int8", elementType.int8],
  ["uint8", elementType.uint8],
])("%s", (_, type) => {
  test("gives the logits that the runtime's own folding gives, and holds each weight once", async () => {
    const model = encodeModel(tied(type));
    const rewritten = dequantizeModel(model, new Map());
    expect(rewritten).toMatchObject({ rewritten: 1, floatBytes: hidden * vocabulary * 4, kept: [] });
    const graph = parseModel(rewritten.model).graph;
    expect(graph?.node.map(({ operator }) => operator)).toEqual(["Gather", "Transpose", "MatMul"]);
    expect(graph?.initializer.map(({ name }) => name)).toEqual(["head"]);
    // (hidden, batch, tokens) becomes (batch, tokens, hidden). The logits' values alone would not reveal another shape.
    expect(graph?.node[1]?.attribute[0]?.ints).toEqual([1n, 2n, 0n]);
    const after = await logitsOf(rewritten.model, loadExternalData(rewritten.externalData));
    expect(after.length).toBe(3 * vocabulary);
    expect(largestDifference(await logitsOf(model), after)).toBe(0);
  });
});

const column = makeFloatTensor("head_scale", [hidden, 1], new Float32Array(hidden).fill(0.01));
const half = makeTensor("head_scale", elementType.float16, [1, vocabulary], new Uint8Array(2 * vocabulary));

test.each([
  ["scales of rows", tied(elementType.int8, { scales: column })],
  ["scales in float16", tied(elementType.int8, { scales: half, to: 10n })],
])("%s are left to the runtime", (_, model) => {
  const bytes = encodeModel(model);
  const left = dequantizeModel(bytes, new Map());
  expect(left.rewritten).toBe(0);
  expect(Buffer.compare(left.model, bytes)).toBe(0);
});

test("rows of a table that is not turned are taken as before", () => {
  const model = tied(elementType.int8, { perm: [0n, 1n] });
  const operators = parseModel(dequantizeModel(encodeModel(model), new Map()).model).graph?.node;
  expect(operators?.map(({ operator }) => operator)).toEqual(["Transpose", "Gather", "MatMul"]);
});

test("a weight is computed when it is read, and the next one takes its memory", () => {
  const { externalData } = dequantizeModel(encodeModel(tied(elementType.int8)), new Map());
  const [file] = externalData.values();
  const first = file?.subarray(0, 8);
  const again = file?.subarray(4, 12);
  expect(first?.buffer).toBe(again?.buffer);
  const values = new Float32Array((first as Uint8Array).slice().buffer);
  const expected = [0, 1].map((i) =>
    Math.fround((((levels[i] as number) << 24) >> 24) * (scales[i] as number)),
  );
  expect([...values]).toEqual(expected);
});
