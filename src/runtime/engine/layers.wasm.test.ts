import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCheckpoint } from "../../../scripts/stories260k/checkpoint.ts";
import { llama2LogitsOfHidden, llama2PassResults } from "../../../scripts/stories260k/testing/llama2.ts";
import { largestDifference } from "../../core/decoder/ports/language-model.compare.ts";
import type { LanguageModel } from "../../core/decoder/ports/language-model.ts";
import { modelLayersConformance } from "../../core/decoder/ports/model-layers.conformance.ts";
import type { ModelLayers } from "../../core/decoder/ports/model-layers.ts";
import { createModel } from "./load/create-model.ts";
import { UnsupportedGraphError } from "./onnx/decoder-graph.ts";
import { exportedGraphs } from "./testing/exported-models.ts";
import { graphsOf, readGraph } from "./testing/graph-folder.ts";
import { createMiniatureModel } from "./testing/miniature.ts";

const bundled = graphsOf("public/models/stories260k");
/** All float32 graphs; of the other graphs, one for each kind of weights and of state, because they are steered in float32 too. */
const exported = exportedGraphs().filter(
  ({ name, quantized }) => !quantized || /q4f16|q4_split|lfm2\/model_q4$/.test(name),
);
const source = readFileSync("scripts/stories260k/source/stories260K.bin");

async function load(
  files: Omit<ReturnType<typeof readGraph>, "summary">,
  layers: boolean,
): Promise<LanguageModel> {
  const created = await createModel({ ...files, openLayers: layers, device: "wasm", endOfSequence: [2] });
  return created.model;
}

describe.each([...bundled, ...exported])("$name: layers on WebAssembly", (graph) => {
  const files = readGraph(graph);
  const create = { plain: () => load(files, false), layered: () => load(files, true) };
  // In float16, neighbouring numbers of the logits' size differ by 0.008.
  const tolerance = graph.name.includes("f16") ? 0.05 : 1e-4;
  for (const { name, run } of modelLayersConformance(graph.name, create, { tolerance })) test(name, run);
});

if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS");

describe("the bundled model against the plain forward pass", () => {
  const checkpoint = readCheckpoint(source);
  const tokens = [1, 403, 407, 261, 378, 432, 383, 286, 261, 376, 400, 268];
  let model: LanguageModel;
  let layers: ModelLayers;
  beforeAll(async () => {
    const [graph] = bundled;
    if (!graph) throw new Error("The bundled model is missing.");
    model = await load(readGraph(graph), true);
    layers = model.layers as ModelLayers;
  });
  afterAll(() => model.dispose());

  const steeringAt = (position: number, layer: number) => {
    const isSteered = position >= 4 && position % 3 !== 0 && (layer === 1 || layer === position % 5);
    return isSteered
      ? Float32Array.from({ length: 64 }, (_, i) => Math.sin(i * (layer + 1) + position))
      : undefined;
  };

  test.each([
    ["as it is", () => undefined],
    ["steered, otherwise at each position", steeringAt],
  ] as const)(
    "%s: the stream behind every layer, the lens and the logits at every position",
    async (_, steering) => {
      const expected = llama2PassResults(checkpoint, tokens, steering);
      const all = checkpoint.layer.map((_, layer) => layer);
      layers.keep(all);
      model.truncate(0);
      const differences: number[] = [];
      for (const [position, token] of tokens.entries()) {
        const vectors = all.flatMap((layer) => {
          const vector = steering(position, layer);
          return vector ? [[layer, vector] as const] : [];
        });
        layers.steer(new Map(vectors));
        const logits = await model.forward([token]);
        const row = expected[position];
        differences.push(largestDifference(logits, row?.logits ?? logits.slice(1)));
        for (const layer of all) {
          const hidden = await layers.hidden(layer);
          const plain = row?.hidden[layer] ?? hidden.slice(1);
          differences.push(largestDifference(hidden, plain));
          differences.push(
            largestDifference(await layers.lens(hidden), llama2LogitsOfHidden(checkpoint, plain)),
          );
        }
      }
      expect(differences).toHaveLength(tokens.length * (1 + 2 * checkpoint.layers));
      expect(Math.max(...differences)).toBeLessThan(1e-4);
    },
  );
});

test("a graph of no known shape is refused with what is missing", async () => {
  const files = createMiniatureModel({ heads: 2 });
  await expect(load(files, true)).rejects.toThrow(UnsupportedGraphError);
  await expect(load(files, true)).rejects.toThrow(
    /onnx\/model\.onnx cannot be read or steered: the stream splits before/,
  );
  await (await load(files, false)).dispose();
});
