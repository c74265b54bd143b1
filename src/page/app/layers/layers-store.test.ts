/** The store reads the layers in view first, once, and one reading at a time. A reading ends when nobody looks at it any more. */
import { expect, test, vi } from "vitest";
import { setRecordedLayers } from "../../../core/trace/model/file-layers.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import type { LayersQuery, LayersReadingWithTexts } from "../../../runtime/session/page-side/layers.ts";
import type { Session } from "../../../runtime/session/page-side/session.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { LayersReader } from "./layers-store.ts";

const id = (token: number) => ({ token, text: ` t${token}` });

/** A finished run of six tokens, 10 to 15, after a prompt of two. */
function run() {
  const builder = createTraceBuilder();
  builder.prefill([id(1), id(2)]);
  for (let token = 10; token < 16; token += 1) builder.add([id(token)], "sampled");
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

interface Asked {
  readonly query: LayersQuery;
  readonly signal: AbortSignal | undefined;
  answer(): Promise<void>;
  fail(message: string): Promise<void>;
}

/** Two layers, of which the last one puts the token first that came out. */
function answerTo({ places, lens, hidden }: LayersQuery): LayersReadingWithTexts {
  const came = lens?.tokens[0] ?? -1;
  const says = (layer: number, token: number) => ({
    layer,
    entropy: 1,
    token: { rank: 0, logprob: -1 },
    top: { tokens: [token], logprobs: [-1] },
  });
  return {
    layerCount: 2,
    hiddenSize: 3,
    texts: new Map([[came, ` t${came}`]]),
    places: places.map((place) => ({
      place,
      hidden: hidden ? new Float32Array(6) : null,
      lens: [says(0, 0), says(1, came)],
    })),
  };
}

function reading() {
  const asked: Asked[] = [];
  const readLayers: Session["readLayers"] = (query, { signal } = {}) =>
    new Promise((resolve, reject) => {
      const settled = () => new Promise<void>((done) => setTimeout(done));
      signal?.addEventListener("abort", () => reject(new DOMException("Ended.", "AbortError")));
      asked.push({
        query,
        signal,
        answer() {
          resolve(answerTo(query));
          return settled();
        },
        fail(message) {
          reject(new Error(message));
          return settled();
        },
      });
    });
  const stores = createTestStores({ session: { readLayers } });
  stores.run.getState().show(run());
  const reader = new LayersReader(stores);
  return { asked, stores, reader, state: () => reader.store.getState() };
}

const way = { beside: false, keepHidden: false };
const settled = () => new Promise((done) => setTimeout(done));
const cameAt = ({ query }: Asked) => query.lens?.tokens[0];

test("a step is asked as the model read it, and kept", async () => {
  const { asked, reader, state } = reading();
  reader.readStep(3, way);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.query).toEqual({
    tokens: [1, 2, 10, 11, 12],
    places: [4],
    lens: { layers: "all", count: 5, tokens: [13] },
  });
  expect(state().stepProgress).toEqual({ type: "reading", index: 3, opening: null });
  await asked[0]?.answer();
  expect(state()).toMatchObject({
    stepProgress: { type: "none" },
    marked: 1,
    layerCount: 2,
    cacheSize: { tokens: 1 },
  });
  expect(reader.reading(3, false)?.step.layers.at(-1)?.top[0]).toEqual({
    token: 13,
    text: " t13",
    logprob: -1,
  });
  reader.readStep(3, way);
  await settled();
  expect(asked).toHaveLength(1);
});

test("who goes on to another step ends the reading of the one before", async () => {
  const { asked, reader, state } = reading();
  reader.readStep(1, way);
  reader.readStep(4, way);
  await settled();
  expect(asked[0]?.signal?.aborted).toBe(true);
  expect(asked.map(cameAt)).toEqual([11, 14]);
  expect(state().stepProgress).toMatchObject({ type: "reading", index: 4 });
  reader.cancelStep();
  await settled();
  expect(asked[1]?.signal?.aborted).toBe(true);
  expect(state().stepProgress).toEqual({ type: "none" });
});

test("hidden states are read with a step when they are wanted, also of one that is kept without", async () => {
  const { asked, reader } = reading();
  reader.readStep(0, way);
  await asked[0]?.answer();
  expect(reader.reading(0, false)?.hidden).toBeNull();
  reader.readStep(0, { ...way, keepHidden: true });
  await asked[1]?.answer();
  expect(asked[1]?.query.hidden).toBe("all");
  expect(reader.reading(0, false)?.hidden).toHaveLength(6);
  expect(asked).toHaveLength(2);
});

test("words are read one after the other, a step that is looked at between them", async () => {
  const { asked, reader, state } = reading();
  const left = [5, 4, 3];
  reader.readText(() => left.find((index) => !reader.hasMark(index)) ?? null);
  reader.readStep(0, way);
  await asked[0]?.answer();
  await asked[1]?.answer();
  await asked[2]?.answer();
  expect(asked.map(cameAt)).toEqual([15, 10, 14, 13]);
  reader.stopText();
  await settled();
  expect(asked[3]?.signal?.aborted).toBe(true);
  expect(state()).toMatchObject({ textProgress: { type: "off" }, marked: 3 });
  expect(state().marks.get(0)?.get(5)).toMatchObject({
    says: { "data-note": "1" },
  });
});

test("a step that fails is said with its words, and asked again when it is looked at again", async () => {
  const { asked, reader, state } = reading();
  reader.readStep(2, way);
  await asked[0]?.fail("No layers.");
  expect(state().stepProgress).toEqual({ type: "failed", index: 2, message: "No layers." });
  reader.readStep(2, way);
  await asked[1]?.answer();
  expect(state().stepProgress).toEqual({ type: "none" });
  expect(reader.reading(2, false)).not.toBeNull();
});

test("words whose reading fails are not asked again by themselves", async () => {
  const { asked, reader, state } = reading();
  reader.readText(() => 0);
  await asked[0]?.fail("The model is gone.");
  expect(state().textProgress).toEqual({ type: "failed", message: "The model is gone." });
  expect(asked).toHaveLength(1);
});

test("another run that is shown ends what is read, and has its own", async () => {
  const { asked, stores, reader, state } = reading();
  reader.readStep(1, way);
  await asked[0]?.answer();
  reader.readStep(2, way);
  const before = stores.run.getState();
  stores.run.getState().show(run());
  await settled();
  expect(asked[1]?.signal?.aborted).toBe(true);
  expect(reader.reading(1, false)).toBeNull();
  expect(state()).toMatchObject({ marked: 0, layerCount: 0, cacheSize: { tokens: 1 } });
  stores.run.getState().show(before.trace, { ...before });
  expect(reader.reading(1, false)?.step.index).toBe(1);
  expect(state().marked).toBe(1);
  reader.clear();
  expect(state()).toMatchObject({ marked: 0, cacheSize: { tokens: 0, bytes: 0 } });
});

test("what came with a file is there without asking; once thrown away it stays away", () => {
  const trace = run();
  const says = { layer: 0, entropy: 1, top: [{ token: 11, text: " t11", logprob: -1 }], token: null };
  const step = { index: 1, isPlain: false, layers: [says], hidden: null };
  setRecordedLayers(trace, { layerCount: 1, hiddenSize: 3, steps: [step] });
  const { asked, stores, reader, state } = reading();
  stores.run.getState().show(trace);
  expect(reader.reading(1, false)?.step.layers).toEqual([says]);
  expect(state()).toMatchObject({ marked: 1, layerCount: 1, cacheSize: { tokens: 1 } });
  reader.clear();
  stores.run.getState().select({ anchor: 1, cursor: 1 });
  expect(state().cacheSize.tokens).toBe(0);
  expect(asked).toHaveLength(0);
});

test("a step whose ids a link left out is not asked about", async () => {
  const { asked, stores, reader, state } = reading();
  const trace = createTraceModel(["tokenIds"]);
  trace.append(run().records);
  stores.run.getState().show(trace);
  reader.readStep(0, way);
  await vi.waitFor(() => expect(state().stepProgress.type).toBe("failed"));
  expect(state().stepProgress).toMatchObject({ message: expect.stringContaining("token ids") });
  expect(asked).toHaveLength(0);
});
