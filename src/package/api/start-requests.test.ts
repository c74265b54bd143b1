/** Requests of an engine with the bundled model: each ends correctly, and clients take turns. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { mod } from "../../core/sdk/mod.ts";
import { defaultSampling } from "../../core/sdk/request.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { LoadedModels } from "./loaded-models.ts";
import { ModRegistry } from "./mod-registry.ts";
import { RequestStore } from "./request-store.ts";
import type { RequestPlan, StartRequest } from "./start-request.ts";
import { createStartRequest } from "./start-requests.ts";
import { storyModel, storyReference, storySessionOptions } from "./testing/story-engine.ts";

let hub: ModelHub;
let models: LoadedModels;
let mods: ModRegistry;
let requests: RequestStore;
let start: StartRequest;

beforeAll(async () => {
  hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  models = new LoadedModels(storySessionOptions, undefined);
  mods = new ModRegistry(() => models.compiler);
  requests = new RequestStore({ keep: 200, viewer: "https://example.org/" });
  start = createStartRequest({ models, mods, requests });
  await models.load(storyReference(hub), { device: "wasm" });
  mods.registerTrusted(
    mod({
      forwardPass: (_event, actions, tokenizer) => actions.adjustLogits({ ban: tokenizer.encode(" Lily") }),
    }),
    { name: "no-lily" },
  );
  mods.registerTrusted(
    mod({ added: ({ step }, actions) => (step === 9 ? actions.backtrack(4, " dragon") : undefined) }),
    { name: "dragon" },
  );
  mods.registerTrusted(
    mod({
      added() {
        throw new Error("It broke.");
      },
    }),
    { name: "broken" },
  );
});
afterAll(async () => {
  models.dispose();
  await hub.close();
});

function plan(changes: Partial<RequestPlan> & { seed?: number; maxTokens?: number } = {}): RequestPlan {
  const { seed = 1, maxTokens = 16, ...rest } = changes;
  return {
    model: storyModel,
    client: "me",
    text: { holdback: "auto" },
    request: {
      messages: [{ role: "user", content: "Once upon a time" }],
      stop: [],
      seed,
      maxTokens,
      sampling: { ...defaultSampling, temperature: 0 },
      onModError: "stop",
    },
    ...rest,
  };
}

async function read(given: RequestPlan) {
  const { events, id } = await start(given);
  const texts: string[] = [];
  for await (const event of events) {
    if (event.type === "text") texts.push(event.text);
    if (event.type === "finished") return { id, texts, text: texts.join(""), record: event.record };
  }
  throw new Error("It had no end.");
}

test("the text comes token by token, and is the trace's", async () => {
  const { texts, text, record, id } = await read(plan());
  expect(text).toBe(", there was a little girl named Lily. She loved to play");
  expect(record.text).toBe(text);
  expect(texts.length).toBeGreaterThan(10);
  expect((await requests.trace(id)).records.at(-1)).toEqual(record);
  expect(await requests.permalink(id)).toMatch(/^https:\/\/example\.org\/#t/);
  expect(requests.list().find((each) => each.id === id)).toMatchObject({ status: "finished", error: null });
});

test("mods of the page's own code take part by the model string; what they may take back is held", async () => {
  const plain = await read(plan({ model: `${storyModel}/no-lily` }));
  expect(plain.text).not.toContain("Lily");
  expect(plain.texts.length).toBeGreaterThan(5);
  const held = await read(plan({ model: `${storyModel}/no-lily,dragon` }));
  expect(held.texts).toEqual([held.record.text]);
  expect(held.text).toContain(" dragon");
});

test("a stream holds back only as many tokens as the mod declared", async () => {
  const declaring = (maxBacktrack: number) =>
    mod({
      maxBacktrack,
      added: ({ step, forced }, actions) =>
        step === 9 && !forced ? actions.backtrack(4, " dragon") : undefined,
    });
  mods.registerTrusted(declaring(4), { name: "near-dragon" });
  const near = await read(plan({ model: `${storyModel}/near-dragon` }));
  expect(near.texts.length).toBeGreaterThan(5);
  expect(near.text).toBe(near.record.text);
  expect(near.text).toContain(" dragon");
  mods.registerTrusted(declaring(3), { name: "far-dragon" });
  const far = await read(plan({ model: `${storyModel}/far-dragon` }));
  expect(far.record.error?.message).toContain(
    "count is 4, but the mod declared maxBacktrack: 3, so the first 6 of 9 output tokens can no longer be removed",
  );
  mods.remove("near-dragon");
  mods.remove("far-dragon");
});

test("a text that was taken back beyond the holdback ends the stream with words", async () => {
  const eager = plan({ model: `${storyModel}/dragon`, text: { holdback: 1 } });
  await expect(read(eager)).rejects.toMatchObject({ status: 422, code: "text_taken_back" });
  const mended = await start({ ...eager, text: { holdback: 0, retract: true } });
  let text = "";
  for await (const event of mended.events) {
    if (event.type === "text") text += event.text;
    if (event.type === "retract") text = text.slice(0, -event.length);
    if (event.type === "finished") expect(text).toBe(event.record.text);
  }
  expect(text).toContain(" dragon");
});

test.each([
  ["gpt-4", 'There is no model "gpt-4". The loaded models are midtoken/stories260k.'],
  [`${storyModel}/nobody`, 'There is no mod "nobody". The registered mods are no-lily, dragon, broken.'],
])("%s is not there: %s", async (model, message) => {
  await expect(start(plan({ model }))).rejects.toMatchObject({ status: 404, message });
});

test("a request that cannot be answered as asked is refused with its field", async () => {
  const format = { type: "json_schema", json_schema: { name: "x", schema: { type: "nothing" } } } as const;
  const asked = plan();
  const refused = read({ ...asked, request: { ...asked.request, responseFormat: format } });
  await expect(refused).rejects.toMatchObject({
    status: 400,
    param: expect.stringContaining("response_format"),
  });
});

test("a bias on a token that the model does not have is refused", async () => {
  const asked = plan();
  const sampling = { ...asked.request.sampling, logitBias: { 511: 1, 512: -100 } };
  await expect(read({ ...asked, request: { ...asked.request, sampling } })).rejects.toMatchObject({
    status: 400,
    param: "logit_bias",
    message: expect.stringContaining("512"),
  });
});

test("a hundred requests at once, some cancelled, some with a mod that fails: each ends as its own", async () => {
  const kinds = Array.from({ length: 100 }, (_, place) => {
    if (place % 5 === 1) return "cancelled";
    return place % 10 === 2 ? "broken" : "plain";
  });
  const ends = await Promise.all(
    kinds.map(async (kind, seed) => {
      const model = kind === "broken" ? `${storyModel}/broken` : storyModel;
      const started = await start(
        plan({ model, seed, maxTokens: 4 + (seed % 5), client: `client ${seed % 7}` }),
      );
      // Half of them are cancelled while they wait in the queue, the others at a random time.
      if (kind === "cancelled" && seed % 2 === 1) started.cancel();
      else if (kind === "cancelled") setTimeout(started.cancel, (seed * 7) % 60);
      let text = "";
      try {
        for await (const event of started.events) {
          if (event.type === "text") text += event.text;
          if (event.type === "finished")
            return { kind, seed, text, reason: event.record.reason, error: event.record.error };
        }
      } catch (error) {
        return { kind, seed, text, reason: (error as Error).name, error: null };
      }
      throw new Error("It had no end.");
    }),
  );
  const story = ", there was a little girl named";
  for (const { kind, seed, text, reason, error } of ends) {
    expect(story.startsWith(text) || text.startsWith(story)).toBe(true);
    if (kind === "plain") expect({ seed, reason }).toEqual({ seed, reason: "length" });
    if (kind === "broken") expect(error?.message).toContain("It broke.");
    if (kind === "cancelled") expect(["ApiError", "cancelled", "length"]).toContain(reason);
  }
  expect(
    new Set(ends.filter(({ kind }) => kind === "cancelled").map(({ reason }) => reason)).has("ApiError"),
  ).toBe(true);
});

test("who asks once does not wait for another's hundred", async () => {
  const order: string[] = [];
  const ask = async (client: string) => {
    await read(plan({ client, maxTokens: 2 }));
    order.push(client);
  };
  const many = Array.from({ length: 20 }, () => ask("many"));
  await Promise.all([...many, ask("one")]);
  expect(order.indexOf("one")).toBeLessThan(5);
});
