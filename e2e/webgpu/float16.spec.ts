/**
 * Runs a float16 graph with 4-bit weights of each model family. An adapter without shader-f16 must refuse these graphs.
 *
 * A device's results are compared with the same graph in float64. The allowed distance is computed before the device is asked:
 * three passes in float64, with every number rounded at random to one of the two float16 numbers beside it and, with subgroups,
 * activations rounded to 8 bits if the graph's accuracy level is 4. A device may be twice as far away as the farthest pass.
 */

import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { someTokens } from "../../src/core/decoder/ports/language-model.compare.ts";
import {
  type ConformancePart,
  languageModelConformance,
} from "../../src/core/decoder/ports/language-model.conformance.ts";
import {
  createGraphEvaluator,
  type GraphEvaluator,
} from "../../src/runtime/engine/onnx/testing/evaluate-graph.ts";
import { readGraph } from "../../src/runtime/engine/onnx/testing/graphs.ts";
import { convertGraphToFloat16 } from "../../src/runtime/engine/onnx/testing/halve-graph.ts";
import type { GraphAddress } from "./graph-files.ts";
import { exported, isFloat16, type ServedGraph } from "./graphs.ts";
import { onEnginePage } from "./on-engine-page.ts";
import { bounds, distance, outputOf, reserve } from "./rounding-bounds.ts";

const asking = onEnginePage();

/** The exporter's own file, and of each family its 4-bit file with everything else made float16. */
const halved = /tiny-(gemma3|granite|lfm2)\/model_q4$|tiny-qwen3\/model_q4_gpu$/;
const graphs = exported.filter((graph) => isFloat16(graph) || halved.test(graph.name));

function addressOf(graph: ServedGraph): GraphAddress {
  return isFloat16(graph) ? graph.address : { ...graph.address, halved: true };
}

function evaluated(graph: ServedGraph): GraphEvaluator {
  const { model, external } = readGraph(join(graph.folder, graph.file));
  return isFloat16(graph)
    ? createGraphEvaluator(model, external)
    : createGraphEvaluator(convertGraphToFloat16(model, external), new Map());
}

if (exported.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS", () => {});

for (const graph of graphs) {
  const { name } = graph;
  const address = addressOf(graph);

  test(`${name}: in float16 as near to float64 as rounding allows, with shader-f16; else refused`, async () => {
    const adapter = await asking((page) => page.evaluate(() => window.engine.adapter()));
    const { float16 } = adapter;
    // A refusal is the same for every family: the exporter's own file has it.
    test.skip(!float16 && !isFloat16(graph), "this adapter has no shader-f16");
    if (!float16) {
      const refusal = await asking((page) => page.evaluate((a) => window.engine.refusal(a), address));
      expect(refusal.message).toMatch(/no shader-f16/);
      expect(refusal.name).toBe("UnsupportedGraphError");
      return;
    }
    const own = evaluated(graph);
    const tokens = someTokens(2048, 40, 7);
    const text = { tokens, name: outputOf(own, tokens) };
    for (const subgroups of adapter.subgroups === "right" ? [false, true] : [false]) {
      const [bound] = bounds(own, tokens, [text.name], { half: true, eightBits: subgroups });
      if (!bound) throw new Error("No bound.");
      const logits = await asking((page) =>
        page.evaluate(([a, t, s]) => window.engine.logits(a, t, s), [address, tokens, subgroups] as const),
      );
      const { share, largest } = distance(bound.exact, logits);
      const how = subgroups ? "with subgroups" : "without subgroups";
      console.log(
        `${name} ${how}: ${share.toPrecision(2)} of the logits off, at most ${largest.toPrecision(2)}; by rounding ${bound.share.toPrecision(2)}, ${bound.largest.toPrecision(2)}`,
      );
      expect(share, how).toBeLessThan(reserve * bound.share);
      // Cuts and caches are the same code for every family: the exporter's own file has them checked.
      if (!isFloat16(graph)) continue;
      const parts: ConformancePart[] = ["cuts", "context", "passes"];
      const tolerance = reserve * bound.largest;
      const results = await asking((page) =>
        page.evaluate(([a, p, o]) => window.engine.conformance(a, p, o), [
          address,
          parts,
          { tolerance, subgroups },
        ] as const),
      );
      expect(results).toHaveLength(checks(parts));
      expect(
        results.filter(({ failure }) => failure !== null),
        how,
      ).toEqual([]);
    }
  });
}

function checks(parts: readonly string[]): number {
  const never = () => Promise.reject(new Error("Counted, and not run."));
  return languageModelConformance("", never, { tolerance: 0 }).filter(({ part }) => parts.includes(part))
    .length;
}

const ownFile = graphs.find(isFloat16);

test("float16, level by level: behind no layer is the stream farther from float64 than rounding carries it", async () => {
  const adapter = await asking((page) => page.evaluate(() => window.engine.adapter()));
  const { float16 } = adapter;
  test.skip(!ownFile, "no MIDTOKEN_MODELS");
  test.skip(!float16, "this adapter has no shader-f16");
  if (!ownFile) return;
  const own = evaluated(ownFile);
  const tokens = someTokens(2048, 40, 7);
  const names = [1, 2].map((layer) => `/model/layers.${layer}/input_layernorm/output_3`);
  for (const subgroups of adapter.subgroups === "right" ? [false, true] : [false]) {
    const found = await asking((page) =>
      page.evaluate(([a, t, s]) => window.engine.levels(a, t, s), [
        ownFile.address,
        tokens,
        subgroups,
      ] as const),
    );
    for (const [layer, bound] of bounds(own, tokens, names, { half: true, eightBits: subgroups }).entries()) {
      const { share } = distance(bound.exact, found.streams[layer] ?? []);
      const how = `layer ${layer}, ${subgroups ? "with" : "without"} subgroups`;
      console.log(`${how}: ${share.toPrecision(2)} off, by rounding ${bound.share.toPrecision(2)}`);
      expect(share, how).toBeLessThan(reserve * bound.share);
    }
  }
});
