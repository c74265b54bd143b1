/** Mods that read and steer activations, one behaviour at a time. Any mix of it: request-activations.property.test.ts. */
import { describe, expect, test } from "vitest";
import type { TraceRecord } from "../../trace/format/format.ts";
import { readLayers } from "../activations/read-layers.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import { largestDifference } from "../ports/language-model.compare.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { alphabetLogits, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { computedStates, hiddenSize, layerCount, layeredModel, logitsOf } from "../testing/layered-model.ts";
import { runDecode } from "../testing/run-decode.ts";
import { scriptedModel } from "../testing/scripted-model.ts";

type Inside = NonNullable<ModHost["needs"]["activations"]>;

function insideMod(handlers: Handlers, activations: Partial<Inside> = {}, name = "inside"): ModHost {
  const host = inProcessMod(name, handlers);
  const all = { layers: "all", hiddenStates: false, lens: [], ...activations } as const;
  return {
    ...host,
    ask: host.ask,
    dispose: host.dispose,
    needs: { topK: 0, logits: false, activations: all },
  };
}

const row = (...numbers: number[]) => Float32Array.from(numbers);
const steering = (layer: number, vector: Float32Array, scale = 1) => ({
  type: "steer",
  vectors: [{ layer, vector, scale }],
});
const run = (mods: readonly ModHost[], more: Partial<Parameters<typeof runDecode>[0]> = {}) =>
  runDecode({ kvCache: new KvCache(layeredModel()), mods, request: { maxTokens: 5 }, ...more });

function tops(records: readonly TraceRecord[]): number[][] {
  return records.flatMap((record) =>
    record.type === "forwardPass" && record.before ? [record.before.top.map(({ logprob }) => logprob)] : [],
  );
}

describe("steering", () => {
  test("a mod that declares layers and does nothing changes nothing", async () => {
    const { records } = await run([insideMod({ forwardPass: () => null })]);
    const plain = await run([inProcessMod("inside", { forwardPass: () => null })]);
    expect(tops(records)).toEqual(tops(plain.records));
  });

  test("from the next pass on, until null; what was computed stays steered", async () => {
    const vector = row(1, -1, 0.5, 0);
    const seen: Float32Array[] = [];
    const { records } = await run([
      insideMod(
        {
          forwardPass: ({ step, activations }) => {
            seen.push(activations?.hiddenStates.get(1) as Float32Array);
            if (step === 1) return steering(1, vector, 2);
            return step === 3 ? { type: "steer", vectors: [] } : null;
          },
        },
        { hiddenStates: true },
      ),
    ]);
    const tokens = records.flatMap((record) =>
      record.type === "added" ? record.tokens.map(({ token }) => token) : [],
    );
    const text = [97, 98, 99, 100, ...tokens.slice(0, 4)].map((token, place) => ({
      token,
      // Tokens 4 and 5 of the text are read by the passes of steps 2 and 3.
      vectors: new Map(place === 5 || place === 6 ? [[1, vector.map((number) => 2 * number)]] : []),
    }));
    const states = computedStates(text).slice(3);
    for (const [step, state] of states.entries())
      expect(largestDifference(seen[step] as Float32Array, state[1] as Float32Array)).toBeLessThan(1e-6);
  });

  test("vectors of several mods add up, and that of a mod at fault goes", async () => {
    const one = row(1, 0, 0, 0);
    const failing = insideMod(
      {
        prefilled: () => steering(0, row(0, 1, 0, 0)),
        forwardPass: ({ step }) => {
          if (step === 1) throw new Error("I fail.");
          return null;
        },
      },
      {},
      "failing",
    );
    const states: Float32Array[] = [];
    const watching = insideMod(
      {
        prefilled: () => steering(0, one),
        forwardPass: ({ activations }) => void states.push(activations?.hiddenStates.get(0) as Float32Array),
      },
      { hiddenStates: true },
    );
    const { records } = await run([failing, watching], { request: { maxTokens: 3, onModError: "continue" } });
    const tokens = records.flatMap((record) =>
      record.type === "added" ? record.tokens.map(({ token }) => token) : [],
    );
    const both = new Map([[0, row(1, 1, 0, 0)]]);
    const text = [97, 98, 99, 100, ...tokens.slice(0, 2)].map((token, place) => ({
      token,
      vectors: place < 5 ? both : new Map([[0, one]]),
    }));
    const expected = computedStates(text).slice(3);
    expect(
      states.map((state, step) => largestDifference(state, expected[step]?.[0] as Float32Array) < 1e-6),
    ).toEqual([true, true, true]);
  });

  test("the record has a vector's numbers once, and its digest every time", async () => {
    const vector = row(1, 2, 3, 4);
    const { records } = await run([
      insideMod({ forwardPass: ({ step }) => steering(step % layerCount, vector, step) }),
    ]);
    const actions = records.flatMap((record) =>
      record.type === "modCall" && record.action.type === "steer" ? record.action.vectors : [],
    );
    expect(actions.map(({ layer, scale }) => [layer, scale])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 3],
      [1, 4],
    ]);
    expect(actions.map((action) => action.vector.numbers)).toEqual([[1, 2, 3, 4], null, null, null, null]);
    expect(new Set(actions.map((action) => action.vector.digest)).size).toBe(1);
    expect(actions[0]?.vector.norm).toBeCloseTo(Math.sqrt(30), 6);
  });
});

test("of a prompt that was read in several passes, what was read before a branch stays as it was", async () => {
  const prompt = "abcdefghijklmnop";
  const kvCache = new KvCache(layeredModel({ promptPassTokens: 5 }));
  const { records } = await run([insideMod({ forwardPass: () => null })], { kvCache, prompt });
  const at = records.findIndex((record) => record.type === "forwardPass" && record.before !== null);
  const vector = row(1, -1, 0, 0);
  const changed = insideMod({ prefilled: () => steering(0, vector), forwardPass: () => null });
  const branch = await run([changed], {
    kvCache,
    prompt,
    request: { maxTokens: 1, modSources: [{ source: "changed" }] },
    branchPoint: { records, at, token: null, follows: [0] },
  });
  const text = [...prompt].map((letter, place) => ({
    token: letter.charCodeAt(0),
    // Three passes of 5 were read, and the last token is the branch's own.
    vectors: new Map(place < 15 ? [] : [[0, vector]]),
  }));
  const logits = logitsOf(computedStates(text).at(-1)?.at(-1) as Float32Array);
  const own = branch.records.slice(at).find((record) => record.type === "forwardPass" && record.before);
  expect(own?.type === "forwardPass" && own.before?.top[0]?.token).toBe(logits.indexOf(Math.max(...logits)));
  const caughtUp = branch.records[at];
  expect(caughtUp?.type === "modCall" && [caughtUp.event, caughtUp.action.type, caughtUp.mod]).toEqual([
    "prefilled",
    "steer",
    0,
  ]);
});

test("a text that is kept is taken back under the steering that it was computed under alone", async () => {
  const kvCache = new KvCache(layeredModel(), { prefixBudget: () => 100_000 });
  const prompt = "a prompt that is long enough to be kept while another one is read. ".repeat(2);
  const steered = () => [insideMod({ prefilled: () => steering(1, row(1, -1, 0.5, 0)) })];
  const other = () => run([], { kvCache, prompt: `Another text. ${prompt}` });
  const first = await run(steered(), { kvCache, prompt });
  await other();
  const again = await run(steered(), { kvCache, prompt });
  expect(again.finished.usage.reusedTokens).toBeGreaterThan(100);
  expect(tops(again.records)).toEqual(tops(first.records));
  const plain = await run([], { kvCache, prompt });
  expect(plain.finished.usage.reusedTokens).toBe(0);
  expect(tops(plain.records)).toEqual(tops((await run([], { prompt })).records));
  await other();
  const back = await run([], { kvCache, prompt });
  expect(back.finished.usage.reusedTokens).toBeGreaterThan(100);
  expect(tops(back.records)).toEqual(tops(plain.records));
});

test("a patch is the state behind its layer, in the next pass alone", async () => {
  const vector = row(0.5, -0.5, 0.25, 1);
  const seen: Float32Array[] = [];
  await run([
    insideMod(
      {
        forwardPass: ({ step, activations }) => {
          seen.push(activations?.hiddenStates.get(1) as Float32Array);
          return step === 1 ? { type: "patch", layer: 1, vector } : null;
        },
      },
      { hiddenStates: true },
    ),
  ]);
  const isPatched = seen.map((state) => largestDifference(state, vector) < 1e-6);
  expect(isPatched).toEqual([false, false, true, false, false]);
});

test("the last layer through the lens is what the logits say", async () => {
  const seen: boolean[] = [];
  const { records } = await run([
    insideMod(
      {
        forwardPass: ({ activations, top }) => {
          const [lens, own] = [activations?.lens.get(layerCount - 1)?.tokens, top?.(8).tokens];
          seen.push(String(lens?.slice(0, 8)) === String(own) && activations?.lens.size === 2);
        },
      },
      { lens: [0, layerCount - 1] },
    ),
  ]);
  expect(seen).toEqual(tops(records).map(() => true));
});

describe("what cannot be done", () => {
  const vector = row(1, 1, 1, 1);
  test.each<[string, unknown, Partial<Inside>, string]>([
    [
      "a layer that does not exist",
      steering(7, vector),
      {},
      "there is no layer 7: the model has 3 layers, 0 to 2.",
    ],
    ["a layer that is a fraction", steering(0.5, vector), {}, "there is no layer 0.5"],
    [
      "a layer that was not declared",
      steering(2, vector),
      { layers: [0, 1] },
      "layer 2 is not declared: name it, as in mod({ layers: [0, 1, 2], … }).",
    ],
    [
      "a vector that is too short",
      steering(1, row(1, 2)),
      {},
      "the vector for layer 1 has 2 numbers, but the model's hidden states have 4: give 4 numbers.",
    ],
    [
      "NaN",
      steering(1, row(1, Number.NaN, 2, 3)),
      {},
      "the vector for layer 1 has NaN at index 1: give finite numbers.",
    ],
    [
      "a scale that is no number",
      steering(1, vector, Number.POSITIVE_INFINITY),
      {},
      "the scale is Infinity: give a finite number.",
    ],
    [
      "no list",
      { type: "steer", vectors: null },
      {},
      "vectors is null: give a list; an empty list ends steering.",
    ],
    ["a list", { type: "patch", layer: 1, vector: [1, 2, 3, 4] }, {}, "give a Float32Array."],
    [
      "too many",
      { type: "steer", vectors: Array.from({ length: 257 }, () => ({ layer: 0, vector, scale: 1 })) },
      {},
      "there are 257 vectors: give at most 256.",
    ],
    [
      "a sum that is no number",
      { type: "steer", vectors: [0, 1].map(() => ({ layer: 0, vector: row(3e38, 0, 0, 0), scale: 1 })) },
      {},
      "the vectors for layer 0, scaled and added up, contain Infinity at index 0: use smaller vectors or smaller scales.",
    ],
  ])("%s", async (_, action, activations, message) => {
    const { finished, kvCache } = await run([insideMod({ forwardPass: () => action }, activations)]);
    expect(finished.error?.message).toContain(message);
    expect(kvCache.hasFailed).toBe(false);
  });

  test.each<[string, Partial<Inside>, string]>([
    [
      "layers",
      { layers: [3] },
      'The mod declares layer 3 in "layers", but this model has 3 layers, 0 to 2. Name one of these layers, or write layers: "all". A steering vector works only in the model that it was made with.',
    ],
    ["lens", { lens: [0, 9] }, 'The mod declares layer 9 in "lens"'],
  ])("layers that the model does not have, in %s", async (_, activations, message) => {
    const { finished } = await run([insideMod({ forwardPass: () => null }, activations)]);
    expect(finished.error?.message).toContain(message);
  });

  test("a mod that declares no layers", async () => {
    const { finished } = await run([inProcessMod("plain", { forwardPass: () => steering(0, vector) })]);
    expect(finished.error?.message).toContain(
      "the mod declares no layers: name them, as in mod({ layers: [12], … }).",
    );
  });

  test("a model whose layers are not open", async () => {
    const model = scriptedModel({ vocabularySize: 257, endOfSequence: [END], logits: alphabetLogits });
    const { finished } = await run([insideMod({ forwardPass: () => null })], { kvCache: new KvCache(model) });
    expect(finished.error?.message).toContain("the model was loaded without access to its layers");
  });

  test("numbers that leave no logits blame what steers, and the model is used again", async () => {
    const kvCache = new KvCache(layeredModel());
    const { finished } = await run(
      [insideMod({ prefilled: () => steering(2, row(3e38, -3e38, 3e38, 0), 1) })],
      { kvCache },
    );
    expect(finished.error?.message).toMatch(
      /steered or patched layers, the logits cannot be sampled.*smaller/,
    );
    expect(kvCache.hasFailed).toBe(false);
    const next = await run([], { kvCache });
    expect(next.finished.reason).toBe("length");
  });
});

describe("layers read apart from requests", () => {
  const tokens = [97, 98, 99, 100, 101, 102, 103];
  const vector = row(1, -1, 0.5, 0);
  const patch = { layer: 0, vector: row(0.5, 0.5, 0, 0) };
  const steered = [
    { from: 1, to: 3, vectors: [{ layer: 1, vector, scale: 2 }], patches: [] },
    { from: 4, to: 5, vectors: [], patches: [patch] },
  ];
  const text = tokens.map((token, place) => ({
    token,
    vectors: new Map(place === 1 || place === 2 ? [[1, vector.map((number) => 2 * number)]] : []),
    ...(place === 4 && { patches: new Map([[0, patch.vector]]) }),
  }));
  const states = computedStates(text);

  test.each([
    ["all places", [0, 1, 2, 3, 4, 5, 6], false],
    ["the last place", [6], false],
    ["some, of a model that gives the last row alone", [2, 4, 6], true],
  ])("%s: states, what they would say, and how likely a token is", async (_, places, lastRowOnly) => {
    const kvCache = new KvCache(layeredModel({ lastRowOnly, promptPassTokens: 3 }));
    await kvCache.prefill(tokens.slice(0, 2), { now: () => 0 });
    const seen: number[] = [];
    const reading = await readLayers(
      kvCache,
      {
        tokens,
        places,
        steered,
        hidden: [0, 2],
        lens: { layers: "all", count: 3, tokens: places.map(() => 65) },
      },
      { now: () => 0, onPlace: ({ place }) => seen.push(place) },
    );
    expect(seen).toEqual(places);
    expect(reading).toMatchObject({ layerCount, hiddenSize });
    for (const { place, hidden, lens } of reading.places) {
      const expected = states[place] as Float32Array[];
      const own = Float32Array.from([...(expected[0] as Float32Array), ...(expected[2] as Float32Array)]);
      expect(largestDifference(hidden as Float32Array, own)).toBeLessThan(1e-5);
      for (const { layer, top, token } of lens) {
        const logits = logitsOf(expected[layer] as Float32Array);
        expect(top.tokens.length).toBe(3);
        expect(token?.rank).toBe(logits.filter((logit) => logit > (logits[65] as number)).length);
        expect(token?.logprob).toBeLessThan(0);
      }
    }
    // A request after it goes on as ever.
    const plain = await run([], { kvCache });
    expect(tops(plain.records)).toEqual(tops((await run([])).records));
  });

  test("it ends where it is told to", async () => {
    let passes = 0;
    const beforePass = async () => {
      passes += 1;
      if (passes === 3) throw new Error("stopped");
    };
    const kvCache = new KvCache(layeredModel({ promptPassTokens: 2 }));
    const query = { tokens, places: [6], lens: { layers: "all", count: 1, tokens: [null] } } as const;
    await expect(readLayers(kvCache, query, { now: () => 0, beforePass })).rejects.toThrow("stopped");
    expect(kvCache.activations?.isRead).toBe(false);
  });

  test.each([
    ["no tokens", { tokens: [], places: [0] }, "The text has no tokens"],
    ["a stranger", { tokens: [1, 999], places: [0] }, "There is no token 999"],
    ["no place", { tokens, places: [] }, "has no positions"],
    ["a place beyond", { tokens, places: [7] }, "There is no position 7: the text has 7 tokens."],
    ["places out of order", { tokens, places: [3, 3] }, "Position 3 comes after position 3"],
    ["a layer beyond", { tokens, places: [0], hidden: [5] }, "There is no layer 5"],
    [
      "too long a text",
      { tokens: Array.from({ length: 5000 }, () => 1), places: [0] },
      "The text has 5,000 tokens, but the model's context holds 4,096: shorten the text.",
    ],
    [
      "spans that overlap",
      { tokens, places: [0], steered: [steered[1], steered[0]] },
      "The span of steered tokens from 1 to 3 is empty, or overlaps the span before it, which ends at 5: list the spans in ascending order.",
    ],
    [
      "a wrong vector",
      {
        tokens,
        places: [0],
        steered: [{ from: 0, to: 1, vectors: [{ layer: 0, vector: row(1), scale: 1 }], patches: [] }],
      },
      "has 1 numbers",
    ],
  ])("%s", async (_, query, message) => {
    const kvCache = new KvCache(layeredModel());
    await expect(
      readLayers(kvCache, query as Parameters<typeof readLayers>[1], { now: () => 0 }),
    ).rejects.toThrow(message);
  });
});
