/** A page's queries of layers through the whole session in Node: the results equal those of the model's own layers. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { LayersQuery, PlaceReading } from "../../core/decoder/activations/layers-query.ts";
import { loadModel } from "../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../engine/testing/model-hub.ts";
import { RequestRefusedError } from "./shared/refusal.ts";
import {
  bundledModelRepositories,
  type LayeredSession,
  layeredMods,
  openLayeredSession,
} from "./testing/layered-session.ts";

let hub: ModelHub;
let layered: LayeredSession;
beforeAll(async () => {
  hub = await startModelHub(bundledModelRepositories);
});
afterAll(() => hub?.close());
beforeEach(async () => {
  layered = openLayeredSession(hub);
  await layered.load();
});
afterEach(() => layered.session.dispose());

const tokens = [1, 403, 407, 261, 378, 432, 383, 286, 261, 376, 400, 268];
const query: LayersQuery = {
  tokens,
  places: [0, 4, 5, 11],
  hidden: [3, 1],
  lens: { layers: "all", count: 3, tokens: [403, null, 383, 300] },
};

/** The results of the model alone, without a session: the residual stream after each layer at each place, and the lens's logits of it. */
async function directly() {
  const reference = {
    id: "direct",
    url: hub.url("midtoken/stories260k"),
    revision: null,
    dtype: { webgpu: "fp32", wasm: "fp32" },
  };
  const { model } = await loadModel(reference, "wasm", { openLayers: true });
  const { layers } = model;
  if (!layers) throw new Error("The layers are not open.");
  const all = Array.from({ length: layers.count }, (_, layer) => layer);
  layers.keep(all);
  const places: { stream: Float32Array; logits: Float32Array }[][] = [];
  for (const token of tokens) {
    await model.forward([token]);
    const row = [];
    for (const layer of all) {
      const stream = await layers.hidden(layer);
      row.push({ stream, logits: await layers.lens(stream) });
    }
    places.push(row);
  }
  await model.dispose();
  return places;
}

const logSumExp = (logits: Float32Array) => Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));

test("hidden states and what each layer would say are what the model's own layers give", async () => {
  const expected = await directly();
  const heard: number[] = [];
  const openings: (string | null)[] = [];
  const reading = await layered.session.readLayers(query, {
    onPlace: ({ place }) => heard.push(place),
    onOpening: (opening) => openings.push(opening?.model ?? null),
  });
  expect(reading).toMatchObject({ layerCount: 5, hiddenSize: 64 });
  expect(heard).toEqual([0, 4, 5, 11]);
  expect([openings[0], openings.at(-1)]).toEqual(["midtoken/stories260k", null]);
  expect(reading.places).toHaveLength(4);
  // There is a text for each token that a layer predicts, and for no other token.
  const said = new Set(reading.places.flatMap(({ lens }) => lens.flatMap(({ top }) => [...top.tokens])));
  expect([...reading.texts.keys()].sort()).toEqual([...said].sort());
  const prompt = await layered.session.tokenizePrompt({
    messages: [{ role: "user", content: "Once upon a time" }],
  });
  const known = prompt.filter(({ token }) => reading.texts.has(token));
  expect(known.length).toBeGreaterThan(0);
  for (const { token, text } of known) expect(reading.texts.get(token)).toBe(text);
  for (const [i, { place, hidden, lens }] of reading.places.entries()) {
    const row = expected[place] ?? [];
    const streams = [1, 3].flatMap((layer) => [...(row[layer]?.stream ?? [])]);
    expect(hidden).toHaveLength(2 * 64);
    for (const [at, number] of streams.entries()) expect(hidden?.[at]).toBeCloseTo(number, 4);
    expect(lens.map(({ layer }) => layer)).toEqual([0, 1, 2, 3, 4]);
    for (const { layer, top, token } of lens) {
      const logits = row[layer]?.logits ?? new Float32Array();
      const total = logSumExp(logits);
      const sorted = [...logits.keys()].sort((a, b) => (logits[b] as number) - (logits[a] as number));
      expect([...top.tokens]).toEqual(sorted.slice(0, 3));
      expect(top.logprobs[0]).toBeCloseTo((logits[sorted[0] as number] as number) - total, 3);
      const asked = query.lens?.tokens[i] ?? null;
      if (asked === null) expect(token).toBeNull();
      else {
        expect(token?.rank).toBe(sorted.indexOf(asked));
        expect(token?.logprob).toBeCloseTo((logits[asked] as number) - total, 3);
      }
    }
  }
});

test("a text that a request read, and one that was steered meanwhile, are read as they are", async () => {
  const first = await layered.session.readLayers(query);
  const steered = await layered.start([layeredMods.steers]).ended;
  expect(steered.finished.error).toBeNull();
  const second = await layered.session.readLayers(query);
  expect(distance(first.places, second.places)).toBeLessThan(1e-4);
  expect((await layered.start([]).ended).finished.text).toBe(", there was a little girl named Lily. She");
  expect(layered.log).toEqual(["load", "load layers", "free"]);
});

function distance(some: readonly PlaceReading[], others: readonly PlaceReading[]): number {
  const differences = some.flatMap(({ hidden }, i) =>
    [...(hidden ?? [])].map((number, at) => Math.abs(number - (others[i]?.hidden?.[at] ?? Number.NaN))),
  );
  return Math.max(...differences);
}

test("one that waits for a request comes after it, and one of the model that is gone loads it", async () => {
  const order: string[] = [];
  const run = layered.start([], { maxTokens: 30 });
  await vi.waitFor(() => expect(run.records.length).toBeGreaterThan(0));
  const reading = layered.session.readLayers(query).then(() => order.push("reading"));
  await run.ended.then(() => order.push("request"));
  await reading;
  expect(order).toEqual(["request", "reading"]);
  expect(layered.session.release()).toBe(true);
  expect((await layered.session.readLayers(query)).places).toHaveLength(4);
});

describe("cancelled", () => {
  const long: LayersQuery = {
    ...query,
    tokens: Array.from({ length: 400 }, (_, i) => 262 + (i % 200)),
    places: Array.from({ length: 400 }, (_, i) => i),
    lens: { layers: "all", count: 3, tokens: Array.from({ length: 400 }, () => null) },
  };

  test("while it runs: no further place is read, and the model is as before", async () => {
    let lensCalls = 0;
    layered.loadBy(async (...args) => {
      const bundle = await loadModel(...args);
      const { layers } = bundle.model;
      const lens = layers?.lens.bind(layers);
      if (layers && lens)
        layers.lens = (rows) => {
          lensCalls += 1;
          return lens(rows);
        };
      return bundle;
    });
    const controller = new AbortController();
    let places = 0;
    const posted = layered.session.readLayers(long, {
      signal: controller.signal,
      onPlace() {
        places += 1;
        controller.abort();
      },
    });
    await expect(posted).rejects.toMatchObject({
      name: "AbortError",
      message: "Reading the layers was cancelled.",
    });
    expect(places).toBe(1);
    expect((await layered.session.readLayers(query)).places).toHaveLength(4);
    // The engine read only the places (of 400) that it had begun before the cancel arrived, and then the four of the next
    // query.
    expect(lensCalls).toBeLessThan(4 + 10);
    expect((await layered.start([]).ended).finished.error).toBeNull();
  });

  test("before its turn: it reads nothing, opens nothing, and ends at once", async () => {
    const run = layered.start([], { maxTokens: 200 });
    await vi.waitFor(() => expect(run.records.length).toBeGreaterThan(0));
    const controller = new AbortController();
    const onOpening = vi.fn();
    const waiting = layered.session.readLayers(query, { signal: controller.signal, onOpening });
    await Promise.resolve();
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
    run.handle.stop();
    await run.ended;
    await layered.start([]).ended;
    expect(onOpening).not.toHaveBeenCalled();
    expect(layered.log).toEqual(["load"]);
  });
});

describe("refused in a sentence", () => {
  test.each<[string, Partial<LayersQuery>, RegExp]>([
    ["no text", { tokens: [] }, /no tokens/],
    ["a token outside of the vocabulary", { tokens: [1, 512], places: [0] }, /\b512\b/],
    ["no places", { places: [] }, /has no positions/],
    ["places that do not ascend", { places: [4, 4, 5, 11] }, /Position 4 comes after position 4/],
    ["a place behind the text", { places: [0, 4, 5, 12] }, /no position 12/],
    ["a layer that does not exist", { hidden: [5] }, /no layer 5: the model has 5 layers, 0 to 4/],
    ["more text than fits", { tokens: Array.from({ length: 513 }, () => 300) }, /513 tokens.*512/],
    [
      "tokens to rank for other places",
      { lens: { layers: [1], count: 3, tokens: [1] } },
      /1 tokens.*4 positions/,
    ],
  ])("%s", async (_, changes, message) => {
    const refused = await layered.session
      .readLayers({ ...query, ...changes })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RequestRefusedError);
    expect((refused as Error).message).toMatch(message);
    expect((await layered.session.readLayers(query)).places).toHaveLength(4);
  });
});
