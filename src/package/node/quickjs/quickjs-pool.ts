/**
 * Sandboxes in Node: QuickJS in WebAssembly, each guest in its own thread, with the protocol and the guest program of a
 * browser's frames. Ending the thread ends everything in it, busy or not.
 *
 * For Node, a mod is a text. QuickJS interprets it without files, network, clock, processes or other threads, in a memory
 * that contains nothing else. This is one wall; a browser has three. An attacker who finds a bug of V8 that leads out of
 * WebAssembly's memory can do everything that this process can. The thread shares the process's memory and processor time.
 */
import { availableParallelism } from "node:os";
import type { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import { guestThread, quickJsWasm, realmProgram } from "virtual:node-programs";
import { untilAborted } from "../../../core/base/abort.ts";
import { sameProcessPings, startDeadline } from "../../../runtime/sandbox/deadlines.ts";
import { loadGuestProgram } from "../../../runtime/sandbox/guest-program.ts";
import { defineFunctionName } from "../../../runtime/sandbox/module-wrapper.ts";
import type { SandboxPool } from "../../../runtime/sandbox/sandbox-pool.ts";
import { createWarmPool, type Sandbox } from "../../../runtime/sandbox/warm-pool.ts";
import { startThread } from "../threads.ts";
import type { RealmLimits } from "./guest-realm.ts";
import type { GuestScript, GuestThreadData, GuestThreadNews } from "./guest-thread.ts";
import { relayPings } from "./ping-relay.ts";

export interface QuickJsPoolOptions {
  readonly limits?: Partial<RealmLimits>;
  /** The guest's program; tests replace it with a hostile one. */
  readonly program?: string;
}

export const defaultRealmLimits: RealmLimits = { memory: 2 ** 30, stack: 2 ** 19 };

/** Megabytes of a thread's stack: a call in QuickJS is several calls in WebAssembly. */
const threadStack = 8;

/** Megabytes of a thread's heap, for a guest's messages, including a large tokenizer. */
const threadHeap = 512;

/** Milliseconds that a guest's thread may take to start, not counting time in which this process does not run. */
const longestStart = 20_000;

export function createQuickJsPool({ limits, program }: QuickJsPoolOptions = {}): SandboxPool {
  const fetchProgram = program === undefined ? loadGuestProgram : async () => program;
  const create = () => createSandbox({ ...defaultRealmLimits, ...limits }, fetchProgram);
  // More threads than cores would only delay one another, and the thread that serves the requests.
  return createWarmPool(create, availableParallelism());
}

let compiled: Promise<WebAssembly.Module> | null = null;

/** Compiled once for all threads; each thread has its own memory. */
function quickJsModule(): Promise<WebAssembly.Module> {
  compiled ??= WebAssembly.compile(gunzipSync(Buffer.from(quickJsWasm, "base64")));
  return compiled;
}

function createSandbox(limits: RealmLimits, fetchProgram: () => Promise<string>): Sandbox {
  const direct = new MessageChannel();
  const pings = new MessageChannel();
  const relayed = new MessageChannel();
  const stopPings = relayPings(pings.port2, relayed.port1);
  const removal = new AbortController();
  const ended = new Int32Array(new SharedArrayBuffer(4));
  let thread: Worker | null = null;
  const starting = Promise.all([quickJsModule(), fetchProgram()]).then(([wasm, guest]) => {
    removal.signal.throwIfAborted();
    const port = direct.port2;
    const pingPort = relayed.port2;
    const data: GuestThreadData = { wasm, programs: [realmProgram, guest], limits, ended, port, pingPort };
    thread = startThread(guestThread, {
      workerData: data,
      transferList: [port as never, pingPort as never],
      resourceLimits: { stackSizeMb: threadStack, maxOldGenerationSizeMb: threadHeap },
    });
    return whenAwake(thread, removal.signal);
  });
  const awake = untilAborted(starting, removal.signal);
  // Nobody waits for a warm sandbox that is removed, so its rejection is ignored.
  awake.catch(() => undefined);
  return {
    port: direct.port1,
    pingPort: pings.port1,
    awake,
    load({ code, about }, memory = limits.memory) {
      const script: GuestScript = { code, label: about.label, define: defineFunctionName, memory };
      thread?.postMessage(script);
    },
    remove() {
      removal.abort(new Error("The mod's sandbox was removed before it started."));
      Atomics.store(ended, 0, 1);
      stopPings();
      direct.port2.close();
      void thread?.terminate();
    },
  };
}

/** @param removed aborted when the sandbox is removed, perhaps before the thread's first message */
function whenAwake(thread: Worker, removed: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`The mod's sandbox could not start: ${why}`));
    const stopClock = startDeadline(longestStart, sameProcessPings, () =>
      fail(`it did not start within ${longestStart / 1000} s.`),
    );
    // A running timer would keep a finished command from ending.
    removed.addEventListener("abort", stopClock, { once: true });
    thread.once("message", (news: GuestThreadNews) => {
      stopClock();
      if (news.type === "awake") resolve();
      else fail(news.message);
    });
    thread.once("error", (error) => {
      stopClock();
      fail(error.message);
    });
    // If a thread fails later, its port closes, which the engine sees.
    thread.on("error", () => undefined);
  });
}
