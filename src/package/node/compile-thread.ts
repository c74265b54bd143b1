/** The program of the thread that compiles mods, like sandbox/compile-worker.ts in a browser. */
import { parentPort } from "node:worker_threads";
import { compileSource } from "../../runtime/sandbox/compile.ts";
import type { CompilerMessage } from "../../runtime/sandbox/compiler.ts";

function send(message: CompilerMessage): void {
  parentPort?.postMessage(message);
}

parentPort?.on("message", (source: string) => send({ type: "compiled", result: compileSource(source) }));
send({ type: "ready" });
