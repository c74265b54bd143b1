/**
 * The WebAssembly build of ONNX Runtime, compiled once for all engine threads of this process: reading and compiling its 14 MB,
 * and optimizing what a model calls often, takes seconds of processor time in each thread that does so by itself.
 */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { gunzip } from "node:zlib";
import { messageOf } from "../../core/base/message-of.ts";
import type { CompiledReply } from "./engine-thread-data.ts";

/** By the address of the binary. Kept while the process runs, so that a later engine finds the optimized code too. */
const modules = new Map<string, Promise<WebAssembly.Module>>();

/** A port for a thread: it answers any message with the module. The port keeps no process from ending. */
export function compilerPort(wasm: string): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", async () => port1.postMessage(await replyWith(wasm)));
  port1.unref();
  return port2;
}

async function replyWith(wasm: string): Promise<CompiledReply> {
  try {
    return { type: "compiled", module: await compiledModule(wasm) };
  } catch (error) {
    return { type: "failed", message: messageOf(error) };
  }
}

/** @throws Error when the file cannot be read or is no module. */
export function compiledModule(wasm: string): Promise<WebAssembly.Module> {
  const compiling = modules.get(wasm) ?? compile(wasm);
  modules.set(wasm, compiling);
  // A file that could not be read is read again for the next model.
  compiling.catch(() => modules.delete(wasm));
  return compiling;
}

async function compile(wasm: string): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL(wasm));
  // The npm package has the binary packed.
  const binary = wasm.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes;
  return WebAssembly.compile(new Uint8Array(binary));
}
