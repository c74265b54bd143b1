/** Every kind of graph that our loop runs, on WebAssembly, without downloaded models. */
import { describe, expect, test } from "vitest";
import { largestDifference, someTokens } from "../../core/decoder/ports/language-model.compare.ts";
import { languageModelConformance } from "../../core/decoder/ports/language-model.conformance.ts";
import { createDecoderModel, type DecoderModel } from "./graph/decoder-model.ts";
import { createMiniatureModel, type MiniatureModelOptions } from "./testing/miniature.ts";
import { createWasmRunner } from "./wasm/wasm-runner.ts";

const kinds: readonly [string, MiniatureModelOptions][] = [
  ["a growing cache of two heads", { heads: 2, positions: true }],
  ["a growing cache of one head, places counted by the graph", { heads: 1 }],
  ["a growing cache and states", { heads: 2, states: true, positions: true }],
  ["states alone", { heads: 0, states: true }],
  [
    "inputs of int32, and only the rows asked for",
    { heads: 2, positions: true, rowsToKeep: true, integers: "int32" },
  ],
];

async function load(options: MiniatureModelOptions, cacheRows = 256): Promise<DecoderModel> {
  const runner = await createWasmRunner({ ...createMiniatureModel(options), cacheRows });
  return createDecoderModel(runner, { endOfSequence: [] });
}

describe.each(kinds)("%s", (name, options) => {
  const create = ({ cacheRows }: { cacheRows: number }) => load(options, cacheRows);
  for (const check of languageModelConformance(name, create, { tolerance: 1e-4 }))
    test(check.name, check.run);
});

test("logits depend on every token before, so that a cut that went wrong shows", async () => {
  for (const [, options] of kinds) {
    const model = await load(options);
    const text = someTokens(model.vocabularySize, 30);
    const logits = await model.forward(text);
    for (const place of [0, 15, 28]) {
      model.truncate(0);
      const other = text.with(place, ((text[place] ?? 0) + 1) % model.vocabularySize);
      expect(largestDifference(logits, await model.forward(other))).toBeGreaterThan(1e-3);
    }
    await model.dispose();
  }
});

test("the same weights in one file and in three", async () => {
  const [one, three] = [await load({ heads: 2 }), await load({ heads: 2, externalFiles: 3 })];
  const text = someTokens(one.vocabularySize, 20);
  expect(largestDifference(await one.forward(text), await three.forward(text))).toBe(0);
  await Promise.all([one.dispose(), three.dispose()]);
});

test("asked for some rows of many, a graph that keeps rows gives those", async () => {
  const [all, kept] = [await load({ heads: 2 }), await load({ heads: 2, rowsToKeep: true })];
  const text = someTokens(all.vocabularySize, 20);
  const [a, b] = [await all.forward(text, 7), await kept.forward(text, 7)];
  expect(b).toHaveLength(7 * kept.vocabularySize);
  expect(largestDifference(a, b)).toBeLessThan(1e-5);
  await Promise.all([all.dispose(), kept.dispose()]);
});
