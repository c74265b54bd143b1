/** Background requests with the real engine in Node and the bundled model. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultSampling } from "../../../core/sdk/request.ts";
import type { FinishedRecord, TraceRecord } from "../../../core/trace/format/format.ts";
import { loadModel } from "../../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../engine/testing/model-hub.ts";
import type { RunRequest } from "../shared/requests.ts";
import { startEngineThread } from "../testing/engine-thread.ts";
import { createEmptySandboxPool } from "../testing/no-sandboxes.ts";
import { createBackgroundQueue } from "./background-queue.ts";
import { createSession, type Session } from "./client.ts";

const id = "midtoken/stories260k";
let hub: ModelHub;
let session: Session;

beforeAll(async () => {
  hub = await startModelHub({ [id]: "public/models/stories260k" });
  session = createSession({
    openTransport: () => startEngineThread({ loadModel }).transport,
    createSandboxes: createEmptySandboxPool,
  });
  const reference = { id, url: hub.url(id), revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } };
  await session.loadModel(reference, "wasm", { onProgress: () => {}, signal: new AbortController().signal });
});
afterAll(async () => {
  session.dispose();
  await hub.close();
});

let count = 0;
const newRequestId = () => `request-${++count}`;

const request = (seed: number, changes: Partial<RunRequest> = {}): RunRequest => ({
  requestId: "",
  sampling: defaultSampling,
  maxTokens: 12,
  stop: [],
  seed,
  mods: [],
  messages: [{ role: "user", content: "Once upon a time" }],
  onModError: "stop",
  ...changes,
});

const signal = new AbortController().signal;

function endOf(records: readonly TraceRecord[]): FinishedRecord {
  const last = records.at(-1);
  if (last?.type !== "finished") throw new Error("The request has no end.");
  return last;
}

test("the prompt is read once for all seeds, and every run takes the passes that it takes alone", async () => {
  const queue = createBackgroundQueue(session, newRequestId);
  await queue.run(request(1, { messages: [{ role: "user", content: "Another prompt" }] }), signal);
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
  const ends = (await Promise.all(seeds.map((seed) => queue.run(request(seed), signal)))).map(endOf);
  const { promptTokens, forwardPasses } = ends[0]?.usage ?? { promptTokens: 0, forwardPasses: 0 };
  expect(ends.slice(1).map(({ usage }) => usage.reusedTokens)).toEqual(Array(7).fill(promptTokens));
  expect(ends.slice(1).map(({ usage }) => usage.forwardPasses)).toEqual(Array(7).fill(forwardPasses - 1));
  expect(new Set(ends.map(({ text }) => text)).size).toBeGreaterThan(1);
});

test("a run of the page goes first: what goes on is stopped, made again, and comes out the same", async () => {
  const queue = createBackgroundQueue(session, newRequestId);
  const long = { maxTokens: 80 };
  const alone = await Promise.all([1, 2, 3].map((seed) => queue.run(request(seed, long), signal)));
  const ended: string[] = [];
  const background = [1, 2, 3].map(async (seed) => {
    const records = await queue.run(request(seed, long), signal);
    ended.push(`background ${seed}`);
    return endOf(records).text;
  });
  queue.pause();
  await session.run({ ...request(9), requestId: "own" }, () => {}).done;
  ended.push("own");
  queue.release();
  expect(await Promise.all(background)).toEqual(alone.map((records) => endOf(records).text));
  expect(ended).toEqual(["own", "background 1", "background 2", "background 3"]);
});

test("what is cancelled ends with the signal's reason, begun or not, and the others go on", async () => {
  const queue = createBackgroundQueue(session, newRequestId);
  const controller = new AbortController();
  const gone = [1, 2, 3].map((seed) => queue.run(request(seed, { maxTokens: 80 }), controller.signal));
  const staying = queue.run(request(4), signal);
  controller.abort(new Error("no longer wanted"));
  for (const each of gone) await expect(each).rejects.toThrow("no longer wanted");
  expect(endOf(await staying).reason).toBe("length");
  await expect(queue.run(request(5), controller.signal)).rejects.toThrow("no longer wanted");
});

test("a request that cannot be made says why, and the next one is made", async () => {
  const queue = createBackgroundQueue(session, newRequestId);
  const wrong = queue.run(request(1, { budget: -1 }), signal);
  const next = queue.run(request(2), signal);
  await expect(wrong).rejects.toThrow('"budget" is -1');
  expect(endOf(await next).reason).toBe("length");
});

test("a request for no tokens leaves the cache as it is: a check of a function costs no reading", async () => {
  const queue = createBackgroundQueue(session, newRequestId);
  await queue.run(request(1), signal);
  const check = endOf(
    await queue.run(request(0, { maxTokens: 0, messages: [{ role: "user", content: "{}" }] }), signal),
  );
  expect([check.usage.forwardPasses, check.reason]).toEqual([0, "length"]);
  const { usage } = endOf(await queue.run(request(2), signal));
  expect(usage.reusedTokens).toBe(usage.promptTokens);
});
