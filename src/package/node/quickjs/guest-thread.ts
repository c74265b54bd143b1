/**
 * The program of a thread that runs one mod in QuickJS. The thread belongs to this guest: it is ended, busy or not, when the
 * mod's time is up. A mod cannot reach the thread's JavaScript, which has all of Node's functions: QuickJS and its
 * WebAssembly memory are between them. The thread's own clock is replaced too, so that QuickJS, which asks the thread for
 * time and time zone, has no time to reveal, even if the guest's realm left a way to ask.
 */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import loadQuickJs from "@jitl/quickjs-ng-wasmfile-release-sync/emscripten-module";
import { QuickJSFFI } from "@jitl/quickjs-ng-wasmfile-release-sync/ffi";
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant } from "quickjs-emscripten-core";
import { createVirtualClock, pinDate } from "../../../runtime/sandbox/virtual-clock.ts";
import { GuestRealm, type RealmLimits } from "./guest-realm.ts";

/** The start data of a thread, from the pool. */
export interface GuestThreadData {
  readonly wasm: WebAssembly.Module;
  readonly programs: readonly string[];
  readonly limits: RealmLimits;
  /** One number; another value than 0 means that the guest must end. */
  readonly ended: Int32Array;
  /** Leads to the engine. */
  readonly port: MessagePort;
  /** The engine's pings arrive here, and are returned while this thread gets processor time. */
  readonly pingPort: MessagePort;
}

/** The pool's message: the mod's script. */
export interface GuestScript {
  readonly code: string;
  readonly label: string;
  readonly define: string;
  /** Bytes that the guest's memory may have from now on. */
  readonly memory: number;
}

/** The thread's messages to the pool. */
export type GuestThreadNews =
  | { readonly type: "awake" }
  | { readonly type: "error"; readonly message: string };

const { wasm, programs, limits, ended, port, pingPort } = workerData as GuestThreadData;
const pool = parentPort as NonNullable<typeof parentPort>;

/** Bytes in a page of WebAssembly memory. */
const page = 2 ** 16;
/** The number of pages with which the build of QuickJS begins, and the most that it supports. */
const pages = { least: 256, most: 32_768 } as const;
const mostPages = Math.floor(limits.memory / page);
/** The guest's only memory. The runtime never lets it grow beyond `maximum`. */
const wasmMemory = new WebAssembly.Memory({
  initial: pages.least,
  maximum: Math.min(Math.max(mostPages, pages.least), pages.most),
});

/** Bytes that the memory may have. A thread starts before its mod is known, so a mod's own limit comes with the mod. */
let mostBytes = limits.memory;
const grow = wasmMemory.grow.bind(wasmMemory);
wasmMemory.grow = (more) => {
  if (wasmMemory.buffer.byteLength + more * page > mostBytes) throw new RangeError("Out of memory.");
  return grow(more);
};

/** The same port, with Node's own type. */
const pings = pingPort as unknown as Parameters<typeof receiveMessageOnPort>[0];
// Between events, the event loop of this thread answers pings.
(pingPort as unknown as typeof pool).on("message", (ping: unknown) => pingPort.postMessage(ping));

pinDate(globalThis, createVirtualClock());
performance.now = () => 0;

const variant = {
  type: "sync",
  importFFI: async () => QuickJSFFI,
  importModuleLoader: async () => (options: object) =>
    loadQuickJs({
      ...options,
      wasmMemory,
      instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) {
        const instance = new WebAssembly.Instance(wasm, imports);
        done(instance);
        return instance.exports;
      },
    }),
} as unknown as QuickJSSyncVariant;

const realm = new GuestRealm({
  quickjs: await newQuickJSWASMModuleFromVariant(variant),
  programs,
  limits,
  post: (message) => port.postMessage(message),
  announce: () => tell({ type: "awake" }),
  isEnded() {
    answerPings();
    return Atomics.load(ended, 0) !== 0;
  },
});

/** Answers pings while the guest computes: messages then wait in their queue, so this function takes the pings out. */
function answerPings(): void {
  for (let ping = receiveMessageOnPort(pings); ping; ping = receiveMessageOnPort(pings)) {
    pingPort.postMessage(ping.message);
  }
}

function tell(news: GuestThreadNews): void {
  pool.postMessage(news);
}

/** An error in the thread ends the thread, and the engine sees that its port is closed. */
function guarded<Value>(work: (value: Value) => void): (value: Value) => void {
  return (value) => {
    try {
      work(value);
    } catch (error) {
      tell({ type: "error", message: String(error) });
      port.close();
      pool.close();
    }
  };
}

realm.openPort();
pool.on(
  "message",
  guarded(({ code, label, define, memory }: GuestScript) => {
    mostBytes = Math.min(limits.memory, memory);
    realm.loadScript({ url: code, label, define });
  }),
);
(port as unknown as typeof pool).on(
  "message",
  guarded((message: unknown) => realm.receive(message)),
);
