/**
 * The program of a thread in which one mod runs, in QuickJS. The thread is the guest's own: it is ended, busy or not, when
 * the mod's time is up. A mod has no way to the thread's JavaScript, which is Node's with all that Node may do: between the
 * two stand QuickJS and the memory of WebAssembly that it runs in. The thread has no clock either, so that QuickJS, which
 * asks it for the time and the zone, tells none even where the guest's realm should leave a way to ask.
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
  /** One number, not 0 when the guest is to end. */
  readonly ended: Int32Array;
  /** To the engine. */
  readonly port: MessagePort;
  /** The engine's pings come here, and are sent back while this thread gets time. */
  readonly pingPort: MessagePort;
}

/** The pool's message: the mod's script. */
export interface GuestScript {
  readonly code: string;
  readonly label: string;
  readonly define: string;
}

/** The thread's messages to the pool. */
export type GuestThreadNews =
  | { readonly type: "awake" }
  | { readonly type: "error"; readonly message: string };

const { wasm, programs, limits, ended, port, pingPort } = workerData as GuestThreadData;
const pool = parentPort as NonNullable<typeof parentPort>;

/** Bytes of a page of WebAssembly's memory. */
const page = 2 ** 16;
/** Pages that the build of QuickJS begins with, and the most that it is made for. */
const pages = { least: 256, most: 32_768 } as const;
const mostPages = Math.floor(limits.memory / page);
/** The one memory of the guest. The runtime refuses to let it grow beyond `maximum`, whoever asks. */
const wasmMemory = new WebAssembly.Memory({
  initial: pages.least,
  maximum: Math.min(Math.max(mostPages, pages.least), pages.most),
});

/** As Node's own type has it. */
const pings = pingPort as unknown as Parameters<typeof receiveMessageOnPort>[0];
// Between events, this thread's loop answers.
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

/** While the guest computes, messages wait in their queues: this takes the pings out of theirs. */
function answerPings(): void {
  for (let ping = receiveMessageOnPort(pings); ping; ping = receiveMessageOnPort(pings)) {
    pingPort.postMessage(ping.message);
  }
}

function tell(news: GuestThreadNews): void {
  pool.postMessage(news);
}

/** An error in the thread ends it: the engine sees that its port is closed. */
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
  guarded(({ code, label, define }: GuestScript) => realm.loadScript({ url: code, label, define })),
);
(port as unknown as typeof pool).on(
  "message",
  guarded((message: unknown) => realm.receive(message)),
);
