/**
 * Compiles the WebAssembly build of ONNX Runtime once for all engine threads of this process. Reading and compiling its 14
 * MB, and optimizing the functions that a model calls often, takes seconds of processor time in each thread that does it by
 * itself.
 */
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { gunzip } from "node:zlib";
import { messageOf } from "../../core/base/message-of.ts";
import type { WasmCompileReply } from "./engine-thread-data.ts";

/**
 * Compiled modules by the address of the binary. They stay while the process runs, so that a later engine gets the optimized
 * code too.
 */
const modules = new Map<string, Promise<WebAssembly.Module>>();

/** A port for a thread: it answers any message with the module, or with the reason why it could not be compiled. An open port does not keep the process running. */
export function wasmModulePort(wasm: string): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", async () => port1.postMessage(await replyWith(wasm)));
  port1.unref();
  return port2;
}

async function replyWith(wasm: string): Promise<WasmCompileReply> {
  try {
    return { type: "compiled", module: await compileWasmModule(wasm) };
  } catch (error) {
    return { type: "failed", message: messageOf(error) };
  }
}

/** @throws Error if the file cannot be read or is not a module. */
export function compileWasmModule(wasm: string): Promise<WebAssembly.Module> {
  const compiling = modules.get(wasm) ?? compile(wasm);
  modules.set(wasm, compiling);
  // If the file could not be read, the next model reads it again.
  compiling.catch(() => modules.delete(wasm));
  return compiling;
}

async function compile(wasm: string): Promise<WebAssembly.Module> {
  const bytes = await readFile(new URL(wasm));
  // In the npm package, the binary is compressed.
  const binary = wasm.endsWith(".gz") ? await promisify(gunzip)(bytes) : bytes;
  return WebAssembly.compile(new Uint8Array(binary));
}
