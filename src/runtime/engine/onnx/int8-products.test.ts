/** Products with int8 weights: only the weights are rounded, not the activations. */
import { expect, test } from "vitest";
import { createMemoryDataFile } from "../../../../scripts/models/data-file.ts";
import { decoderGraph } from "../../../../scripts/models/graph.ts";
import { dequantizeSymmetric, quantizeSymmetric } from "../../../../scripts/models/quantize.ts";
import { referenceLogits, smallShape as shape } from "../../../../scripts/models/testing/reference.ts";
import { randomWeights, type WeightSource } from "../../../../scripts/models/weights.ts";
import { encodeModel, parseModel } from "./codec.ts";
import { convertToInt8Model } from "./int8-products.ts";
import { loadExternalData } from "./testing/graphs.ts";
import { largestDifference, openGraph } from "./testing/run-graph.ts";

const tokens = [5, 17, 90, 2, 44, 44, 3];

/** Norms with one weight far above the others, so that one activation is a thousand times larger than the rest. */
const weights: WeightSource = {
  ...randomWeights(1),
  norm(name, length) {
    const values = randomWeights(1).norm(name, length);
    values[7] = 1000;
    return values;
  },
};

/** The 4-bit values converted to int8 with a scale for each output. The embedding is not a product, so it keeps 4 bits. */
function reference(): Float32Array[] {
  const made = new Map<string, Float32Array>();
  const rounded: WeightSource = {
    ...weights,
    matrix(name, rows, columns) {
      const values =
        made.get(name) ?? dequantizeSymmetric(quantizeSymmetric(weights.matrix(name, rows, columns), 4));
      made.set(name, values);
      return { rows, columns, values };
    },
  };
  const int8: WeightSource = {
    ...rounded,
    matrix(name, rows, columns) {
      const key = `${name} int8`;
      const values = made.get(key) ?? roundRows(rounded.matrix(name, rows, columns).values, columns);
      made.set(key, values);
      return { rows, columns, values };
    },
  };
  const embedding = rounded.matrix("lm_head", shape.vocabulary, shape.hidden);
  return referenceLogits(shape, int8, tokens, embedding.values);
}

function roundRows(values: Float32Array, columns: number): Float32Array {
  const rounded = values.slice();
  for (let start = 0; start < values.length; start += columns) {
    const row = values.subarray(start, start + columns);
    const scale = Math.fround(Math.max(...row.map(Math.abs)) / 127);
    row.forEach((value, i) => {
      rounded[start + i] = Math.round(value / scale) * scale;
    });
  }
  return rounded;
}

test.each([21, 14])(
  "logits are those of the rounded weights, also beside a large activation; opset %i",
  async (opset) => {
    const data = createMemoryDataFile("data");
    const written = decoderGraph(shape, weights, "q4", data);
    for (const set of written.operatorSets) if (set.domain === "") set.version = opset;
    const files = convertToInt8Model(encodeModel(written), new Map([["data", data.bytes()]]));
    expect(files.rewritten).toBe(5 * shape.layers + 1);
    const operators = new Set(parseModel(files.model).graph?.node.map(({ operator }) => operator));
    expect(operators).toContain("MatMulInteger");
    expect(operators).toContain("GatherBlockQuantized");
    expect(operators).not.toContain("MatMulNBits");
    const graph = await openGraph({ model: files.model, external: loadExternalData(files.externalData) });
    const logits = Float32Array.from([
      ...(await graph.run(tokens.slice(0, 4))),
      ...(await graph.run(tokens.slice(4))),
    ]);
    await graph.release();
    const expected = Float32Array.from(reference().flatMap((row) => [...row]));
    const spread = Math.max(...expected) - Math.min(...expected);
    expect(spread).toBeGreaterThan(2);
    expect(largestDifference(logits, expected) / spread).toBeLessThan(1e-5);
  },
);

test("a graph without 4-bit products comes back as it was", () => {
  const model = encodeModel(decoderGraph(shape, weights, "fp32", createMemoryDataFile("data")));
  expect(convertToInt8Model(model, new Map())).toMatchObject({ rewritten: 0, bytes: 0, model });
});
