/** The tests of a graph on WebGPU: what it computes, and what its cache keeps. */
import { expect, test } from "@playwright/test";
import {
  type ConformancePart,
  languageModelConformance,
} from "../../src/core/decoder/ports/language-model.conformance.ts";
import { layersForCacheTests } from "../../src/runtime/engine/onnx/testing/shorten-graph.ts";
import { readExpectedOutput } from "../../src/runtime/engine/testing/graph-folder.ts";
import type { GraphAddress } from "./graph-files.ts";
import { exported, type ServedGraph } from "./graphs.ts";
import type { AskEnginePage } from "./on-engine-page.ts";

/** `npm test` asks the bundled model for conformance, `npm run test:all` all graphs. */
const tagOf = ({ name }: ServedGraph) => (name === "stories260k/model" ? ["@daily"] : []);
export const isFloat32 = ({ quantized }: ServedGraph) => !quantized;

/**
 * Parts of the suite that run only for some graphs, beside the cut of the text, which runs for every graph. Passes of several
 * tokens: in float32, in 4 bits, as exported for WebGPU, and for a graph whose pass returns only the last row; other graphs would
 * run the same kernels again. The context's cache: for each kind of cache and state, since each kind has its own code. The calls:
 * once.
 */
const besides: readonly (readonly [ConformancePart, RegExp])[] = [
  [
    "context",
    /stories260k|tiny-gemma3\/model$|tiny-lfm2\/model(_q4_gpu)?$|tiny-llama\/model_(concat|q4)$|tiny-qwen3\/model_q4_gpu/,
  ],
  ["passes", /stories260k|tiny-qwen3\/model_q4_gpu|tiny-llama\/model_last_logits/],
  ["calls", /stories260k\/model$/],
];

/** How many checks the suite has of these parts, so that none is left out unseen. */
export function checksOf(parts: readonly ConformancePart[]): number {
  const never = () => Promise.reject(new Error("Counted, and not run."));
  return languageModelConformance("", never, { tolerance: 0 }).filter(({ part }) => parts.includes(part))
    .length;
}

/** Whose layers are read and steered: norms that add, plain sums, a state that is computed again. */
const layered = /stories260k\/model$|tiny-lfm2\/model$|tiny-llama\/model_concat/;

/** Tokens that are compared, out of the reference's 32; `npm run bench -- decode --only graphs` compares all. */
const referenceTokens = 12;

/** Where the controls run, on a device that is left wrong; the bundled model is the one it harms least. */
const controls = /stories260k|tiny-qwen2|tiny-qwen3\/model_q4_gpu/;

/** The model writes the tokens of the exporter's reference. */
export function testReferenceTokens(
  title: string,
  graph: ServedGraph,
  asking: AskEnginePage,
  address: GraphAddress = graph.address,
): void {
  test(title, async () => {
    const { prompt, reference } = readExpectedOutput(graph);
    const tokens = await asking((page) =>
      page.evaluate(([a, p, n]) => window.engine.greedy(a, [...p], n), [
        address,
        prompt,
        referenceTokens,
      ] as const),
    );
    expect(tokens).toEqual(reference.greedy.slice(0, referenceTokens));
  });
}

/**
 * Defines the tests of one graph. They share a model, which the conformance suite disposes of at its end. Cache and layers are
 * tested on the shortened graph: their code does the same for each layer and logit.
 */
export function testGraph(graph: ServedGraph, asking: AskEnginePage): void {
  const { name, address } = graph;
  const shortened: GraphAddress = { ...address, layers: layersForCacheTests(name) };

  if (isFloat32(graph) && exported.includes(graph)) {
    testReferenceTokens(`${name}: the reference's tokens, the prompt of 40 in one pass`, graph, asking);
  }

  // Nothing else reads the whole graph on WebGPU.
  if (!isFloat32(graph)) {
    test(`${name}: a text in two passes equals one pass`, async () => {
      const difference = await asking((page) => page.evaluate((a) => window.engine.twoPasses(a), address));
      expect(difference).toBeLessThan(1e-3);
    });
  }

  if (isFloat32(graph)) {
    test(`${name}: one pass equals WebAssembly's, at any length`, async () => {
      const differences = await asking((page) =>
        page.evaluate((a) => window.engine.againstWasm(a, [1, 31, 32, 100], false), address),
      );
      console.log(name, differences.map((d) => d.toExponential(1)).join(" "));
      expect(Math.max(...differences)).toBeLessThan(1e-3);
    });
  }

  if (controls.test(name)) {
    test(`${name}: the check at load finds a right device right`, async () => {
      const { agrees, error } = await asking((page) =>
        page.evaluate((a) => window.engine.passCheck(a, false), address),
      );
      expect(agrees, String(error)).toBe(true);
    });
  }

  test(`${name}: conformance on WebGPU`, { tag: tagOf(graph) }, async () => {
    const others = besides.filter(([, graphs]) => graphs.test(name)).map(([part]) => part);
    const parts: ConformancePart[] = ["cuts", ...others];
    const results = await asking((page) =>
      page.evaluate(([a, p]) => window.engine.conformance(a, p, { tolerance: 1e-3 }), [
        shortened,
        parts,
      ] as const),
    );
    console.log(`${name}, seconds:`, results.map(({ ms }) => Math.round(ms / 1000)).join(" "));
    expect(results).toHaveLength(checksOf(parts));
    expect(results.filter(({ failure }) => failure !== null)).toEqual([]);
  });

  if (layered.test(name)) {
    test(`${name}: layers on WebGPU`, async () => {
      const three: GraphAddress = { ...address, layers: 3 };
      const results = await asking((page) => page.evaluate((a) => window.engine.layers(a, 1e-4), three));
      console.log(`${name}, layers, seconds:`, results.map(({ ms }) => Math.round(ms / 1000)).join(" "));
      expect(results.length).toBeGreaterThan(6);
      expect(results.filter(({ failure }) => failure !== null)).toEqual([]);
    });
  }

  if (controls.test(name)) {
    test(`${name}: the check at load finds the adapter's subgroups wrong where they are`, async () => {
      const { subgroups } = await asking((page) => page.evaluate(() => window.engine.adapter()));
      const { agrees, error } = await asking((page) =>
        page.evaluate((a) => window.engine.passCheck(a, true), address),
      );
      expect(agrees, String(error)).toBe(subgroups === "right");
    });
  }

  if (controls.test(name) && isFloat32(graph)) {
    test(`${name}: control, with subgroups narrower than 8 passes of 32 and more are wrong, with right ones right`, async () => {
      const { subgroups } = await asking((page) => page.evaluate(() => window.engine.adapter()));
      const [short = 1, ...long] = await asking((page) =>
        page.evaluate((a) => window.engine.againstWasm(a, [31, 32, 40], true), address),
      );
      expect(short).toBeLessThan(1e-3);
      if (subgroups === "right") expect(Math.max(...long)).toBeLessThan(1e-3);
      else expect(Math.min(...long)).toBeGreaterThan(1e-2);
    });
  }
}
