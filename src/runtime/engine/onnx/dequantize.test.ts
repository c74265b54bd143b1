import * as ort from "onnxruntime-web/wasm";
import { describe, expect, test } from "vitest";
import { encodeModel, parseModel } from "./codec.ts";
import { dequantizeModel, ModelTooLargeError } from "./dequantize.ts";
import {
  type AttributeValue,
  makeExternalTensor,
  makeFloatTensor,
  makeNode,
  makeTensor,
  makeValueInfo,
} from "./make.ts";
import { elementType, type Model, type Tensor } from "./model.ts";
import { exportedGraphs, loadExternalData, readGraph } from "./testing/graphs.ts";
import { type GraphFiles, largestDifference, openGraph } from "./testing/run-graph.ts";

const bundled = "public/models/stories260k/onnx/model_q4.onnx";
const exported = exportedGraphs().filter((path) => path.includes("_q4"));
if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS");
const prompt = Array.from({ length: 24 }, (_, i) => (i * 37 + 11) % 512);

async function logitsOf(files: GraphFiles): Promise<Float32Array> {
  const graph = await openGraph(files);
  const first = await graph.run(prompt);
  const second = await graph.run([5]);
  await graph.release();
  return Float32Array.from([...first, ...second]);
}

/**
 * Logits of the miniatures have a spread of 2 to 3, where neighbouring float16 numbers differ by 0.002, and every layer adds
 * its own rounding.
 */
const tolerance = (path: string) => (path.includes("f16") ? 0.03 : 1e-5);

/** The newest builder's graphs for WebGPU run on no WebAssembly build, but their weights can be rewritten. */
const runnable = [bundled, ...exported.filter((path) => !path.includes("_gpu"))];

describe("whole graphs", () => {
  test.each(runnable)("%s: logits are those of the quantized graph", async (path) => {
    const files = readGraph(path);
    const rewritten = dequantizeModel(files.model, files.external);
    const [before, after] = [
      await logitsOf(files),
      await logitsOf({ model: rewritten.model, external: loadExternalData(rewritten.externalData) }),
    ];
    expect(largestDifference(before, after)).toBeLessThan(tolerance(path));
    expect(Math.max(...before) - Math.min(...before)).toBeGreaterThan(0.5);
  });

  test.each([bundled, ...exported])("%s: nothing quantized is left, and the sizes are exact", (path) => {
    const { model, external } = readGraph(path);
    const { externalData, ...rewritten } = dequantizeModel(model, external);
    const graph = parseModel(rewritten.model).graph;
    const names = new Set(graph?.node.map((node) => node.operator));
    expect(rewritten.kept).toEqual([]);
    expect(rewritten.rewritten).toBeGreaterThan(10);
    expect(names).not.toContain("MatMulNBits");
    expect(names).not.toContain("GatherBlockQuantized");
    expect(graph?.initializer.filter(({ name }) => /_Q\dG32$|_scale$|_zp$/.test(name ?? ""))).toEqual([]);
    const weights = graph?.initializer.filter(({ name }) => name?.endsWith("_float32")) ?? [];
    const sizes = weights.map(({ dims }) => dims.reduce((product, dim) => product * dim, 4));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(rewritten.floatBytes);
    const stored = [...externalData].filter(([name]) => name.startsWith("computed_"));
    expect(stored.reduce((sum, [, { byteLength }]) => sum + byteLength, 0)).toBe(rewritten.floatBytes);
  });

  test("a float32 graph comes back as it was", () => {
    const { model } = readGraph("public/models/stories260k/onnx/model.onnx");
    const rewritten = dequantizeModel(model, new Map());
    expect(rewritten).toMatchObject({ floatBytes: 0, rewritten: 0, kept: [] });
    expect(rewritten.model).toBe(model);
  });

  test("too large is refused before anything is allocated, with the figures", () => {
    const { model } = readGraph(bundled);
    expect(() => dequantizeModel(model, new Map(), { maximumBytes: 900_000 })).toThrow(ModelTooLargeError);
    expect(() => dequantizeModel(model, new Map(), { maximumBytes: 500_000 })).toThrow(
      "The weights take 1 MiB as float32; at most 1 MiB fit here. Use WebGPU or a smaller model.",
    );
  });
});

/** A graph of one node, with the given constants as its other inputs. */
function oneNode(
  operator: string,
  inputs: string[],
  attributes: Record<string, AttributeValue>,
  constants: Tensor[],
  input: { name: string; type: number; dims: number[] },
): Model {
  return {
    irVersion: 10,
    operatorSets: [
      { domain: "", version: 21 },
      { domain: "com.microsoft", version: 1 },
    ],
    metadata: [],
    graph: {
      name: "one",
      node: [makeNode(operator, inputs, ["y"], { name: "node", domain: "com.microsoft", attributes })],
      initializer: constants,
      input: [makeValueInfo(input.name, input.type, input.dims)],
      output: [makeValueInfo("y", elementType.float, ["batch", "rows", "columns"])],
      valueInfo: [],
    },
  };
}

async function run({ model, external = new Map() }: GraphFiles, feeds: Record<string, ort.Tensor>) {
  const externalData = Array.from(external, ([path, data]) => ({ path, data }));
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"], externalData });
  const { y } = await session.run(feeds);
  await session.release();
  return y?.data as Float32Array;
}

function bytes(count: number, seed: number): Uint8Array {
  return Uint8Array.from({ length: count }, (_, i) => (Math.imul(i + seed, 2654435761) >>> 13) & 255);
}

const waves = (count: number) => Float32Array.from({ length: count }, (_, i) => Math.sin(i * 1.7) / 3);
const { float, uint8, uint4, int4, int64 } = elementType;

/** Rows, columns, bits and block size, and the optional inputs of the node. */
const products = [
  { rows: 7, columns: 64, bits: 4, block: 32, zero: "packed", bias: false },
  { rows: 7, columns: 64, bits: 4, block: 32, zero: "none", bias: false },
  { rows: 5, columns: 96, bits: 4, block: 32, zero: "packed", bias: true },
  { rows: 5, columns: 80, bits: 4, block: 32, zero: "packed", bias: false },
  { rows: 9, columns: 128, bits: 4, block: 16, zero: "floats", bias: false },
  { rows: 3, columns: 256, bits: 4, block: 128, zero: "none", bias: true },
  { rows: 6, columns: 64, bits: 8, block: 32, zero: "packed", bias: false },
  { rows: 6, columns: 64, bits: 8, block: 64, zero: "none", bias: false },
] as const;

describe("MatMulNBits", () => {
  test.each(products)(
    "$rows × $columns, $bits bits in blocks of $block, zero points $zero, bias $bias",
    async (shape) => {
      const { rows, columns, bits, block, zero, bias } = shape;
      const blocks = Math.ceil(columns / block);
      const zeroBytes = Math.ceil((blocks * bits) / 8);
      const constants = [
        makeTensor(
          "b",
          uint8,
          [rows, blocks, (block * bits) / 8],
          bytes((rows * blocks * block * bits) / 8, 1),
        ),
        makeFloatTensor("scales", [rows, blocks], waves(rows * blocks)),
      ];
      if (zero === "packed")
        constants.push(makeTensor("z", uint8, [rows, zeroBytes], bytes(rows * zeroBytes, 9)));
      if (zero === "floats") {
        constants.push(
          makeFloatTensor(
            "z",
            [rows, blocks],
            waves(rows * blocks).map((value) => value * 20),
          ),
        );
      }
      if (bias) constants.push(makeFloatTensor("bias", [rows], waves(rows)));
      const inputs = ["x", "b", "scales", zero === "none" ? "" : "z", "", bias ? "bias" : ""];
      const attributes = {
        K: BigInt(columns),
        N: BigInt(rows),
        bits: BigInt(bits),
        block_size: BigInt(block),
      };
      const model = encodeModel(
        oneNode("MatMulNBits", inputs, attributes, constants, {
          name: "x",
          type: float,
          dims: [1, 3, columns],
        }),
      );
      const rewritten = dequantizeModel(model, new Map());
      expect(rewritten).toMatchObject({ rewritten: 1, kept: [], floatBytes: rows * columns * 4 });
      const feeds = { x: new ort.Tensor("float32", waves(3 * columns), [1, 3, columns]) };
      const [before, after] = [
        await run({ model }, feeds),
        await run({ model: rewritten.model, external: loadExternalData(rewritten.externalData) }, feeds),
      ];
      expect(before.length).toBe(3 * rows);
      expect(largestDifference(before, after)).toBeLessThan(2e-4);
    },
  );
});

const tables = [
  { type: "uint8", bits: 4, zero: true },
  { type: "uint8", bits: 4, zero: false },
  { type: "uint8", bits: 8, zero: true },
  { type: "uint8", bits: 8, zero: false },
  { type: "uint4", bits: 4, zero: true },
  { type: "uint4", bits: 4, zero: false },
  { type: "int4", bits: 4, zero: true },
  { type: "int4", bits: 4, zero: false },
] as const;

describe("GatherBlockQuantized", () => {
  test.each(tables)("$type, $bits bits, zero points $zero", async ({ type, bits, zero }) => {
    const [rows, columns, block] = [11, 96, 32];
    const blocks = columns / block;
    const number = { uint8, uint4, int4 }[type];
    const inBytes = type === "uint8";
    const width = inBytes ? (columns * bits) / 8 : columns;
    const zeroWidth = inBytes ? Math.ceil((blocks * bits) / 8) : blocks;
    const zeroBytes = inBytes ? rows * zeroWidth : Math.ceil((rows * blocks) / 2);
    const constants = [
      makeTensor("table", number, [rows, width], bytes((rows * columns * bits) / 8, 3)),
      makeFloatTensor("scales", [rows, blocks], waves(rows * blocks)),
    ];
    if (zero) constants.push(makeTensor("z", number, [rows, zeroWidth], bytes(zeroBytes, 5)));
    const inputs = zero ? ["table", "ids", "scales", "z"] : ["table", "ids", "scales"];
    const attributes = { gather_axis: 0n, quantize_axis: 1n, block_size: BigInt(block), bits: BigInt(bits) };
    const model = encodeModel(
      oneNode("GatherBlockQuantized", inputs, attributes, constants, {
        name: "ids",
        type: int64,
        dims: [1, 4],
      }),
    );
    const rewritten = dequantizeModel(model, new Map());
    expect(rewritten).toMatchObject({ rewritten: 1, kept: [] });
    const feeds = { ids: new ort.Tensor("int64", BigInt64Array.of(0n, 10n, 3n, 3n), [1, 4]) };
    const [before, after] = [
      await run({ model }, feeds),
      await run({ model: rewritten.model, external: loadExternalData(rewritten.externalData) }, feeds),
    ];
    expect(before.length).toBe(4 * columns);
    expect(largestDifference(before, after)).toBeLessThan(1e-6);
  });
});

/** Nodes that cannot be rewritten stay, with the reason. */
const odd: [string, Record<string, bigint>, string[], string][] = [
  ["computed weights", {}, ["x", "x", "scales"], "weights that the graph computes"],
  ["a group index", {}, ["x", "b", "scales", "", "b"], "a group index"],
  ["three bits", { bits: 3n }, ["x", "b", "scales"], "3 bits"],
  ["blocks of 7", { block_size: 7n }, ["x", "b", "scales"], "blocks of 7"],
  ["another size", { N: 8n }, ["x", "b", "scales"], "weights of shape [7,2,16] for a matrix of 8 × 64"],
  ["a size that no file has", { N: 2n ** 62n }, ["x", "b", "scales"], "size 4611686018427388000 × 64"],
  ["too few zero points", {}, ["x", "b", "scales", "few"], "zero points of shape [3]"],
];

test.each(odd)("%s: the node stays", (_, attributes, inputs, reason) => {
  const constants = [
    makeTensor("b", uint8, [7, 2, 16], bytes(224, 1)),
    makeFloatTensor("scales", [7, 2], waves(14)),
    makeTensor("few", uint8, [3], bytes(3, 1)),
  ];
  const all = { K: 64n, N: 7n, bits: 4n, block_size: 32n, ...attributes };
  const input = { name: "x", type: float, dims: [1, 3, 64] };
  const rewritten = dequantizeModel(
    encodeModel(oneNode("MatMulNBits", inputs, all, constants, input)),
    new Map(),
  );
  expect(rewritten).toMatchObject({
    rewritten: 0,
    kept: [{ name: "node", operator: "MatMulNBits", reason }],
  });
});

test("missing or cut external data is an error that names the file", () => {
  const place = { location: "weights.onnx_data", offset: 64, length: 224 };
  const constants = [
    makeExternalTensor("b", uint8, [7, 2, 16], place),
    makeFloatTensor("scales", [7, 2], waves(14)),
  ];
  const attributes = { K: 64n, N: 7n, bits: 4n, block_size: 32n };
  const input = { name: "x", type: float, dims: [1, 3, 64] };
  const model = encodeModel(oneNode("MatMulNBits", ["x", "b", "scales"], attributes, constants, input));
  const given = (data: Map<string, Uint8Array>) => () => dequantizeModel(model, data);
  expect(given(new Map())).toThrow(
    'is in the file "weights.onnx_data", which is missing (available files: none)',
  );
  expect(given(new Map([["weights.onnx_data", new Uint8Array(200)]]))).toThrow(
    'Tensor "b" ends at byte 288 of "weights.onnx_data", which has only 200 bytes: download the file again.',
  );
  expect(given(new Map([["weights.onnx_data", new Uint8Array(288)]]))).not.toThrow();
});
