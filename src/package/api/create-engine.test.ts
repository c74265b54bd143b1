/** The engine as an app uses it, in Node with the bundled model. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { mod } from "../../core/sdk/mod.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { canRun } from "./can-run.ts";
import { createEngine } from "./create-engine.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { storyModel, storyReference, storySessionOptions } from "./testing/story-engine.ts";

let hub: ModelHub;
let engine: MidtokenEngine;
const stages: string[] = [];

beforeAll(async () => {
  hub = await startModelHub({
    [storyModel]: "public/models/stories260k",
    "of/private": { main: "public/models/stories260k", token: "hf_secret" },
  });
  engine = await createEngine({
    model: storyReference(hub),
    device: "wasm",
    session: storySessionOptions,
    onProgress: ({ stage }) => stages.push(stage),
  });
});
afterAll(async () => {
  engine.dispose();
  await hub.close();
});

const asked = {
  model: storyModel,
  messages: [{ role: "user" as const, content: "Once upon a time" }],
  temperature: 0,
};

test("creating says how far it is", () => {
  expect(stages[0]).toBe("download");
  expect(stages.at(-1)).toBe("compile");
  expect(engine.models.list()).toMatchObject([{ id: storyModel, loaded: { device: "wasm" } }]);
});

test("an answer, whole and streamed, and as a trace", async () => {
  const answer = await engine.chat.completions.create({ ...asked, max_tokens: 12 });
  const text = answer.choices[0]?.message.content;
  expect(text).toBe(", there was a little girl named Lily. She");
  let streamed = "";
  for await (const chunk of await engine.chat.completions.create({ ...asked, max_tokens: 12, stream: true }))
    streamed += chunk.choices[0]?.delta.content ?? "";
  expect(streamed).toBe(text);
  const [id = ""] = answer.midtoken.request_ids;
  expect((await engine.requests.trace(id)).records.at(-1)).toMatchObject({ type: "finished", text });
});

test("a text is completed as it is", async () => {
  const { choices } = await engine.completions.create({
    model: storyModel,
    prompt: "Tom had a",
    max_tokens: 6,
    temperature: 0,
  });
  expect(choices[0]?.text.length).toBeGreaterThan(3);
});

test("mods are registered, listed, used and removed", async () => {
  const dragon = mod({
    added: ({ step }, actions) => (step === 4 ? actions.forceTokens(" dragon") : undefined),
  });
  engine.mods.registerTrusted(dragon, { name: "dragon" });
  expect(engine.mods.list().map(({ name }) => name)).toEqual(["dragon"]);
  const answer = await engine.chat.completions.create({
    ...asked,
    model: `${storyModel}/dragon`,
    max_tokens: 12,
  });
  expect(answer.choices[0]?.message.content).toContain(" dragon");
  engine.mods.remove("dragon");
  await expect(
    engine.chat.completions.create({ ...asked, model: `${storyModel}/dragon` }),
  ).rejects.toMatchObject({
    status: 404,
    code: "mod_not_found",
  });
  await expect(engine.mods.register({ name: "broken", source: "export default 1 +" })).rejects.toMatchObject({
    status: 400,
    code: "mod_does_not_compile",
  });
});

test("events of a request are told from its beginning", async () => {
  const stream = await engine.chat.completions.create({ ...asked, max_tokens: 8, stream: true });
  const [id = ""] = stream.requestIds;
  const heard: string[] = [];
  const leave = engine.requests.subscribe((event) => {
    if (event.type === "status") heard.push(event.request.status);
    else heard.push(...event.records.map(({ type }) => type));
  }, id);
  for await (const _ of stream);
  leave();
  expect(heard.filter((word) => word === "request")).toHaveLength(1);
  expect(heard.at(-2)).toBe("finished");
  expect(heard.at(-1)).toBe("finished");
  await expect(engine.requests.trace("nobody")).rejects.toMatchObject({
    status: 404,
    code: "request_not_found",
  });
});

test("what is written is heard while a mod takes its time", async () => {
  let goOn: () => void = () => {};
  // Created before the request, because the words may be read before the mod is asked about step 3.
  const isHeard = new Promise<undefined>((resolve) => {
    goOn = () => resolve(undefined);
  });
  const slow = mod({ added: ({ step }) => (step === 3 ? isHeard : undefined) });
  engine.mods.registerTrusted(slow, { name: "slow" });
  const midtoken = { deadlines: { event: 60_000 } };
  const request = { ...asked, model: `${storyModel}/slow`, max_tokens: 8, midtoken };
  let text = "";
  for await (const chunk of await engine.chat.completions.create({ ...request, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? "";
    // The mod replies only after its words have been read.
    if (text !== "") goOn();
  }
  expect(text).toBe(", there was a little girl");
});

test("of requests that ended only the last ones are kept", async () => {
  const forgetful = await createEngine({
    model: storyReference(hub),
    device: "wasm",
    session: storySessionOptions,
    keepRequests: 2,
  });
  const ids: string[] = [];
  for (let seed = 0; seed < 4; seed++) {
    const answer = await forgetful.chat.completions.create({ ...asked, seed, max_tokens: 1 });
    ids.push(...answer.midtoken.request_ids);
  }
  expect(forgetful.requests.list().map(({ id }) => id)).toEqual(ids.slice(2));
  expect(() => forgetful.requests.records(ids[0] ?? "")).toThrow(
    /no longer stored\. The engine stores the last 2 requests/,
  );
  forgetful.dispose();
});

test("leaving a stream, aborting it and cancelling by id end the request", async () => {
  const left = await engine.chat.completions.create({ ...asked, stream: true });
  for await (const chunk of left) if (chunk.choices[0]?.delta.content) break;
  const cancelled = await engine.chat.completions.create({ ...asked, stream: true });
  engine.requests.cancel(cancelled.requestIds[0] ?? "");
  await expect(
    (async () => {
      for await (const _ of cancelled);
    })(),
  ).rejects.toMatchObject({ status: 499, code: "request_cancelled" });
  const controller = new AbortController();
  const answer = engine.chat.completions.create(asked, { signal: controller.signal });
  controller.abort(new Error("No longer wanted."));
  await expect(answer).rejects.toThrow("No longer wanted.");
});

test("several models answer side by side; one that is unloaded ends its requests with words", async () => {
  const second = await engine.models.load({ ...storyReference(hub), id: "second" }, { device: "wasm" });
  expect(engine.models.list().map(({ id }) => id)).toEqual([storyModel, "second"]);
  expect(second.loaded?.vocabularySize).toBe(512);
  const ask = (model: string) => engine.chat.completions.create({ ...asked, model, max_tokens: 12 });
  const answers = await Promise.all([ask(storyModel), ask("second")]);
  expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(
    Array(2).fill(", there was a little girl named Lily. She"),
  );
  const queued = new Promise<void>((resolve) => {
    const stop = engine.requests.subscribe(({ request }) => {
      if (request.status !== "waiting") return;
      stop();
      resolve();
    });
  });
  const late = ask("second");
  await queued;
  engine.models.unload("second");
  await expect(late).rejects.toMatchObject({ status: 503, code: "model_unloaded" });
  await expect(ask("second")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  expect((await ask(storyModel)).choices).toHaveLength(1);
});

test("a model that is not there, and a creation that is aborted", async () => {
  const nowhere = createEngine({
    model: `${hub.url("nobody/nothing")}`,
    session: storySessionOptions,
    device: "wasm",
  });
  await expect(nowhere).rejects.toMatchObject({ status: 503, code: "model_not_loaded" });
  const controller = new AbortController();
  const aborted = createEngine({
    model: storyReference(hub),
    session: storySessionOptions,
    signal: controller.signal,
  });
  controller.abort(new Error("Never mind."));
  await expect(aborted).rejects.toThrow("Never mind.");
  await expect(createEngine({ model: "not a model", session: storySessionOptions })).rejects.toMatchObject({
    status: 400,
  });
});

test("where there is no page it says what to take instead", async () => {
  await expect(createEngine({ model: storyReference(hub) })).rejects.toMatchObject({
    status: 501,
    code: "no_document",
    message: expect.stringContaining("createNodeEngine from midtoken/node"),
  });
});

test("canRun says how the model would run, and downloads nothing of its weights", async () => {
  const before = hub.requests.length;
  const forecast = await canRun(storyReference(hub));
  expect(forecast).toMatchObject({ answer: "yes", device: "wasm", dtype: "fp32" });
  expect(hub.requests.slice(before).filter((file) => file.includes(".onnx"))).toEqual([]);
  await expect(canRun(hub.url("no/model"))).rejects.toMatchObject({
    code: "model_not_loaded",
    param: "model",
  });
});

test("a private model answers with its token, which is in no trace and no error", async () => {
  const url = hub.url("of/private");
  const reference = { id: "private", url, revision: "main", dtype: { webgpu: "fp32", wasm: "fp32" } };
  const options = { model: reference, device: "wasm", session: storySessionOptions } as const;
  const hubToken = { token: "hf_secret", origin: hub.host };
  await expect(createEngine(options)).rejects.toThrow(/models on Hugging Face need an access token/);
  await expect(createEngine({ ...options, hubToken: "hf_ x" })).rejects.toMatchObject({ param: "hubToken" });
  expect(await canRun(reference, { hubToken })).toMatchObject({ answer: "yes" });
  const own = await createEngine({ ...options, hubToken });
  try {
    const answer = await own.chat.completions.create({ ...asked, model: "private", max_tokens: 2 });
    const trace = await own.requests.trace(answer.midtoken.request_ids[0] ?? "");
    expect(JSON.stringify([answer, trace, own.models.list()])).not.toContain("hf_secret");
  } finally {
    own.dispose();
  }
});
