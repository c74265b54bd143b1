/**
 * Rewrites a graph with 4-bit products to int8 weights, which need a quarter of float32's memory. Used if float32 does not
 * fit.
 *
 * On WebAssembly, the runtime's only fast product with int8 weights needs 8-bit activations, and rounding activations to 8
 * bits spoils the output: one large value sets the scale of all others. So each activation is written as three digits of 8
 * bits, which give float32's precision of three bytes. The digits go through the product as three rows, which cost little
 * more than one row, and are summed after it.
 */

import type { ExternalData } from "../base/weight-bytes.ts";
import type { BlockQuantizedMatrix } from "./blocks.ts";
import { encodeModel, parseModel } from "./codec.ts";
import { ComputedWeights } from "./computed-weights.ts";
import { constantsOf, removeUnusedConstants } from "./constants.ts";
import { Int8RowQuantizer } from "./int8-rows.ts";
import { makeExternalTensor, makeFloatTensor, makeNode, makeTensor } from "./make.ts";
import type { Graph, Model, Node } from "./model.ts";
import { elementType } from "./model.ts";
import { findQuantizedNodes } from "./quantized-nodes.ts";
import { checkTensor } from "./tensor.ts";

export interface Int8Model {
  /** Bytes of the int8 weights. */
  readonly bytes: number;
  /** Number of products that are rewritten. */
  readonly rewritten: number;
  readonly model: Uint8Array;
  /** All external data that the new file names, as in `DequantizedModel`. */
  readonly externalData: ExternalData;
}

/**
 * Half of a digit's range. The first digit goes from -127 to 127, and half a step of a digit is 127 steps of the next digit.
 */
const steps = { first: 127, next: 254 } as const;
/** Added to every digit, which makes it unsigned. */
const middle = 128;

/**
 * Replaces products with block-quantized weights and float32 scales by products with int8 weights and one scale for each output.
 * Embeddings, and products with float16 scales, stay as they are. The result supports only one sequence (batch 1).
 * @throws OnnxFormatError for a damaged file or missing external data.
 */
export function convertToInt8Model(bytes: Uint8Array, externalData: ExternalData): Int8Model {
  const model = parseModel(bytes);
  const graph = model.graph as Graph;
  const writer = new ProductWriter(graph, opsetOf(model), externalData);
  const products = findQuantizedNodes(graph, constantsOf(graph, externalData));
  const matrices = new Map<Node, BlockQuantizedMatrix>();
  for (const { node, found } of products) {
    const isFloat = typeof found !== "string" && found.scales.dataType === elementType.float;
    if (node.operator === "MatMulNBits" && isFloat) matrices.set(node, found);
  }
  graph.node = graph.node.flatMap((node) => {
    const matrix = matrices.get(node);
    return matrix ? writer.product(node, matrix) : [node];
  });
  removeUnusedConstants(graph);
  const externalFiles = writer.weights.filesWith(externalData);
  return {
    bytes: [...matrices.values()].reduce((sum, { rows, columns }) => sum + rows * columns, 0),
    rewritten: matrices.size,
    model: matrices.size > 0 ? encodeModel(model) : bytes,
    externalData: externalFiles,
  };
}

function opsetOf({ operatorSets }: Model): number {
  return operatorSets.find(({ domain = "" }) => domain === "" || domain === "ai.onnx")?.version ?? 1;
}

/** From this ONNX version on, ReduceMax takes its axes as an input. */
const axesAsInput = 18;

class ProductWriter {
  readonly weights = new ComputedWeights();
  readonly #graph: Graph;
  readonly #opset: number;
  readonly #external: ExternalData;
  /** Inputs whose digits were already computed. */
  readonly #split = new Set<string>();

  constructor(graph: Graph, opset: number, external: ExternalData) {
    this.#graph = graph;
    this.#opset = opset;
    this.#external = external;
    const scalar = (name: string, value: number) =>
      graph.initializer.push(makeFloatTensor(name, [], Float32Array.of(value)));
    scalar(constants.first, steps.first);
    scalar(constants.next, steps.next);
    scalar(constants.middle, middle);
    // Prevents a division by zero for a row of zeros; no real activation is this small.
    scalar(constants.tiny, 1e-30);
    const integers = (name: string, value: bigint) =>
      graph.initializer.push(makeTensor(name, elementType.int64, [1], BigInt64Array.of(value)));
    integers(constants.lastAxis, -1n);
    integers(constants.firstAxis, 0n);
    graph.initializer.push(makeTensor(constants.zeroPoint, elementType.uint8, [], Uint8Array.of(middle)));
  }

  /** The nodes that replace a product. */
  product(node: Node, matrix: BlockQuantizedMatrix): Node[] {
    const [input = "", levels = ""] = node.input;
    const [result = ""] = node.output;
    const { digits, largest, nodes } = this.#digitsOf(input);
    const { weight, scales } = this.#addWeight(`${levels}_${result}`, matrix);
    const step = stepper(nodes, result);
    const product = step("MatMulInteger", [digits, weight, constants.zeroPoint]);
    const scaled = step("Mul", [step("Cast", [product], { to: BigInt(elementType.float) }), scales]);
    const sum = step("ReduceSum", [scaled, constants.firstAxis], { keepdims: 1n });
    const bias = node.input[5] ?? "";
    if (bias === "") {
      nodes.push(makeNode("Mul", [sum, largest], [result], { name: `${result}/int8` }));
    } else {
      nodes.push(makeNode("Add", [step("Mul", [sum, largest]), bias], [result], { name: `${result}/int8` }));
    }
    return nodes;
  }

  /** The digits of `input`, (3, tokens, columns), and the largest magnitude of each token. Adds nodes if they do not exist yet. */
  #digitsOf(input: string): { digits: string; largest: string; nodes: Node[] } {
    const nodes: Node[] = [];
    const prefix = `${input}/digits`;
    const names = { digits: `${prefix}/all`, largest: `${prefix}/largest`, nodes };
    if (this.#split.has(input)) return names;
    this.#split.add(input);
    const step = stepper(nodes, prefix);
    const magnitudes = step("Abs", [input]);
    const most =
      this.#opset >= axesAsInput
        ? step("ReduceMax", [magnitudes, constants.lastAxis], { keepdims: 1n })
        : step("ReduceMax", [magnitudes], { keepdims: 1n, axes: [-1n] });
    nodes.push(makeNode("Add", [most, constants.tiny], [names.largest], { name: names.largest }));
    let rest = step("Mul", [step("Div", [input, names.largest]), constants.first]);
    const digits: string[] = [];
    for (let place = 0; place < digitCount; place++) {
      const digit = step("Round", [rest]);
      digits.push(digit);
      if (place < digitCount - 1) rest = step("Mul", [step("Sub", [rest, digit]), constants.next]);
    }
    const signed = step("Concat", digits, { axis: 0n });
    const unsigned = step("Add", [signed, constants.middle]);
    const attributes = { to: BigInt(elementType.uint8) };
    nodes.push(makeNode("Cast", [unsigned], [names.digits], { name: names.digits, attributes }));
    return names;
  }

  /** The levels, (inputs, outputs), and the scales of each digit, (3, 1, outputs). */
  #addWeight(name: string, matrix: BlockQuantizedMatrix): { weight: string; scales: string } {
    const { rows, columns } = matrix;
    for (const tensor of [matrix.levels, matrix.scales]) checkTensor(tensor, this.#external);
    const int8 = new Int8RowQuantizer(matrix, this.#external);
    const names = { weight: `${name}_int8`, scales: `${name}_int8_scales` };
    const levels = this.weights.add(rows * columns, (target) =>
      int8.levels(new Int8Array(target, 0, rows * columns)),
    );
    const scales = this.weights.add(4 * digitCount * rows, (target) =>
      digitScales(int8.scales(), new Float32Array(target, 0, digitCount * rows)),
    );
    this.#graph.initializer.push(
      makeExternalTensor(names.weight, elementType.int8, [columns, rows], levels),
      makeExternalTensor(names.scales, elementType.float, [digitCount, 1, rows], scales),
    );
    return names;
  }
}

const digitCount = 3;

/** The value of one step of each digit in each output. */
function digitScales(scales: Float32Array, target: Float32Array): void {
  for (let place = 0; place < digitCount; place++) {
    const worth = 1 / (steps.first * steps.next ** place);
    for (let row = 0; row < scales.length; row++) {
      target[place * scales.length + row] = (scales[row] as number) * worth;
    }
  }
}

/** Adds nodes whose outputs are named by prefix and step. */
function stepper(nodes: Node[], prefix: string) {
  return (operator: string, inputs: readonly string[], attributes = {}): string => {
    const output = `${prefix}/${operator}_${nodes.length}`;
    nodes.push(makeNode(operator, inputs, [output], { name: output, attributes }));
    return output;
  };
}

/** Names of the constants that are added to the graph. The prefix is used by no exporter. */
const constants = {
  first: "midtoken/digits/first",
  next: "midtoken/digits/next",
  middle: "midtoken/digits/middle",
  tiny: "midtoken/digits/tiny",
  lastAxis: "midtoken/digits/last_axis",
  firstAxis: "midtoken/digits/first_axis",
  zeroPoint: "midtoken/digits/zero_point",
} as const;
