/** Generated models: what the graphs compute, and that a seed gives the same bytes. The command that makes them: make.test.ts. */
import { describe, expect, test } from "vitest";
import { float16ToFloat32 } from "../../src/runtime/engine/base/float16-arrays.ts";
import { createModel } from "../../src/runtime/engine/load/create-model.ts";
import { encodeModel, parseModel } from "../../src/runtime/engine/onnx/codec.ts";
import { makeFloatTensor, makeTensor } from "../../src/runtime/engine/onnx/make.ts";
import { elementType } from "../../src/runtime/engine/onnx/model.ts";
import { largestDifference, openGraph } from "../../src/runtime/engine/onnx/testing/run-graph.ts";
import { type Matrix, matrix } from "../stories260k/matrix.ts";
import { createMemoryDataFile } from "./data-file.ts";
import { decoderGraph, type Precision } from "./graph.ts";
import { int8Weights } from "./int8-file.ts";
import { dequantizeSymmetric, float16Bits, packLevels, quantizeSymmetric } from "./quantize.ts";
import type { DecoderShape } from "./shapes.ts";
import { smallShape as plain, referenceLogits } from "./testing/reference.ts";
import { randomWeights, type WeightSource } from "./weights.ts";

/** Heads wider than hidden / heads, with norms of their own. */
const withHeadNorms: DecoderShape = { ...plain, headSize: 32, headNorms: true, epsilon: 1e-6 };

const tokens = [5, 17, 90, 2, 44, 44, 3];

/** The random weights as a precision keeps them, each made once. */
function rounded(precision: Precision): WeightSource {
  const source = randomWeights(1);
  const made = new Map<string, Matrix>();
  return {
    ...source,
    matrix(name, rows, columns) {
      const weight = made.get(name) ?? round(source.matrix(name, rows, columns), precision);
      made.set(name, weight);
      return weight;
    },
  };
}

function round(weight: Matrix, precision: Precision): Matrix {
  if (precision === "fp32") return weight;
  const quantized = quantizeSymmetric(weight, precision === "int8" ? 8 : 4);
  return { ...weight, values: dequantizeSymmetric(quantized) };
}

function written(shape: DecoderShape, precision: Precision, seed = 1) {
  const data = createMemoryDataFile("model.onnx_data");
  const model = encodeModel(decoderGraph(shape, randomWeights(seed), precision, data));
  return { model, external: new Map([["model.onnx_data", data.bytes()]]) };
}

describe.each([
  ["packed projections", plain],
  ["norms in the heads", withHeadNorms],
])("%s", (_, shape) => {
  test.each(["fp32", "q4", "int8"] as const)("%s computes what the loops compute", async (precision) => {
    const expected = referenceLogits(shape, rounded(precision), tokens);
    const graph = await openGraph(written(shape, precision));
    const first = await graph.run(tokens.slice(0, 4));
    const rest = await graph.run(tokens.slice(4));
    await graph.release();
    const rows = Float32Array.from([...first, ...rest]);
    expect(largestDifference(rows, Float32Array.from(expected.flatMap((row) => [...row])))).toBeLessThan(
      2e-4,
    );
    const spread = Math.max(...rows) - Math.min(...rows);
    expect(spread).toBeGreaterThan(2);
  });
});

test("our loop runs them, and one seed gives one file", async () => {
  const { model, external } = written(plain, "q4");
  expect(written(plain, "q4")).toEqual({ model, external });
  expect(written(plain, "q4", 2).external).not.toEqual(external);
  const options = {
    graph: model,
    externalData: external,
    config: {},
    endOfSequence: [],
    device: "wasm" as const,
  };
  const created = await createModel({ ...options, file: "model_q4.onnx" });
  const logits = await created.model.forward(tokens);
  const expected = referenceLogits(plain, rounded("q4"), tokens).at(-1) as Float32Array;
  expect(largestDifference(logits, expected)).toBeLessThan(2e-4);
  await created.model.dispose();
});

test("q4f16 is the 4-bit graph with everything else in float16", async () => {
  const { model, external } = written(plain, "q4f16");
  const { graph } = parseModel(model);
  const types = new Set([
    ...(graph?.initializer ?? []).map(({ dataType }) => dataType),
    ...(graph?.output ?? []).map(({ type }) => type?.tensor?.elementType),
  ]);
  expect([...types].toSorted()).toEqual([elementType.uint8, elementType.float16].toSorted());
  const created = await createModel({
    graph: model,
    externalData: external,
    config: {},
    endOfSequence: [],
    device: "wasm",
    file: "model_q4f16.onnx",
  });
  const logits = await created.model.forward(tokens);
  await created.model.dispose();
  const expected = referenceLogits(plain, rounded("q4f16"), tokens).at(-1) as Float32Array;
  const largest = Math.max(...expected.map(Math.abs));
  // A float16 number has 11 bits: sixteen roundings of half a unit, all in one direction, in the largest logit.
  expect(largestDifference(logits, expected)).toBeLessThan(16 * largest * 2 ** -11);
});

describe("quantization", () => {
  test("four bits: the value farthest from zero is the lowest level, and comes back", () => {
    const values = Float32Array.from({ length: 64 }, (_, i) => (i < 32 ? (i - 24) / 4 : (i - 40) / 8));
    const quantized = quantizeSymmetric(matrix(2, 32, values), 4);
    expect([...quantized.scales]).toEqual([0.75, -23 / 8 / 8]);
    expect(quantized.levels[0]).toBe(0);
    expect(quantized.levels[63]).toBe(0);
    const back = dequantizeSymmetric(quantized);
    expect(back[0]).toBe(-6);
    expect(back[63]).toBe(23 / 8);
    const [first = 0, second = 0] = quantized.levels;
    expect(packLevels(quantized)[0]).toBe(first + 16 * second);
  });

  test("a block of zeros stays one", () => {
    for (const bits of [4, 8] as const) {
      const back = dequantizeSymmetric(quantizeSymmetric(matrix(1, 32, new Float32Array(32)), bits));
      expect(back.every((value) => value === 0)).toBe(true);
    }
  });

  test("eight bits are off by half a step at most", () => {
    const { values } = randomWeights(3).matrix("any", 8, 64);
    const quantized = quantizeSymmetric(matrix(8, 64, values), 8);
    dequantizeSymmetric(quantized).forEach((value, i) => {
      const step = quantized.scales[Math.floor(i / 32)] as number;
      expect(Math.abs(value - (values[i] as number))).toBeLessThan(step * 0.57);
    });
  });

  test("float16: every number of it is itself, and between two the nearer is taken", () => {
    const wrong: string[] = [];
    const check = (value: number, bits: number) => {
      if (float16Bits(value) !== bits) wrong.push(`${value} is ${float16Bits(value)} instead of ${bits}`);
    };
    for (let bits = 0; bits < 0x7c00; bits++) {
      const [value = 0, next = 0] = float16ToFloat32(Uint16Array.of(bits, bits + 1));
      check(value, bits);
      check(-value, bits | 0x8000);
      if (bits === 0x7bff) continue;
      const middle = (value + next) / 2;
      check(middle, bits + (bits % 2));
      check(middle * (1 + 2 ** -20), bits + 1);
    }
    expect(wrong).toEqual([]);
  });

  test("columns that are not whole blocks are refused", () => {
    expect(() => quantizeSymmetric(matrix(1, 40, new Float32Array(40)), 4)).toThrow(
      "40 columns are not whole blocks of 32.",
    );
  });
});

describe("weights of a file", () => {
  const tensors = [
    makeTensor("a.MatMul.weight_q", elementType.int8, [2, 3], Uint8Array.of(1, 2, 255, 4, 5, 128)),
    makeFloatTensor("a.MatMul.weight_scale", [1, 3], Float32Array.of(1, 0.5, 2)),
    makeFloatTensor("b.weight", [2], Float32Array.of(7, 8)),
  ];
  const graph = { node: [], initializer: tensors, input: [], output: [], valueInfo: [] };
  const source = int8Weights(encodeModel({ graph, operatorSets: [], metadata: [] }));

  test("are turned to (outputs, inputs), each output with its scale", () => {
    expect(source.matrix("a", 3, 2)).toEqual(matrix(3, 2, Float32Array.of(1, 4, 1, 2.5, -2, -256)));
    expect(source.norm("b", 2)).toEqual(Float32Array.of(7, 8));
  });

  test("of another shape, or not there, are an error that says so", () => {
    expect(() => source.matrix("a", 2, 3)).toThrow(
      'The tensor "a.MatMul.weight_q" of shape [3,2] is needed, and is of shape [2,3] in the graph.',
    );
    expect(() => source.norm("c", 2)).toThrow(
      '"c.weight" of shape [2] is needed, and is nowhere in the graph.',
    );
  });
});
