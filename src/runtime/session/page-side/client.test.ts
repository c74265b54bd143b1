/** Page and engine together in Node with the bundled model: after any failure, both know what is loaded, and the next call works. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ModelDeadError } from "../../../core/decoder/ports/language-model.ts";
import { defaultSampling } from "../../../core/sdk/request.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { loadModel } from "../../engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../engine/testing/model-hub.ts";
import { type CompileThread, startCompileThread } from "../../sandbox/testing/compile-thread.ts";
import type { ModelReference } from "../shared/protocol.ts";
import type { RunRequest } from "../shared/requests.ts";
import { type EngineThread, startEngineThread } from "../testing/engine-thread.ts";
import { createEmptySandboxPool } from "../testing/no-sandboxes.ts";
import { createStoryRequest } from "../testing/story-request.ts";
import { createSession, type Session } from "./client.ts";

const id = "midtoken/stories260k";
let hub: ModelHub;
let session: Session;
let threads: EngineThread[];
let gone: number;
/** Loads a model for the session. A test may replace this function. */
let load: typeof loadModel;

beforeAll(async () => {
  hub = await startModelHub({ [id]: "public/models/stories260k" });
});
afterAll(() => hub?.close());

beforeEach(() => {
  load = loadModel;
  threads = [];
  gone = 0;
  openSession();
});

function openSession(promptDeadlineMs = 60_000): void {
  session = createSession({
    openTransport() {
      const thread = startEngineThread({ loadModel: (...args) => load(...args) });
      threads.push(thread);
      return thread.transport;
    },
    createSandboxes: createEmptySandboxPool,
    startCompiler: () => startCompileThread().worker,
    cancelGraceMs: 200,
    promptDeadlineMs,
  });
  session.onModelGone(() => (gone += 1));
}
afterEach(() => {
  hub.faults.clear();
  session.dispose();
});

const model = (): ModelReference => ({
  id,
  url: hub.url(id),
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
});

const loadIt = (signal = new AbortController().signal, id = model().id) =>
  session.loadModel({ ...model(), id }, "wasm", { onProgress: () => {}, signal });

function start(changes: Partial<RunRequest> = {}, onRecord: (record: TraceRecord) => void = () => {}) {
  const records: TraceRecord[] = [];
  const handle = session.run(createStoryRequest(changes), (more) => {
    for (const record of more) {
      records.push(record);
      onRecord(record);
    }
  });
  return { run: handle, records };
}

/** How a request ended: its finish reason, or the error that prevented it. */
async function outcome({ run: handle, records }: ReturnType<typeof start>): Promise<string> {
  const failure = await handle.done.then(
    () => null,
    (error: Error) => error.message,
  );
  const last = records.at(-1);
  return failure ?? (last?.type === "finished" ? last.reason : "no last record");
}

/** Models loaded from now on fail in the pass with this number, counted from 0. */
function breakAt(pass: number): void {
  load = async (...args) => {
    const bundle = await loadModel(...args);
    const forward = bundle.model.forward.bind(bundle.model);
    let passes = 0;
    bundle.model.forward = async (tokens, rows) => {
      if (passes++ >= pass) throw new ModelDeadError("The graphics device was lost.");
      return forward(tokens, rows);
    };
    return bundle;
  };
}

test("a model that breaks ends its request, and the next one loads it again", async () => {
  breakAt(2);
  await loadIt();
  expect(await outcome(start())).toBe("error");
  expect(gone).toBe(1);
  load = loadModel;
  expect(await outcome(start())).toBe("length");
  expect(gone).toBe(1);
});

test("a reload that fails ends that request alone, and says why", async () => {
  breakAt(2);
  await loadIt();
  expect(await outcome(start())).toBe("error");
  load = loadModel;
  hub.faults.set("config.json", { kind: "status", status: 503 });
  expect(await outcome(start())).toMatch(/config\.json could not be fetched .*503/);
  hub.faults.clear();
  expect(await outcome(start())).toBe("length");
});

test("a load that fails leaves nothing chosen, and the model before it is there at once when it is chosen again", async () => {
  await loadIt();
  hub.faults.set("config.json", { kind: "status", status: 503 });
  const { signal } = new AbortController();
  await expect(loadIt(signal, "another")).rejects.toThrow("503");
  expect(await outcome(start())).toMatch(/^No model is loaded/);
  // No file is fetched; a fetch would fail.
  await loadIt();
  expect(await outcome(start())).toBe("length");
  hub.faults.clear();
  await loadIt(signal, "another");
  expect(await outcome(start())).toBe("length");
});

test("a worker that ends is started again, with the model that it had", async () => {
  await loadIt();
  const running = start({ maxTokens: 400 }, ({ type }) => {
    if (type === "sampled") threads[0]?.crash("out of memory");
  });
  expect(await outcome(running)).toBe("The engine stopped: out of memory. Run again.");
  expect(gone).toBe(1);
  expect(await outcome(start())).toBe("length");
  expect(threads).toHaveLength(2);
});

test("a stop is heard while a mod compiles, and ends its compilation", async () => {
  const compilers: CompileThread[] = [];
  const own = createSession({
    openTransport: () => startEngineThread({ loadModel }).transport,
    createSandboxes: createEmptySandboxPool,
    startCompiler() {
      const thread = startCompileThread({ isEndless: () => true });
      compilers.push(thread);
      return thread.worker;
    },
  });
  const request = { sampling: defaultSampling, maxTokens: 8, messages: [], stop: [], seed: 1 };
  const mods = [{ name: "endless", source: "endless" }];
  const handle = own.run({ ...request, requestId: "endless", mods, onModError: "stop" }, () => {});
  await vi.waitFor(() => expect(compilers[0]?.sources).toEqual(["endless"]));
  handle.stop();
  await expect(handle.done).rejects.toMatchObject({ name: "AbortError" });
  await vi.waitFor(() => expect(compilers[0]?.isEnded).toBe(true));
  own.dispose();
});

test("a mod that does not compile ends its request, and is named with the line", async () => {
  const mods = [{ name: "broken", source: 'const a = 1;\nimport "fs";' }];
  expect(await outcome(start({ mods }))).toMatch(/^broken, line 2: "fs" cannot be imported/);
});

test.each([
  ["before the model is found missing", 0],
  ["after that", 200],
])("of a request that could not begin, sandboxes that start %s are ended", async (_, delayMs) => {
  let spawned = 0;
  let ended = 0;
  const port = () => new MessageChannel().port1;
  const own = createSession({
    openTransport: () => startEngineThread({ loadModel: (...args) => load(...args) }).transport,
    createSandboxes: () => ({
      ...createEmptySandboxPool(),
      async spawn({ about }) {
        await new Promise((done) => setTimeout(done, delayMs));
        spawned += 1;
        const kill = () => {
          ended += 1;
        };
        return { port: port(), pingPort: port(), about, kill };
      },
    }),
    startCompiler: () => startCompileThread().worker,
  });
  breakAt(0);
  await own.loadModel(model(), "wasm", { onProgress() {}, signal: new AbortController().signal });
  const request = { sampling: defaultSampling, maxTokens: 8, stop: [], seed: 1, onModError: "stop" } as const;
  const messages = [{ role: "user", content: "Once" }] as const;
  await own.run({ ...request, requestId: "breaks", messages, mods: [] }, () => {}).done;
  load = async () => {
    await vi.waitFor(() => expect(spawned).toBe(delayMs === 0 ? 1 : 0));
    throw new Error("The model is gone.");
  };
  const mods = [{ name: "idle", source: 'import { mod } from "midtoken/mod";\nexport default mod({});' }];
  const { done } = own.run({ ...request, requestId: "waits", messages, mods }, () => {});
  await expect(done).rejects.toThrow("The model is gone.");
  await vi.waitFor(() => expect([spawned, ended]).toEqual([1, 1]));
  own.dispose();
});

/** A request that is paused before its first token. */
function startPaused(): Promise<ReturnType<typeof start>> {
  return new Promise((resolve) => {
    const paused = start({ maxTokens: 300 }, ({ type }) => {
      if (type !== "prefilled") return;
      paused.run.pause();
      resolve(paused);
    });
  });
}

test("a load that waits for a paused run is cancelled at once, and the run goes on", async () => {
  await loadIt();
  const paused = await startPaused();
  const controller = new AbortController();
  let hasStarted = false;
  const waiting = session.loadModel(model(), "wasm", {
    onStart: () => (hasStarted = true),
    onProgress: () => {},
    signal: controller.signal,
  });
  controller.abort();
  await expect(waiting).rejects.toThrow("Loading was cancelled.");
  await new Promise((resolve) => setTimeout(resolve, 100));
  paused.run.resume();
  expect(await outcome(paused)).toBe("length");
  expect([hasStarted, threads.length, gone]).toEqual([false, 1, 0]);
});

test("a prompt and a reading that wait for the model to be loaded again are cancelled at once", async () => {
  breakAt(2);
  await loadIt();
  expect(await outcome(start())).toBe("error");
  let hasBegun = () => {};
  const begun = new Promise<void>((resolve) => (hasBegun = resolve));
  load = () => {
    hasBegun();
    return new Promise(() => {});
  };
  const controller = new AbortController();
  const { signal } = controller;
  const prompt = session.tokenizePrompt({ messages: [{ role: "user", content: "Once" }] }, signal);
  const reading = session.readLayers({ tokens: [1], places: [0], hidden: [0] }, { signal });
  await begun;
  controller.abort();
  await expect(prompt).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  await expect(reading).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
});

test("a prompt is tokenized while a run is paused", async () => {
  await loadIt();
  const paused = await startPaused();
  const tokens = await session.tokenizePrompt({ messages: [{ role: "user", content: "Once upon a time" }] });
  expect(tokens.map(({ token }) => token)).toEqual([1, 403, 407, 261, 378]);
  expect(tokens.map(({ isSpecial }) => isSpecial)).toEqual([
    true,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  paused.run.stop();
  expect(await outcome(paused)).toBe("cancelled");
});

test("another model is loaded though a compiler does not hear that the first one was cancelled", async () => {
  load = () => new Promise(() => {});
  const controller = new AbortController();
  let hasStarted = () => {};
  const started = new Promise<void>((resolve) => (hasStarted = resolve));
  const first = session.loadModel(model(), "wasm", {
    onStart: () => hasStarted(),
    onProgress: () => {},
    signal: controller.signal,
  });
  await started;
  load = loadModel;
  controller.abort();
  const second = loadIt();
  const run = start();
  await expect(first).rejects.toThrow("Loading was cancelled.");
  await expect(second).resolves.toMatchObject({ id });
  expect(await outcome(run)).toBe("length");
  expect(threads).toHaveLength(2);
});

test("a stop that is sent while a prompt is read is heard after one more pass", async () => {
  await loadIt();
  const long = "One day, a little cat saw a big red ball in the park. ".repeat(25);
  const stopped = start({ messages: [{ role: "user", content: long }] }, ({ type }) => {
    if (type === "prefilled") stopped.run.stop();
  });
  expect(await outcome(stopped)).toBe("cancelled");
  const [prompt] = stopped.records.filter((record) => record.type === "prefilled");
  const passes = stopped.records.filter((record) => record.type === "forwardPass");
  expect(prompt?.tokens.length).toBeGreaterThan(300);
  expect(passes.length).toBeLessThanOrEqual(1);
});

/** Models loaded from now on have a chat template that never ends for this prompt. */
function hangOn(prompt: string, onHang: () => void = () => {}): void {
  load = async (...args) => {
    const bundle = await loadModel(...args);
    const thread = threads.at(-1);
    return {
      ...bundle,
      formatPromptInSteps(messages, tools) {
        if (messages[0]?.content === prompt) {
          thread?.hang();
          setTimeout(onHang);
        }
        return bundle.formatPromptInSteps(messages, tools);
      },
    };
  };
}

const hanging = { messages: [{ role: "user", content: "round and round" }] } as const;

test("stop ends a request whose chat template loops, and what waited behind it begins anew", async () => {
  hangOn("round and round", () => stopped.run.stop());
  await loadIt();
  const stopped = start(hanging);
  const waiting = start();
  const error = await stopped.run.done.catch((reason: Error) => reason);
  expect(error).toMatchObject({ name: "AbortError", message: "The request was stopped before it began." });
  expect(await outcome(waiting)).toBe("length");
  expect([threads.length, gone]).toEqual([2, 1]);
});

test("a stop and another's prompt are heard between the slices of a long prompt, and the model stays loaded", async () => {
  let begin: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  load = async (...args) => {
    const bundle = await loadModel(...args);
    return {
      ...bundle,
      *formatPromptInSteps(messages, tools) {
        const isLong = messages[0]?.content === "round and round";
        begin();
        while (isLong) yield 0;
        return yield* bundle.formatPromptInSteps(messages, tools);
      },
    };
  };
  await loadIt();
  const stopped = start(hanging);
  await begun;
  const shown = await session.tokenizePrompt({ messages: [{ role: "user", content: "Once" }] });
  expect(shown.length).toBeGreaterThan(0);
  stopped.run.stop();
  const error = await stopped.run.done.catch((reason: Error) => reason);
  expect(error).toMatchObject({ name: "AbortError" });
  expect(await outcome(start())).toBe("length");
  expect([threads.length, gone]).toEqual([1, 0]);
});

test("a chat template that loops is ended though nobody stops it, and the error says so", async () => {
  session.dispose();
  openSession(50);
  hangOn("round and round");
  await loadIt();
  expect(await outcome(start(hanging))).toBe(
    "The model's chat template or tokenizer did not finish this prompt within 0.05 s. Shorten the prompt, or choose another model.",
  );
  expect(await outcome(start())).toBe("length");
  expect(threads).toHaveLength(2);
});

test("a tokenizer that loops at load is ended though nobody cancels the load, and the error says so", async () => {
  session.dispose();
  openSession(50);
  load = async (...args) => {
    const hang = () => threads.at(-1)?.hang();
    args[2]?.aroundTokenizer?.(hang);
    return new Promise(() => undefined);
  };
  await expect(loadIt()).rejects.toThrow(
    "The model's tokenizer and chat template were not ready within 0.1 s. Choose another model.",
  );
  load = loadModel;
  await loadIt();
  expect(await outcome(start())).toBe("length");
  expect(threads).toHaveLength(2);
});

test("a prompt that is shown no longer does not keep the engine", async () => {
  const controller = new AbortController();
  hangOn("round and round", () => controller.abort());
  await loadIt();
  await expect(session.tokenizePrompt(hanging, controller.signal)).rejects.toThrow(
    "Showing the prompt was cancelled.",
  );
  expect(await outcome(start())).toBe("length");
  expect(threads).toHaveLength(2);
});

test("a prompt that was ended in time is not ended again", async () => {
  await loadIt();
  const stopped = start({ maxTokens: 300 }, ({ type }) => {
    if (type === "prefilled") stopped.run.stop();
  });
  expect(await outcome(stopped)).toBe("cancelled");
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await outcome(start())).toBe("length");
  expect([threads.length, gone]).toEqual([1, 0]);
});
