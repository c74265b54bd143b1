/** Rounds the activations of a graph's 4-bit products to 8 bits, as the runtime's WebGPU kernels do at accuracy level 4, so that tests on any device show the effect. */
import { makeFloatTensor, makeNode, makeTensor } from "../make.ts";
import { elementType, type Model, type Node } from "../model.ts";
import { integerAttribute } from "../tensor.ts";
import { eightBitBlock, roundsActivationsOnWebGpu } from "./evaluate-products.ts";

/** `as on WebGPU`: products for which the runtime has the kernel, whatever the file's accuracy level. `everywhere`: products of every width. */
export type EightBitProducts = "as on WebGPU" | "everywhere";

/** Changes the model. Returns how many products it changed. */
export function roundActivations(model: Model, products: EightBitProducts): number {
  const { graph } = model;
  if (!graph) return 0;
  let changed = 0;
  graph.node = graph.node.flatMap((node) => {
    if (node.operator !== "MatMulNBits") return [node];
    if (products === "as on WebGPU" && !roundsActivationsOnWebGpu(node)) return [node];
    changed += 1;
    const { nodes, constants } = roundedInput(node, changed);
    graph.initializer.push(...constants);
    return [...nodes, node];
  });
  return changed;
}

/** Makes the product read rounded activations. Each block has its own scale: its largest magnitude becomes 127. */
function roundedInput(node: Node, index: number) {
  const width = integerAttribute(node, "K", 0);
  const blocks = Math.max(1, Math.floor(width / eightBitBlock));
  if (width % blocks !== 0) throw new Error(`${node.name}: ${width} numbers make no equal blocks.`);
  const name = (part: string) => `eight_bits_${index}/${part}`;
  const [given = ""] = node.input;
  const step = (operator: string, input: readonly string[], part: string) =>
    makeNode(operator, input, [name(part)], { name: name(part) });
  const nodes = [
    step("Shape", [given], "shape"),
    step("Reshape", [given, name("blocks")], "numbers"),
    step("Abs", [name("numbers")], "sizes"),
    // The largest magnitude of each block. ReduceMax differs between operator sets; GlobalMaxPool does not.
    step("GlobalMaxPool", [name("sizes")], "largest"),
    step("Div", [name("largest"), name("most")], "exact_scale"),
    step("Max", [name("exact_scale"), name("least")], "scale"),
    step("Div", [name("numbers"), name("scale")], "scaled"),
    step("Round", [name("scaled")], "whole"),
    step("Mul", [name("whole"), name("scale")], "rounded"),
    step("Reshape", [name("rounded"), name("shape")], "activations"),
  ];
  const dims = BigInt64Array.of(-1n, BigInt(blocks), BigInt(width / blocks));
  const constants = [
    makeTensor(name("blocks"), elementType.int64, [3], dims),
    makeFloatTensor(name("most"), [1], Float32Array.of(127)),
    makeFloatTensor(name("least"), [1], Float32Array.of(1e-30)),
  ];
  node.input[0] = name("activations");
  return { nodes, constants };
}
