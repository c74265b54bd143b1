/** Mistakes of an app, and calls at a wrong time, on an engine in Node with the bundled model. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { mod } from "../../core/sdk/mod.ts";
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { createEngine } from "./create-engine.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { storyModel, storyReference, storySessionOptions } from "./testing/story-engine.ts";

let hub: ModelHub;
let engine: MidtokenEngine;
const create = () =>
  createEngine({
    model: storyReference(hub),
    device: "wasm",
    session: storySessionOptions,
    keepRequests: 200,
  });

beforeAll(async () => {
  hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  engine = await create();
});
afterAll(async () => {
  engine.dispose();
  await hub.close();
});

const messages = [{ role: "user" as const, content: "Once upon a time" }];
const asked = { model: storyModel, messages, temperature: 0, max_tokens: 4 };
const wasm = { device: "wasm" } as const;

test.each([
  [5, "model", "5 is not a model: give an address, a Hugging Face id, or { id, url"],
  [{ id: "x" }, "model", '{"id":"x"} is not a model'],
  [{ id: "x", url: "https://models.example/x/", dtype: "q4" }, "model", "is not a model"],
])("%j as a model is refused", async (model, param, words) => {
  await expect(engine.models.load(model as ModelReference)).rejects.toMatchObject({
    status: 400,
    param,
    message: expect.stringContaining(words),
  });
});

test("a device that does not exist is refused, and not taken for any", async () => {
  const load = engine.models.load({ ...storyReference(hub), id: "gpu" }, { device: "gpu" as "webgpu" });
  await expect(load).rejects.toMatchObject({
    status: 400,
    param: "device",
    message: 'device is "gpu": write "auto", "webgpu" or "wasm".',
  });
});

test.each<[unknown]>([["q9"], [""], [4]])(
  "%j as a dtype is refused, before anything is asked for",
  async (dtype) => {
    const words = `dtype is ${JSON.stringify(dtype)}: write "auto" or one of fp32, fp16`;
    const refused = { status: 400, param: "dtype", message: expect.stringContaining(words) };
    hub.requests.length = 0;
    await expect(engine.models.load(hub.url(storyModel), { dtype: dtype as string })).rejects.toMatchObject(
      refused,
    );
    const both = { webgpu: "q4", wasm: dtype as string };
    await expect(engine.models.load({ ...storyReference(hub), id: "y", dtype: both })).rejects.toMatchObject(
      refused,
    );
    expect(hub.requests).toEqual([]);
  },
);

test("one id stands for one model: another address or other weights are refused", async () => {
  const reference = storyReference(hub);
  expect((await engine.models.load(reference, wasm)).loaded?.id).toBe(storyModel);
  await expect(engine.models.load({ ...reference, url: hub.url("other/one") }, wasm)).rejects.toMatchObject({
    status: 409,
    code: "model_id_taken",
    message: expect.stringContaining(`from ${reference.url}`),
  });
  const otherWeights = { ...reference, dtype: { webgpu: "q8", wasm: "q8" } };
  await expect(engine.models.load(otherWeights, wasm)).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining("with other weights"),
  });
});

test("who waits for a model that another one loads can leave", async () => {
  const reference = { ...storyReference(hub), id: "shared" };
  const first = engine.models.load(reference, wasm);
  const leaving = new AbortController();
  const second = engine.models.load(reference, { ...wasm, signal: leaving.signal });
  leaving.abort(new Error("Not needed."));
  await expect(second).rejects.toThrow("Not needed.");
  expect((await first).loaded?.id).toBe("shared");
});

test("a request that is aborted while its model is being loaded never runs", async () => {
  const loading = engine.models.load({ ...storyReference(hub), id: "slow" }, wasm);
  const controller = new AbortController();
  const answer = engine.chat.completions.create({ ...asked, model: "slow" }, { signal: controller.signal });
  await new Promise((resolve) => setTimeout(resolve));
  controller.abort(new Error("No longer wanted."));
  await expect(answer).rejects.toThrow("No longer wanted.");
  await loading;
  // A later request has run, so the first one would have run before it.
  await engine.chat.completions.create({ ...asked, model: "slow" });
  const requests = engine.requests.list().filter(({ model }) => model === "slow");
  const later = requests.pop();
  expect(later?.status).toBe("finished");
  // On a busy machine the request may be aborted before it is in the list.
  expect(requests.length).toBeLessThanOrEqual(1);
  for (const aborted of requests) {
    expect(aborted).toMatchObject({ status: "failed", error: { code: "request_cancelled" } });
    expect(engine.requests.records(aborted.id)).toEqual([]);
  }
});

test("the list of requests says which failed, and why", async () => {
  const broken = mod({
    sampled() {
      throw new Error("It broke.");
    },
  });
  engine.mods.registerTrusted(broken, { name: "broken" });
  const stream = await engine.chat.completions.create({
    ...asked,
    model: `${storyModel}/broken`,
    stream: true,
  });
  const id = stream.requestIds[0] ?? "";
  const reading = (async () => {
    for await (const _ of stream);
  })();
  await expect(reading).rejects.toMatchObject({ status: 422, code: "mod_failed" });
  await expect
    .poll(() => engine.requests.list().find((request) => request.id === id))
    .toMatchObject({
      status: "failed",
      error: { status: 422, code: "mod_failed" },
    });
  // Its timeline exists all the same.
  expect((await engine.requests.trace(id)).records.at(-1)).toMatchObject({
    type: "finished",
    reason: "error",
  });
});

test("a stream is read once: a second loop is told so", async () => {
  const stream = await engine.chat.completions.create({ ...asked, stream: true });
  for await (const _ of stream);
  await expect(
    (async () => {
      for await (const _ of stream);
    })(),
  ).rejects.toThrow("has been read already");
});

test.each([
  ["chat", "messages"],
  ["text", "prompt"],
])("a %s prompt that is too long is said of %s", async (call, param) => {
  const long = "Once upon a time ".repeat(300);
  const answer =
    call === "chat"
      ? engine.chat.completions.create({ ...asked, messages: [{ role: "user", content: long }] })
      : engine.completions.create({ model: storyModel, prompt: long });
  await expect(answer).rejects.toMatchObject({ status: 400, code: "context_length_exceeded", param });
});

test("an engine that was disposed of says so, and starts nothing", async () => {
  const ended = await create();
  const stream = await ended.chat.completions.create({ ...asked, max_tokens: 400, stream: true });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  const waiting = ended.chat.completions.create(asked);
  const loading = ended.models.load({ ...storyReference(hub), id: "second" }, wasm);
  const disposed = { status: 503, code: "engine_disposed" };
  const all = [
    (async () => {
      while (!(await iterator.next()).done);
    })(),
    waiting,
    loading,
  ].map((ending) => expect(ending).rejects.toMatchObject(disposed));
  ended.dispose();
  await Promise.all(all);
  await expect(ended.chat.completions.create(asked)).rejects.toMatchObject(disposed);
  await expect(ended.models.load(storyReference(hub), wasm)).rejects.toMatchObject(disposed);
  await expect(ended.mods.register({ name: "late", source: "export default 1" })).rejects.toMatchObject(
    disposed,
  );
  expect(ended.models.list()).toEqual([]);
  ended.dispose();
});
