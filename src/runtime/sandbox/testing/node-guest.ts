/**
 * The real guest's program in a Node thread, for tests. Node's functions replace the few browser functions that it needs.
 */
import { Worker } from "node:worker_threads";
import { guestProgram } from "virtual:sandbox-guest";
import { compileMod } from "../compile.ts";
import type { CompiledMod } from "../compiled-mod.ts";
import { defineFunctionName } from "../module-wrapper.ts";
import type { SandboxPorts } from "../protocol.ts";
import { createTestFrame, type TestFrame } from "./test-frame.ts";

const browserParts = `
const { parentPort } = require("node:worker_threads");
const { runInThisContext } = require("node:vm");
const listeners = { error: [], message: [], unhandledrejection: [] };
const real = { parentPort, runInThisContext, Buffer, process };
globalThis.addEventListener = (type, listener) => listeners[type].push(listener);
globalThis.postMessage = (message) => real.parentPort.postMessage(message);
globalThis.importScripts = (url) => real.runInThisContext(real.Buffer.from(url, "base64").toString());
globalThis.reportError = (error) => {
  const [, line] = /:(\\d+)\\n/.exec(error.stack) ?? [];
  for (const listener of listeners.error) listener({ lineno: Number(line), colno: 1, preventDefault() {} });
};
parentPort.on("message", (message) => {
  const event = message.port ? { data: null, ports: [message.port] } : { data: message, ports: [] };
  for (const listener of listeners.message) listener(event);
});
process.on("unhandledRejection", (reason) => {
  for (const listener of listeners.unhandledrejection) listener({ reason, preventDefault() {} });
});
`;

export interface NodeGuest extends SandboxPorts {
  readonly frame: TestFrame;
  readonly compiled: CompiledMod;
  /** Settles when the guest's thread has ended, for whatever reason. */
  readonly ended: Promise<void>;
  kill(): void;
}

/** @throws Error if the source does not compile. */
export function startNodeGuest(source: string, program = guestProgram): NodeGuest {
  const compiled = compileMod(source, "test");
  if (!compiled.ok) throw new Error(`${compiled.problems[0]?.message}`);
  const { port1, port2 } = new MessageChannel();
  // Indirect eval: the program runs as a script in the global scope, as in a browser, outside Node's module function.
  const thread = new Worker(`${browserParts}\nreal.runInThisContext(${JSON.stringify(program)});`, {
    eval: true,
  });
  const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
  thread.postMessage({ port: port2 }, [port2 as never]);
  const url = Buffer.from(compiled.code).toString("base64");
  thread.postMessage({ url, label: compiled.about.label, define: defineFunctionName });
  const frame = createTestFrame();
  const kill = () => {
    frame.close();
    void thread.terminate();
  };
  return { port: port1, pingPort: frame.pingPort, frame, compiled, ended, kill };
}
