/** Splits graphs and weights, checks the rest, and checks that a damaged file is refused wherever the damage is. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { encodeModel, parseModel } from "./codec.ts";
import { makeFloatTensor, makeNode, makeTensor, makeValueInfo } from "./make.ts";
import { elementType, type Model } from "./model.ts";
import { separateWeights } from "./split-weights.ts";
import { tensorBytes, tensorFloats } from "./tensor.ts";
import { largestDifference, openGraph } from "./testing/run-graph.ts";
import { OnnxFormatError } from "./wire.ts";

const large = Float32Array.from({ length: 70 * 128 }, (_, i) => Math.sin(i));
const bytes = Uint8Array.from({ length: 50_000 }, (_, i) => (i * 7) & 255);

function example(): Model {
  return {
    irVersion: 10,
    producerName: "a test",
    operatorSets: [{ domain: "", version: 21 }],
    metadata: [{ key: "a", value: "b" }],
    modelVersion: -5n,
    graph: {
      name: "graph",
      docString: "of weights",
      node: [makeNode("MatMul", ["x", "large"], ["y"], { name: "product", attributes: { alpha: 0.5 } })],
      initializer: [
        makeFloatTensor("small", [2], Float32Array.of(1, 2)),
        // Some exporters write this value although it is the default.
        { ...makeFloatTensor("large", [70, 128], large), dataLocation: 0 },
        makeTensor("bytes", elementType.uint8, [50_000], bytes),
      ],
      input: [makeValueInfo("x", elementType.float, ["rows", 70])],
      output: [makeValueInfo("y", elementType.float, ["rows", 128])],
      valueInfo: [],
    },
  };
}

test("large weights are named by their place, and all else is as it was", async () => {
  const file = encodeModel(example());
  const graph = await separateWeights(new Blob([file]), "model.onnx");
  expect(graph.length).toBeLessThan(1000);
  const { graph: parsed, ...head } = parseModel(graph);
  const { graph: expected, ...expectedHead } = parseModel(file);
  expect(head).toEqual(expectedHead);
  const { initializer = [], ...rest } = parsed ?? {};
  const { initializer: weights = [], ...others } = expected ?? {};
  expect(rest).toEqual(others);
  expect(initializer[0]).toEqual(weights[0]);
  expect(initializer.map(({ dataLocation, rawData }) => [dataLocation, rawData?.length])).toEqual([
    [undefined, 8],
    [1, undefined],
    [1, undefined],
  ]);
  const external = new Map([["model.onnx", file]]);
  const [, first, second] = initializer;
  if (!first || !second) throw new Error("There are three weights.");
  expect(tensorFloats(first, external)).toEqual(large);
  expect(Buffer.compare(tensorBytes(second, external), bytes)).toBe(0);
});

test("the runtime takes both alike", async () => {
  const path = "public/models/stories260k/onnx/model.onnx";
  const file = new Uint8Array(readFileSync(path));
  const model = await separateWeights(new Blob([file]), "all");
  expect(model.length).toBeLessThan(file.length / 10);
  const run = async (files: Parameters<typeof openGraph>[0]) => {
    const graph = await openGraph(files);
    const logits = await graph.run([1, 403, 407]);
    await graph.release();
    return logits;
  };
  const split = await run({ model, external: new Map([["all", file]]) });
  expect(largestDifference(await run({ model: file }), split)).toBe(0);
});

test("a file that ends anywhere is refused, or was whole without its last fields", async () => {
  const file = encodeModel(example());
  const ends = Array.from({ length: file.length - 1 }, (_, i) => i + 1).filter(
    (end) => end < 250 || end > file.length - 100 || end % 4999 === 0,
  );
  const whole: number[] = [];
  for (const end of ends) {
    try {
      parseModel(await separateWeights(new Blob([file.slice(0, end)]), "model.onnx"));
      whole.push(end);
    } catch (error) {
      expect(error).toBeInstanceOf(OnnxFormatError);
    }
  }
  // A file that is cut after the graph, or after the operator sets, is still a complete model.
  expect(whole.length).toBeLessThanOrEqual(2);
  expect(whole.every((end) => end > file.length - 30)).toBe(true);
});

test("changed bytes give a graph or an error that says where", async () => {
  const file = encodeModel(example());
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let round = 0; round < 300; round++) {
    const damaged = file.slice();
    // Damages only the two ends, because most of the file is weights, whose bytes may have any value.
    damaged[random(2) === 0 ? random(300) : file.length - 1 - random(200)] = random(256);
    try {
      parseModel(await separateWeights(new Blob([damaged]), "model.onnx"));
    } catch (error) {
      expect(error).toBeInstanceOf(OnnxFormatError);
    }
  }
});
