import { describe, expect, test } from "vitest";
import { largestDifference } from "../../../core/decoder/ports/language-model.compare.ts";
import { languageModelConformance } from "../../../core/decoder/ports/language-model.conformance.ts";
import { type LanguageModel, ModelDeadError } from "../../../core/decoder/ports/language-model.ts";
import { createDecoderModel } from "../graph/decoder-model.ts";
import { UnsupportedGraphError } from "../onnx/decoder-graph.ts";
import { exportedGraphs } from "../testing/exported-models.ts";
import { type ExportedGraph, readExpectedOutput, readGraph } from "../testing/graph-folder.ts";
import { createWasmRunner } from "./wasm-runner.ts";

const refused = /_gpu$/;
const all = exportedGraphs();
const supported = all.filter(({ name }) => !refused.test(name));

async function load(graph: ExportedGraph, cacheRows = 256): Promise<LanguageModel> {
  const read = readGraph(graph);
  // A short context, so that filling it takes only milliseconds.
  const config = { ...read.config, max_position_embeddings: 200 };
  return createDecoderModel(await createWasmRunner({ ...read, config, cacheRows }), { endOfSequence: [2] });
}

/** `count` greedy tokens after the prompt, which is read in one pass. */
async function greedy(model: LanguageModel, prompt: readonly number[], count: number): Promise<number[]> {
  const tokens: number[] = [];
  let logits = await model.forward(prompt);
  while (tokens.length < count) {
    const best = logits.indexOf(logits.reduce((a, b) => Math.max(a, b)));
    tokens.push(best);
    logits = await model.forward([best]);
  }
  return tokens;
}

describe.each(supported)("$name on WebAssembly", (graph) => {
  const checks = languageModelConformance(graph.name, ({ cacheRows }) => load(graph, cacheRows), {
    tolerance: 1e-4,
  });
  for (const { name, run } of checks) test(name, run);

  if (!graph.quantized) {
    test("gives the reference's tokens", async () => {
      const { prompt, reference } = readExpectedOutput(graph);
      const model = await load(graph);
      expect(await greedy(model, prompt, reference.greedy.length)).toEqual(reference.greedy);
      await model.dispose();
    });
  }
});

if (all.length === 0) test.skip("the exporters' graphs: set MIDTOKEN_MODELS");

describe.runIf(all.length > 0)(
  "graphs that do not run on WebAssembly are refused when they are loaded",
  () => {
    const reasons: [RegExp, RegExp][] = [[/_gpu$/, /made for WebGPU/]];
    for (const graph of all.filter(({ name }) => refused.test(name))) {
      test(graph.name, async () => {
        const [, reason] = reasons.find(([pattern]) => pattern.test(graph.name)) ?? [];
        expect(reason, "a refused graph without a reason").toBeDefined();
        await expect(load(graph)).rejects.toThrow(UnsupportedGraphError);
        await expect(load(graph)).rejects.toThrow(reason as RegExp);
      });
    }
  },
);

if (supported.length > 0) {
  const tiny = supported.find(({ name }) => name === "tiny-llama/model") as ExportedGraph;

  test("calls made at once are computed one after the other", async () => {
    const model = await load(tiny);
    const [a, b] = await Promise.all([model.forward([1, 2, 3]), model.forward([4])]);
    expect(model.length).toBe(4);
    model.truncate(0);
    expect(await model.forward([1, 2, 3])).toEqual(a);
    expect(await model.forward([4])).toEqual(b);
    await model.dispose();
  });

  test("a runtime that fails leaves a plainly dead model, and the same bytes make a new one", async () => {
    const read = readGraph(tiny);
    // Rotary caches end at 2,048, so with a config that promises more, the runtime itself fails.
    const config = { ...read.config, max_position_embeddings: 5000 };
    const runner = await createWasmRunner({ ...read, config, cacheRows: 256 });
    const model = createDecoderModel(runner, { endOfSequence: [2] });
    const failure = await model.forward(new Array<number>(2049).fill(1)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelDeadError);
    expect((failure as ModelDeadError).cause).toBeInstanceOf(Error);
    await expect(model.forward([1])).rejects.toBe(failure);
    expect(() => model.truncate(0)).toThrow(ModelDeadError);
    await model.dispose();
    const again = createDecoderModel(await createWasmRunner({ ...read, cacheRows: 256 }), {
      endOfSequence: [2],
    });
    expect((await again.forward([1])).every(Number.isFinite)).toBe(true);
    await again.dispose();
  });

  test("a limit on passes changes the plan, not the logits", async () => {
    const whole = await load(tiny);
    const short = createDecoderModel(await createWasmRunner({ ...readGraph(tiny), cacheRows: 64 }), {
      endOfSequence: [2],
      passTokens: 7,
    });
    const { prompt } = readExpectedOutput(tiny);
    for (const rows of [1, 3, 9, 40]) {
      whole.truncate(0);
      short.truncate(0);
      const [a, b] = [await whole.forward(prompt, rows), await short.forward(prompt, rows)];
      expect(b.length).toBe(rows * whole.vocabularySize);
      expect(largestDifference(a, b)).toBeLessThan(1e-4);
    }
    await whole.dispose();
    await short.dispose();
  });
}
