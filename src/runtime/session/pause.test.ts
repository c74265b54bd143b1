/** Page and engine together in Node: messages report where and why a request is paused, even if they cross. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { loadModel } from "../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../engine/testing/model-hub.ts";
import { startCompileThread } from "../sandbox/testing/compile-thread.ts";
import { createSession, type RunHandle, type Session } from "./page-side/client.ts";
import type { Pause } from "./shared/breakpoint.ts";
import { startEngineThread } from "./testing/engine-thread.ts";
import { createEmptySandboxPool } from "./testing/no-sandboxes.ts";
import { createStoryRequest } from "./testing/story-request.ts";

const id = "midtoken/stories260k";
let hub: ModelHub;
let session: Session;

beforeAll(async () => {
  hub = await startModelHub({ [id]: "public/models/stories260k" });
  session = createSession({
    openTransport: () => startEngineThread({ loadModel }).transport,
    createSandboxes: createEmptySandboxPool,
    startCompiler: () => startCompileThread().worker,
  });
  const reference = {
    id,
    url: hub.url(id),
    revision: null,
    dtype: { webgpu: "fp32", wasm: "fp32" },
  } as const;
  await session.loadModel(reference, "wasm", {
    onProgress() {},
    signal: new AbortController().signal,
  });
});
afterAll(async () => {
  session.dispose();
  await hub.close();
});

/** A request, and each point at which it paused, in the order in which the page hears of them. */
function start(maxTokens: number, onPaused: (pause: Pause, handle: RunHandle) => void) {
  const records: TraceRecord[] = [];
  const handle: RunHandle = session.run(
    createStoryRequest({ maxTokens }),
    (more) => void records.push(...more),
    {
      onPaused: (pause) => onPaused(pause, handle),
    },
  );
  return { handle, records };
}

const tokensIn = (records: readonly TraceRecord[]) => records.filter(({ type }) => type === "added").length;

test("a breakpoint holds the run where it is met, and its records up to there have come", async () => {
  const seen: { pause: Pause; records: number; text: string }[] = [];
  const { handle, records } = start(30, (pause) => {
    const text = records.flatMap((record) => (record.type === "added" ? record.tokens : []));
    seen.push({ pause, records: records.length, text: text.map((token) => token.text).join("") });
    handle.resume();
  });
  handle.setBreakpoints([{ id: "there", enabled: true, type: "text", text: "there was" }]);
  await handle.done;
  expect(seen).toHaveLength(1);
  expect(seen[0]?.pause.why).toMatchObject({ type: "breakpoints", met: [{ id: "there" }] });
  expect(seen[0]?.pause.records).toBe(seen[0]?.records);
  expect(seen[0]?.text).toMatch(/there was$/);
});

test("a breakpoint that is set while the run is held is met later", async () => {
  const why: string[] = [];
  const { handle, records } = start(30, (pause) => {
    why.push(pause.why.type);
    if (why.length === 1)
      handle.setBreakpoints([{ id: "draw", enabled: true, type: "event", event: "sampled" }]);
    else handle.setBreakpoints([]);
    handle.resume();
  });
  handle.pause();
  await handle.done;
  expect(why).toEqual(["asked", "breakpoints"]);
  expect(tokensIn(records)).toBe(30);
});

test("what is asked before the engine has the request is not lost", async () => {
  const places: [string, number][] = [];
  const { handle, records } = start(5, (pause) => {
    places.push([pause.why.type, tokensIn(records)]);
    if (places.length < 3) handle.stepOnce();
    else handle.resume();
  });
  handle.pause();
  await handle.done;
  expect(places).toEqual([
    ["asked", 0],
    ["token", 1],
    ["token", 2],
  ]);
});

test("word of a pause that was undone meanwhile does not reach the page", async () => {
  const heard: Pause[] = [];
  const { handle, records } = start(200, (pause) => void heard.push(pause));
  for (let times = 0; times < 40; times += 1) {
    handle.pause();
    await new Promise((resolve) => setTimeout(resolve, times % 3));
    handle.resume();
  }
  const late = heard.length;
  await handle.done;
  // A report that came after the last resume would make the page wait for a request that is running.
  expect(heard.length).toBe(late);
  expect(tokensIn(records)).toBe(200);
});

test("the end of the step in whose middle it is held is one step", async () => {
  const places: [Pause["why"]["type"], string | undefined][] = [];
  const { handle, records } = start(4, (pause) => {
    places.push([pause.why.type, records.at(-1)?.type]);
    const next = (["stepEvent", "stepEvent", "stepOnce", "stepOnce", "resume"] as const)[places.length - 1];
    handle[next ?? "resume"]();
  });
  handle.pause();
  await handle.done;
  expect(places).toEqual([
    ["asked", "prefilled"],
    ["event", "forwardPass"],
    ["event", "sampled"],
    ["token", "added"],
    ["token", "added"],
  ]);
});
