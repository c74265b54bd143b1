/** Stop while the engine's worker hangs or has died: the work ends, waiting requests begin again, and the next request works. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { loadModel } from "../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../engine/testing/model-hub.ts";
import { startCompileThread } from "../sandbox/testing/compile-thread.ts";
import { createSession, type Session } from "./page-side/client.ts";
import type { RunRequest } from "./shared/requests.ts";
import { type EngineThread, startEngineThread } from "./testing/engine-thread.ts";
import { createEmptySandboxPool } from "./testing/no-sandboxes.ts";
import { createStoryRequest } from "./testing/story-request.ts";

const id = "midtoken/stories260k";
let hub: ModelHub;
let session: Session;
let threads: EngineThread[];
let load: typeof loadModel;
/** Ports of guests for the next requests, instead of sandboxes. */
let guestPorts: MessagePort[];

beforeAll(async () => {
  hub = await startModelHub({ [id]: "public/models/stories260k" });
});
afterAll(() => hub?.close());

beforeEach(() => {
  load = loadModel;
  threads = [];
  guestPorts = [];
  session = createSession({
    openTransport() {
      const thread = startEngineThread({ loadModel: (...args) => load(...args) });
      threads.push(thread);
      return thread.transport;
    },
    createSandboxes: () => ({
      ...createEmptySandboxPool(),
      async spawn({ about }) {
        const [asked, pinged] = [new MessageChannel(), new MessageChannel()];
        guestPorts.push(asked.port2);
        pinged.port2.onmessage = ({ data }) => pinged.port2.postMessage(data);
        const kill = () => {
          for (const port of [asked.port2, pinged.port2]) port.close();
        };
        return { port: asked.port1, pingPort: pinged.port1, about, kill };
      },
    }),
    startCompiler: () => startCompileThread().worker,
    cancelGraceMs: 200,
  });
});
afterEach(() => session.dispose());

const loadIt = () => {
  const model = { id, url: hub.url(id), revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } };
  return session.loadModel(model, "wasm", { onProgress() {}, signal: new AbortController().signal });
};

function start(changes: Partial<RunRequest> = {}, onRecord: (record: TraceRecord) => void = () => {}) {
  const records: TraceRecord[] = [];
  const handle = session.run(createStoryRequest(changes), (more) => {
    for (const record of more) {
      records.push(record);
      onRecord(record);
    }
  });
  const ended = handle.done.then(
    () => (records.at(-1) as { reason?: string }).reason ?? "no end",
    (error: Error) => `${error.name}: ${error.message}`,
  );
  return { handle, records, ended };
}

const stoppedText = "AbortError: The request was stopped, and the engine was restarted to end it.";

/** Models loaded from now on hang in the first pass for which `isTime` returns true, and then call `onHang`. */
function hangOnce(isTime: () => boolean, onHang: () => void): void {
  load = async (...args) => {
    const bundle = await loadModel(...args);
    const thread = threads.at(-1);
    const forward = bundle.model.forward.bind(bundle.model);
    bundle.model.forward = async (...tokens) => {
      if (!isTime()) return forward(...tokens);
      thread?.hang();
      setTimeout(onHang);
      return new Promise(() => {});
    };
    return bundle;
  };
}

test("in a pass that never ends: the text so far stays, what waited begins again", async () => {
  // Records arrive in batches, so the model hangs only after the first words have arrived, however fast the passes are.
  const hasText = () => stopped.records.some(({ type }) => type === "added");
  hangOnce(hasText, () => stopped.handle.stop());
  await loadIt();
  const stopped = start({ maxTokens: 400 });
  const waiting = start();
  load = loadModel;
  expect(await stopped.ended).toBe(stoppedText);
  expect(stopped.records.filter(({ type }) => type === "added").length).toBeGreaterThan(0);
  expect(await waiting.ended).toBe("length");
  expect(threads).toHaveLength(2);
});

test("in a worker that died without a word, in the middle of a request", async () => {
  await loadIt();
  const stopped = start({ maxTokens: 400 }, ({ type }) => {
    if (type !== "sampled") return;
    threads[0]?.hang();
    setTimeout(() => stopped.handle.stop());
  });
  expect(await stopped.ended).toBe(stoppedText);
  expect(await start().ended).toBe("length");
  expect(threads).toHaveLength(2);
});

test("in a worker that died while nothing was asked of it", async () => {
  await loadIt();
  threads[0]?.hang();
  const stopped = start();
  await vi.waitFor(() => expect(threads[0]?.posted).toContain("run"));
  stopped.handle.stop();
  expect(await stopped.ended).toBe("AbortError: The request was stopped before it began.");
  await vi.waitFor(() => expect(threads[0]?.isClosed).toBe(true));
  expect(await start().ended).toBe("length");
});

test("behind a request that goes on: at once, and the other one is left alone", async () => {
  await loadIt();
  const first = start({ maxTokens: 300 }, ({ type }) => {
    if (type === "prefilled") first.handle.pause();
  });
  await vi.waitFor(() => expect(first.records.length).toBeGreaterThan(0));
  const second = start();
  await vi.waitFor(() => expect(threads[0]?.posted.filter((type) => type === "run")).toHaveLength(2));
  second.handle.stop();
  expect(await second.ended).toBe("AbortError: The request was stopped before it began.");
  await new Promise((resolve) => setTimeout(resolve, 400));
  first.handle.resume();
  expect(await first.ended).toBe("length");
  expect(second.records).toEqual([]);
  expect(threads).toHaveLength(1);
});

test("in a reading of layers that never ends", async () => {
  await loadIt();
  load = (...args) => {
    threads.at(-1)?.hang();
    return loadModel(...args);
  };
  const controller = new AbortController();
  const query = { tokens: [1, 403, 407], places: [2], lens: { top: 1 } } as never;
  const reading = session.readLayers(query, {
    signal: controller.signal,
    onOpening: () => controller.abort(),
  });
  await expect(reading).rejects.toMatchObject({ name: "AbortError" });
  load = loadModel;
  expect(await start().ended).toBe("length");
  expect(threads).toHaveLength(2);
});

const idle = { name: "idle", source: 'import { mod } from "midtoken/mod";\nexport default mod({});' };

test("while a mod does not load: the request ends, and the worker stays", async () => {
  await loadIt();
  const stopped = start({ mods: [idle], deadlines: { load: 60_000 } });
  await vi.waitFor(() => expect(threads[0]?.posted).toContain("run"));
  guestPorts[0]?.addEventListener("message", () => setTimeout(stopped.handle.stop));
  guestPorts[0]?.start();
  expect(await stopped.ended).toMatch(/^AbortError: The request was stopped before it began/);
  expect(await start().ended).toBe("length");
  expect(threads).toHaveLength(1);
});
