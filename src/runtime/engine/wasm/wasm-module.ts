/**
 * ONNX Runtime's plain WebAssembly build, used through its exported C functions instead of `InferenceSession`.
 * `InferenceSession` copies every cache tensor into the heap and out again at every run; a tensor that this code makes stays
 * in the heap, and is bound as past and as present.
 */

import { timeStage } from "../base/load-timing.ts";
import { loadPlainRuntime } from "../ort/load-runtime.ts";
import type { OrtWasmModule, PlainRuntime } from "../ort/ort-wasm-module.ts";
import { recordThreads, ThreadStartError } from "./record-threads.ts";
import { disableBlockedAttention } from "./wasm-environment.ts";
import { checkStatusCode, fatalLogLevel } from "./wasm-heap.ts";
import { recordMailboxWaits } from "./wasm-mailbox.ts";
import { chooseThreadsHere } from "./wasm-threads.ts";

/** An instance of the runtime: a heap, and threads that compute in it, in addition to the calling thread. */
export interface WasmInstance {
  readonly module: OrtWasmModule;
  /** Includes the calling thread. */
  readonly threads: number;
  /** A sentence that says why only one thread computes although several could; otherwise "". */
  readonly threadNote: string;
  /** Ends the threads. The heap is freed with the last reference to the module, which must not be called any more. */
  close(): void;
}

export type ThreadsWanted = { readonly threads: number } | { readonly modelBytes: number };

let prepared: Promise<PlainRuntime> | null = null;

/**
 * Fetches and compiles the runtime once for all models of this thread. If it is called before a model's files are read, the
 * runtime compiles meanwhile. @throws Error if its file cannot be fetched or compiled; a later call tries again
 */
export function prepareWasmRuntime(): Promise<PlainRuntime> {
  prepared ??= timeStage("runtime", loadPlainRuntime).catch((error: unknown) => {
    prepared = null;
    throw error;
  });
  return prepared;
}

/**
 * A new instance of the runtime for one model: heap and threads end with the model, and a crash affects only this model. If
 * threads cannot start, the instance has one and says why.
 * @param wanted number of threads, or the size of the model for which it is chosen
 * @throws Error if the runtime's file cannot be fetched or compiled.
 */
export async function openWasmModule(wanted: ThreadsWanted): Promise<WasmInstance> {
  const { threads, note } =
    "threads" in wanted ? { ...wanted, note: "" } : chooseThreadsHere(wanted.modelBytes);
  const runtime = await prepareWasmRuntime();
  try {
    return await instantiate(runtime, threads, note);
  } catch (error) {
    if (!(error instanceof ThreadStartError)) throw error;
    return instantiate(
      runtime,
      1,
      `The model runs on one thread, because the other threads did not start: ${error.message}.`,
    );
  }
}

async function instantiate(
  runtime: PlainRuntime,
  threads: number,
  threadNote: string,
): Promise<WasmInstance> {
  const {
    made,
    close: endThreads,
    failed,
  } = recordThreads(() => recordMailboxWaits(() => runtime.create(threads)));
  made.catch(() => undefined);
  try {
    const { module, closeMailbox } = await Promise.race([made, failed]);
    disableBlockedAttention(module);
    checkStatusCode(module, module._OrtInit(threads, fatalLogLevel), "The runtime did not start");
    const close = (): void => {
      endThreads();
      void closeMailbox();
    };
    return { module, threads, threadNote, close };
  } catch (error) {
    endThreads();
    throw error;
  }
}
