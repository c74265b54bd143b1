/** Every kind of connection to an engine, in Node with the bundled model: the same answers, Stop works, and closing ends the requests. For workers: `e2e/session`. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultSampling } from "../../../core/sdk/request.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { loadModel } from "../../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../engine/testing/model-hub.ts";
import { inProcessTransport } from "../connection/in-process-transport.ts";
import { portTransport } from "../connection/port-transport.ts";
import { serveEngine } from "../connection/serve-engine.ts";
import { createSession, type Session } from "../page-side/client.ts";
import { nextEventLoopTurn } from "../testing/engine-thread.ts";
import { createEmptySandboxPool } from "../testing/no-sandboxes.ts";
import { createStoryRequest } from "../testing/story-request.ts";
import type { EngineTransport } from "./transport.ts";

const id = "midtoken/stories260k";
let hub: ModelHub;
beforeAll(async () => {
  hub = await startModelHub({ [id]: "public/models/stories260k" });
});
afterAll(() => hub?.close());

function overPort(): EngineTransport {
  const { port1, port2 } = new MessageChannel();
  serveEngine(port2 as unknown as Parameters<typeof serveEngine>[0], { turn: nextEventLoopTurn });
  port2.start();
  return portTransport(port1);
}

describe.each<[string, () => EngineTransport]>([
  [
    "in this process",
    () =>
      inProcessTransport({ loadModel, turn: nextEventLoopTurn, now: () => performance.now(), date: () => 0 }),
  ],
  ["over a port", overPort],
])("an engine %s", (_name, openTransport) => {
  let session: Session;
  beforeAll(async () => {
    session = createSession({ openTransport, createSandboxes: createEmptySandboxPool });
    const model = { id, url: hub.url(id), revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } };
    await session.loadModel(model, "wasm", { onProgress: () => {}, signal: new AbortController().signal });
  });
  afterAll(() => session.dispose());

  function start(maxTokens: number, onRecords: (records: readonly TraceRecord[]) => void) {
    return session.run(createStoryRequest({ maxTokens }), onRecords);
  }

  test("answers", async () => {
    const records: TraceRecord[] = [];
    await start(12, (more) => records.push(...more)).done;
    expect(records.at(-1)).toMatchObject({
      type: "finished",
      reason: "length",
      text: ", there was a little girl named Lily. She",
    });
  });

  test("hears a stop, and the next request is answered", async () => {
    const ends: string[] = [];
    const hear = (records: readonly TraceRecord[]) => {
      const last = records.at(-1);
      if (last?.type === "finished") ends.push(last.reason);
    };
    const handle = start(400, (records) => {
      handle.stop();
      hear(records);
    });
    await handle.done;
    await start(2, hear).done;
    expect(ends).toEqual(["cancelled", "length"]);
  });

  test("whose line is closed ends its requests with words, and nothing comes after", async () => {
    let after = 0;
    let isClosed = false;
    const handle = start(400, () => {
      if (isClosed) after += 1;
      isClosed = true;
      session.dispose();
    });
    await expect(handle.done).rejects.toThrow("The session was closed.");
    for (let turns = 0; turns < 20; turns++) await nextEventLoopTurn();
    expect(after).toBe(0);
  });
});

test("an engine whose line was closed computes no further", async () => {
  let passes = 0;
  const counting: typeof loadModel = async (...given) => {
    const bundle = await loadModel(...given);
    const { model } = bundle;
    const forward = model.forward.bind(model);
    model.forward = (...tokens) => {
      passes += 1;
      return forward(...tokens);
    };
    return bundle;
  };
  const ports = { loadModel: counting, turn: nextEventLoopTurn, now: () => performance.now(), date: () => 0 };
  const session = createSession({
    openTransport: () => inProcessTransport(ports),
    createSandboxes: createEmptySandboxPool,
  });
  const model = { id, url: hub.url(id), revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } };
  await session.loadModel(model, "wasm", { onProgress: () => {}, signal: new AbortController().signal });
  const handle = session.run(
    {
      requestId: "closed",
      sampling: { ...defaultSampling, temperature: 0 },
      maxTokens: 400,
      messages: [{ role: "user", content: "Once upon a time" }],
      stop: [],
      seed: 1,
      mods: [],
      onModError: "stop",
    },
    () => session.dispose(),
  );
  await expect(handle.done).rejects.toThrow("The session was closed.");
  for (let turns = 0; turns < 5; turns++) await nextEventLoopTurn();
  const atEnd = passes;
  for (let turns = 0; turns < 50; turns++) await nextEventLoopTurn();
  expect(passes).toBe(atEnd);
  expect(passes).toBeLessThan(300);
});
