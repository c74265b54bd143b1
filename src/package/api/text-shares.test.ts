/** Several models of an engine keep their cached texts within one limit. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { defaultSampling } from "../../core/sdk/request.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { LoadedModels } from "./loaded-models.ts";
import { storySessionOptions } from "./testing/story-engine.ts";
import { divideTextCache } from "./text-shares.ts";

const holder = (bytes: number, textBytes = 0) => ({ bytes, textBytes });

test("the newest may have the whole share, those before it what it leaves", () => {
  expect(divideTextCache([], 800)).toEqual([]);
  expect(divideTextCache([holder(100)], 800)).toEqual([100]);
  expect(divideTextCache([holder(180, 80), holder(130, 30)], 800)).toEqual([70, 100]);
  // Three models cache more than the limit, so the least recently used one must drop everything.
  expect(divideTextCache([holder(90, 90), holder(90, 90), holder(90, 90)], 800)).toEqual([0, 10, 100]);
  // Models take precedence over cached texts.
  expect(divideTextCache([holder(390), holder(380)], 800)).toEqual([30, 30]);
  expect(divideTextCache([holder(900, 20)], 800)).toEqual([0]);
});

test("what is kept within its share is never more than the share of texts, and ends no model", () => {
  const count = fc.nat({ max: 1000 });
  const holders = fc.array(
    fc.tuple(count, count).map(([model, texts]) => holder(model + texts, texts)),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(holders, count, (given, budget) => {
      const shares = divideTextCache(given, budget);
      const kept = given.map(({ textBytes }, place) => Math.min(textBytes, shares[place] as number));
      const texts = kept.reduce((sum, bytes) => sum + bytes, 0);
      const models = given.reduce((sum, { bytes, textBytes }) => sum + bytes - textBytes, 0);
      expect(texts).toBeLessThanOrEqual(budget / 8);
      if (texts > 0) expect(models + texts).toBeLessThanOrEqual(budget);
    }),
  );
});

let hub: ModelHub;
let models: LoadedModels;
beforeAll(async () => {
  hub = await startModelHub({ "m/a": "public/models/stories260k", "m/b": "public/models/stories260k" });
});
afterAll(() => {
  models?.dispose();
  return hub?.close();
});

test("what two models keep fits one share: the one that was used last has it", async () => {
  const memoryBudget = 45e6;
  models = new LoadedModels({ ...storySessionOptions, memoryBudget }, undefined);
  const ids = ["m/a", "m/b"];
  for (const id of ids) {
    const dtype = { webgpu: "fp32", wasm: "fp32" };
    await models.load({ id, url: hub.url(id), revision: null, dtype }, { device: "wasm" });
  }
  const entries = ids.map((id) => models.get(id));
  const texts = () => entries.map(({ textBytes }) => textBytes);
  for (const [turn, entry] of entries.entries()) {
    models.use(entry);
    // The cache stores about 400 tokens of each conversation except the last, at 2,560 bytes a token.
    for (const name of ["Lily", "Tom", "Ben", "Sue", "Max"]) {
      const content = `${name} had a ball. `.repeat(58);
      const { done } = entry.session.run(
        {
          requestId: `${turn} ${name}`,
          messages: [{ role: "user", content }],
          sampling: defaultSampling,
          maxTokens: 1,
          stop: [],
          seed: 1,
          mods: [],
          onModError: "stop",
        },
        () => {},
      );
      await done;
    }
    await vi.waitFor(() => expect(texts()[turn]).toBeGreaterThan(memoryBudget / 16));
  }
  await vi.waitFor(() => expect((texts()[0] ?? 0) + (texts()[1] ?? 0)).toBeLessThanOrEqual(memoryBudget / 8));
  expect(texts()[1]).toBeGreaterThan(texts()[0] ?? 0);
  expect(entries.every(({ bytes }) => bytes > 0)).toBe(true);
});
