/** Calls to a worker: cancelled, answered late, and sent again to another worker. */
import { expect, test } from "vitest";
import type { LoadedModel } from "../shared/loading.ts";
import type { PageMessage } from "../shared/protocol.ts";
import { createLoadCall } from "./link-loads.ts";
import { createPromptCall } from "./link-prompts.ts";
import { createReadLayersCall } from "./link-readings.ts";
import { WorkerCalls } from "./worker-calls.ts";

const wanted = { model: { id: "m", revision: null } as never, device: "wasm" } as const;
const query = {} as never;
const prompt = { messages: [] };
const model = { id: "m" } as LoadedModel;

function testCalls() {
  const posted: PageMessage[] = [];
  const cancelled: number[] = [];
  const calls = new WorkerCalls({
    post: (message) => posted.push(message),
    onCancel: (id) => cancelled.push(id),
  });
  const types = () =>
    posted.map((message) => ("id" in message ? `${message.type} ${message.id}` : message.type));
  return { calls, cancelled, types };
}

const loadOptions = (signal = new AbortController().signal) => ({ onProgress() {}, signal });
const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => "answered",
    (error: Error) => `${error.name}: ${error.message}`,
  );

test("a call whose signal has aborted is not posted", async () => {
  const { calls, types } = testCalls();
  const made = calls.make(createPromptCall(1, prompt, AbortSignal.abort()));
  expect(await outcome(made)).toContain("AbortError");
  expect([types(), calls.count]).toEqual([[], 0]);
});

test("a cancelled load rejects at once and stays open until the worker ends it", async () => {
  const { calls, cancelled, types } = testCalls();
  const controller = new AbortController();
  const progress: unknown[] = [];
  const options = { onProgress: (each: unknown) => progress.push(each), signal: controller.signal };
  const made = calls.make(createLoadCall(1, wanted, options));
  controller.abort();
  expect(await outcome(made)).toBe("AbortError: Loading was cancelled.");
  expect({ types: types(), cancelled, count: calls.count }).toEqual({
    types: ["load 1", "cancelLoad 1"],
    cancelled: [1],
    count: 1,
  });
  calls.receive({ type: "progress", id: 1, progress: {} as never });
  calls.receive({ type: "loadFailed", id: 1, message: "", cancelled: true });
  expect({ progress, count: calls.count }).toEqual({ progress: [], count: 0 });
});

test("another worker gets loads and prompts again, in their order, and readings fail", async () => {
  const { calls, types } = testCalls();
  const controller = new AbortController();
  const load = outcome(calls.make(createLoadCall(1, wanted, loadOptions())));
  const shown = outcome(calls.make(createPromptCall(2, prompt, undefined)));
  const reading = outcome(calls.make(createReadLayersCall(3, query, {})));
  const left = outcome(calls.make(createLoadCall(4, wanted, loadOptions(controller.signal))));
  controller.abort();
  const before = types().length;
  calls.replaceWorker(new Error("The engine was restarted."));
  expect(types().slice(before)).toEqual(["load 1", "tokenize 2"]);
  expect(await reading).toBe("Error: The engine was restarted.");
  expect(await left).toContain("AbortError");
  calls.receive({ type: "loaded", id: 1, model, tokenizer: {} as never });
  calls.receive({ type: "tokenized", id: 2, tokens: [] });
  expect([await load, await shown, calls.count]).toEqual(["answered", "answered", 0]);
});

test("a reply that comes too late changes nothing", async () => {
  const { calls } = testCalls();
  const made = outcome(calls.make(createPromptCall(1, prompt, undefined)));
  calls.fail(1, new Error("The prompt took too long."));
  calls.receive({ type: "tokenized", id: 1, tokens: [] });
  expect(await made).toBe("Error: The prompt took too long.");
});

test("a refusal of the worker has its field and its code", async () => {
  const { calls } = testCalls();
  const made = calls.make(createReadLayersCall(1, query, {}));
  const refusal = { field: "places", code: "context_length_exceeded" } as const;
  calls.receive({ type: "readingFailed", id: 1, message: "Too long.", refusal });
  await expect(made).rejects.toMatchObject({ name: "RequestRefusedError", message: "Too long.", ...refusal });
});
