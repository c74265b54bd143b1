/** Several texts in turns: what is read of them, what is kept, and that nothing else changes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mix32, randomBits } from "../../base/random.ts";
import { type ScriptedModelOptions, scriptedModel } from "../testing/scripted-model.ts";
import { KvCache } from "./kv-cache.ts";

const vocabularySize = 16;
const rowBytes = 4 * vocabularySize;
const now = () => 0;

/** Logits that depend on every token of the context. */
function randomLogits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: vocabularySize }, (_, token) => (randomBits(key, token) % 1000) / 200);
}

function make(budget: number | (() => number), options: Partial<ScriptedModelOptions> = {}) {
  const model = scriptedModel({ vocabularySize, endOfSequence: [15], logits: randomLogits, ...options });
  const prefixBudget = typeof budget === "number" ? () => budget : budget;
  return { model, kvCache: new KvCache(model, { prefixBudget }) };
}

/** Repeatable tokens; another seed is another text from its first token on. */
function words(seed: number, count: number): number[] {
  return [seed % 15, ...Array.from({ length: count - 1 }, (_, place) => randomBits(seed, place) % 15)];
}

/** As a request does: the prompt, then tokens one by one. Gives how many tokens of the prompt were read. */
async function request(kvCache: KvCache, prompt: readonly number[], answer: readonly number[] = []) {
  await kvCache.resume(prompt);
  const { passes, rows } = await kvCache.prefill(prompt, { now });
  expect(rows.at(-1)).toEqual(randomLogits(prompt));
  for (let count = 1; count <= answer.length; count++)
    await kvCache.forward([...prompt, ...answer.slice(0, count)], now);
  return passes.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
}

describe("what is read", () => {
  test("two chats in turns: of each turn what is new", async () => {
    const { kvCache } = make(10_000);
    let [a, b] = [words(1, 300), words(2, 200)];
    expect([await request(kvCache, a), await request(kvCache, b)]).toEqual([300, 200]);
    for (let turn = 0; turn < 3; turn++) {
      a = [...a, ...words(10 + turn, 20)];
      b = [...b, ...words(20 + turn, 30)];
      expect([await request(kvCache, a, [1, 2]), await request(kvCache, b, [3])]).toEqual([20, 30]);
    }
  });

  test("a chat that goes on as the model has it: what is new, whatever is kept of its beginning", async () => {
    const { kvCache } = make(10_000);
    const chat = words(1, 100);
    for (const prompt of [chat, words(2, 100)]) await request(kvCache, prompt);
    expect(await request(kvCache, [...chat, ...words(3, 80)])).toBe(80);
    expect(await request(kvCache, [...chat, ...words(3, 80), ...words(4, 20)])).toBe(20);
  });

  test("the same prompts in turns: nothing, since their logits are kept", async () => {
    const { kvCache, model } = make(10_000);
    const prompts = [words(1, 100), words(2, 100), words(3, 100)];
    for (const prompt of prompts) await request(kvCache, prompt, [4, 5]);
    const { length } = model.passes;
    for (const prompt of [...prompts, ...prompts]) expect(await request(kvCache, prompt)).toBe(0);
    expect(model.passes).toHaveLength(length);
  });

  test("a branch, and the text it came from again: what they share is kept once", async () => {
    const { kvCache } = make(10_000);
    const trunk = words(1, 200);
    const [one, other] = [
      [...trunk, ...words(2, 100)],
      [...trunk, ...words(3, 100)],
    ];
    expect([await request(kvCache, one), await request(kvCache, other)]).toEqual([300, 100]);
    expect(await request(kvCache, words(5, 80))).toBe(80);
    expect(kvCache.prefixes?.bytes).toBe(400 + 2 * rowBytes);
    expect([await request(kvCache, one), await request(kvCache, other)]).toEqual([0, 0]);
  });

  test("a prompt that others begin with is there for all of them", async () => {
    const { kvCache } = make(10_000);
    const system = words(1, 150);
    await request(kvCache, [...system, ...words(2, 40)]);
    await request(kvCache, words(3, 100));
    expect(await request(kvCache, [...system, ...words(4, 30)])).toBe(30);
  });

  test("the logits after a prompt are those of its own text, not of one that parts from it earlier", async () => {
    const { kvCache } = make(10_000);
    const trunk = words(1, 100);
    const [one, other] = [
      [...trunk, ...words(2, 50)],
      [...trunk, ...words(3, 100)],
    ];
    for (const prompt of [one, words(4, 100), other, words(5, 100)]) await request(kvCache, prompt);
    expect(await request(kvCache, other.slice(0, 180))).toBe(1);
    expect(await request(kvCache, other.slice(0, one.length))).toBe(1);
  });

  test("short texts are read again: a copy is worth nothing", async () => {
    const { kvCache } = make(10_000);
    await request(kvCache, words(1, 60));
    await request(kvCache, words(2, 60));
    expect(kvCache.prefixes?.bytes).toBe(0);
    expect(await request(kvCache, words(1, 60))).toBe(60);
  });

  test("a cache without a budget keeps nothing", async () => {
    const kvCache = new KvCache(make(0).model);
    await request(kvCache, words(1, 100));
    await request(kvCache, words(2, 100));
    expect(await request(kvCache, words(1, 100))).toBe(100);
  });
});

describe("memory", () => {
  test("the text used longest ago goes first", async () => {
    const { kvCache } = make(2 * (100 + rowBytes));
    for (const seed of [1, 2, 3]) await request(kvCache, words(seed, 100));
    expect(await request(kvCache, words(1, 100))).toBe(0);
    // 3 came in place of 2, which was used before 1 was.
    expect(await request(kvCache, words(3, 100))).toBe(0);
    expect(await request(kvCache, words(2, 100))).toBe(100);
  });

  test("of a text that does not fit its beginning is kept", async () => {
    const { kvCache } = make(150);
    await request(kvCache, words(1, 400));
    await request(kvCache, words(2, 100));
    expect(kvCache.prefixes?.bytes).toBe(150);
    expect(await request(kvCache, words(1, 400))).toBe(250);
  });

  test("a budget that becomes smaller holds from the next change on", async () => {
    let budget = 1000;
    const { kvCache } = make(() => budget);
    for (const seed of [1, 2, 3]) await request(kvCache, words(seed, 100));
    budget = 180;
    await request(kvCache, words(1, 100));
    expect(kvCache.prefixes?.bytes).toBeLessThanOrEqual(180);
  });

  test("what is kept gives way to a pass that needs the memory", async () => {
    const { kvCache, model } = make(10_000, { memory: 250 });
    await request(kvCache, words(1, 100));
    await request(kvCache, words(2, 100));
    expect(await request(kvCache, [...words(2, 100), ...words(3, 80)])).toBe(80);
    expect(kvCache.prefixes?.bytes).toBe(0);
    expect(model.context).toHaveLength(180);
    expect(kvCache.hasFailed).toBe(false);
  });

  test("a copy for which there is no memory is left out", async () => {
    const { kvCache } = make(10_000, { memory: 150 });
    await request(kvCache, words(1, 100));
    expect(await request(kvCache, words(2, 100))).toBe(100);
    expect(kvCache.prefixes?.bytes).toBe(0);
  });

  test("nothing is trusted after a failure", async () => {
    const dies = { pass: 2, cause: new Error("lost") };
    const { kvCache } = make(10_000, { dies });
    await request(kvCache, words(1, 100));
    await request(kvCache, words(2, 100));
    await expect(request(kvCache, words(3, 100))).rejects.toThrow("The model failed");
    expect(kvCache.prefixes?.bytes).toBe(0);
  });
});

/** Texts of a few branching points, cut and gone on with. */
const visits = fc.array(
  fc.record({
    branches: fc.array(
      fc.record({ at: fc.integer({ min: 1, max: 90 }), seed: fc.integer({ min: 0, max: 3 }) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    answer: fc.integer({ min: 0, max: 40 }),
    isDrafted: fc.boolean(),
  }),
  { minLength: 2, maxLength: 14 },
);

test("random texts in turns: logits, rows and what the model holds are those of a text read from scratch; bytes stay within the budget", async () => {
  const plans = fc.record({
    list: visits,
    budget: fc.constantFrom(0, 200, 600, 5000),
    memory: fc.constantFrom(400, 4096),
  });
  let restored = 0;
  await fc.assert(
    fc.asyncProperty(plans, async ({ list, budget, memory }) => {
      const { kvCache, model } = make(budget, { memory, passCost: () => 1 });
      for (const { branches, answer, isDrafted } of list) {
        const prompt = branches.flatMap(({ at, seed }) => words(seed, at));
        const told = words(7, answer + 1).slice(1);
        const before = model.passes.length;
        await kvCache.resume(prompt);
        // No pass runs for it, and the cache is what it says it is.
        expect(model.passes).toHaveLength(before);
        const held = kvCache.length;
        expect(kvCache.sharedLength(model.context)).toBe(model.length);
        expect(model.length).toBe(held);
        expect(kvCache.prefixes?.bytes ?? 0).toBeLessThanOrEqual(budget);
        const { rows, reused } = await kvCache.prefill(prompt, { now });
        if (reused > 0) restored++;
        expect(rows.at(-1)).toEqual(randomLogits(prompt));
        expect(model.context).toEqual(prompt);
        const draft = isDrafted ? () => told.slice(1, 4) : undefined;
        for (let count = 1; count <= told.length; count++) {
          const text = [...prompt, ...told.slice(0, count)];
          const passResult = await kvCache.forward(text, now, 1, { draft: count === 1 ? draft : undefined });
          expect(passResult.rows.at(-1)).toEqual(randomLogits(text));
        }
        const row = kvCache.logitsAfter(prompt.length);
        if (row) expect(row).toEqual(randomLogits(prompt));
      }
    }),
    { numRuns: 50 },
  );
  expect(restored).toBeGreaterThan(30);
});
