/** A session's memory reports, and the caches that it frees, in Node with the bundled model. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { defaultSampling } from "../../core/sdk/request.ts";
import { loadModel } from "../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../engine/testing/model-hub.ts";
import { inProcessTransport } from "./connection/in-process-transport.ts";
import { createSession, type Session } from "./page-side/client.ts";
import type { EngineMemory } from "./shared/memory-budget.ts";
import { nextEventLoopTurn } from "./testing/engine-thread.ts";
import { createEmptySandboxPool } from "./testing/no-sandboxes.ts";

let hub: ModelHub;
let session: Session;
let reports: (EngineMemory | null)[];
let started: number;

beforeAll(async () => {
  const names = ["m/a", "m/b"];
  hub = await startModelHub(Object.fromEntries(names.map((id) => [id, "public/models/stories260k"])));
});
afterAll(() => hub?.close());

beforeEach(() => {
  reports = [];
  started = 0;
  session = createSession({
    openTransport() {
      started += 1;
      return inProcessTransport({
        loadModel,
        turn: nextEventLoopTurn,
        now: () => performance.now(),
        date: () => 0,
      });
    },
    createSandboxes: createEmptySandboxPool,
    memoryBudget: 1e9,
  });
  session.onMemory((memory) => reports.push(memory));
});
afterEach(() => session.dispose());

const { signal } = new AbortController();
const load = (id: string) =>
  session.loadModel(
    { id, url: hub.url(id), revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } },
    "wasm",
    { onProgress() {}, signal },
  );

const run = (requestId: string, content = "Once upon a time") =>
  session.run(
    {
      requestId,
      messages: [{ role: "user", content }],
      sampling: defaultSampling,
      maxTokens: 3,
      stop: [],
      seed: 1,
      mods: [],
      onModError: "stop",
    },
    () => {},
  );

test("what is about to come is told, then what is there, with its cache", async () => {
  const { bytes } = await load("m/a");
  await vi.waitFor(() => expect(reports.at(-1)?.modelCount).toBe(1));
  const [coming, there] = reports.slice(-2);
  expect(coming).toEqual({ bytes, textBytes: 0, modelCount: 0, budgetBytes: 1e9, model: null });
  // Five layers of keys and values, four heads with 16 float32 numbers each, for 512 tokens.
  const bytes512 = 2 * 5 * 4 * 16 * 4 * 512;
  const cache = { bytes: bytes512, tokens: 512, mostBytes: bytes512, mostTokens: 512 };
  expect(there).toMatchObject({ modelCount: 1, budgetBytes: 1e9, model: { cache } });
  expect(there?.bytes).toBe(there?.model?.bytes);
  expect(there?.bytes).toBeGreaterThan(bytes);
});

test("a smaller budget lets go of the model before, once the request that runs has ended", async () => {
  await load("m/a");
  await load("m/b");
  await vi.waitFor(() => expect(reports.at(-1)?.modelCount).toBe(2));
  const running = run("one");
  session.setMemoryBudget(1);
  await running.done;
  await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ modelCount: 1, budgetBytes: 1 }));
  expect(reports.at(-1)?.bytes).toBe(reports.at(-1)?.model?.bytes);
});

test("what is released is free at once, and loaded again by the next request, within the budget of then", async () => {
  await load("m/a");
  session.setMemoryBudget(2e9);
  expect(session.release()).toBe(true);
  expect(reports.at(-1)).toBeNull();
  const second = run("two");
  // A request waits for its model.
  expect(session.release()).toBe(false);
  await second.done;
  await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ modelCount: 1, budgetBytes: 2e9 }));
  expect(started).toBe(2);
});

test("what is kept of other texts is told, and goes where it may take no more", async () => {
  await load("m/a");
  for (const name of ["Lily", "Tom"]) await run(name, `${name} had a ball. `.repeat(20)).done;
  await vi.waitFor(() => expect(reports.at(-1)?.textBytes).toBeGreaterThan(100 * 2560));
  session.setMemoryBudget(1e9, 0);
  await vi.waitFor(() => expect(reports.at(-1)).toMatchObject({ textBytes: 0, modelCount: 1 }));
  await run("three", "Lily had a ball. ".repeat(20)).done;
  expect(reports.at(-1)?.textBytes).toBe(0);
});
