/**
 * Compiles mods with the sandbox's compiler, but runs them in the test's own process, without a sandbox. Only for trusted
 * code: such a mod can do everything that the process can, and nothing can end it while it is busy.
 */

import * as flow from "../../core/sdk/flow.ts";
import * as sdk from "../../core/sdk/index.ts";
import * as strategies from "../../core/sdk/strategies.ts";
import { compileSource, defineFunctionName } from "../../runtime/sandbox/compile.ts";
import type { CompiledMod } from "../../runtime/sandbox/compiled-mod.ts";
import type { CompilerMessage } from "../../runtime/sandbox/compiler.ts";
import { createGuestMessageHandler } from "../../runtime/sandbox/guest-turns.ts";
import { type ImportableModule, importRefusal } from "../../runtime/sandbox/module-names.ts";
import type { EngineToGuest } from "../../runtime/sandbox/protocol.ts";
import type { Guest, SandboxPool } from "../../runtime/sandbox/sandbox-pool.ts";

const modules: Readonly<Record<ImportableModule, object>> = {
  "midtoken/mod": sdk,
  "midtoken/strategies": strategies,
  "midtoken/flow": flow,
};

/** Replaces the pool of sandboxes. */
export function createInProcessSandboxPool(): SandboxPool {
  const guests = new Set<Guest>();
  return {
    async spawn(compiled) {
      const guest = startGuest(compiled);
      guests.add(guest);
      return guest;
    },
    keepReady() {},
    prepare() {},
    dispose() {
      for (const guest of guests) guest.kill();
      guests.clear();
    },
  };
}

/**
 * The last turn of any mod. The SDK keeps the current request in a global, so the mods of a process must reply one after the
 * other.
 */
let last: Promise<void> = Promise.resolve();

function startGuest({ code, about }: CompiledMod): Guest {
  const engine = new MessageChannel();
  const pings = new MessageChannel();
  const turns = createGuestMessageHandler({
    post: (message, transfer) => engine.port2.postMessage(message, transfer),
    // The mod writes to the process's console.
    takeConsole: () => [],
    onStart() {},
    onEvent() {},
  });
  engine.port2.onmessage = ({ data }: MessageEvent<EngineToGuest>) => {
    // The mod that is replying waits for its scores.
    if (data.type === "scores") void turns.receive(data);
    else last = last.then(() => turns.receive(data));
  };
  pings.port2.onmessage = ({ data }) => pings.port2.postMessage(data);
  turns.give({ label: about.label, load: () => runFile(code), faultPlace: () => null });
  return {
    port: engine.port1,
    pingPort: pings.port1,
    about,
    kill() {
      engine.port2.close();
      pings.port2.close();
    },
  };
}

function runFile(code: string): Readonly<Record<string, unknown>> {
  const exports: Record<string, unknown> = {};
  const require = (name: string): object => {
    if (Object.hasOwn(modules, name)) return modules[name as ImportableModule];
    throw new Error(importRefusal(name));
  };
  const define = (file: (exports: object, require: (name: string) => object) => void): void =>
    file(exports, require);
  new Function(defineFunctionName, code)(define);
  return exports;
}

/** Replaces the compiler's worker with the same compiler on this thread. */
export function createInProcessCompiler(): Worker {
  const worker = {
    onmessage: null as ((event: { data: CompilerMessage }) => void) | null,
    onerror: null,
    postMessage: (source: string) => say({ type: "compiled", result: compileSource(source) }),
    terminate() {
      worker.onmessage = null;
    },
  };
  const say = (data: CompilerMessage) => queueMicrotask(() => worker.onmessage?.({ data }));
  say({ type: "ready" });
  return worker as unknown as Worker;
}
