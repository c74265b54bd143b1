/**
 * Starts an engine in its own thread, so that a graph, a chat template or a tokenizer that never ends can be ended with the
 * thread.
 */
import { engineThread } from "virtual:node-engine";
import type { HubAccess } from "../../core/base/hub-token.ts";
import type { RemoteAccess } from "../../runtime/remote/connection.ts";
import type { UpstreamCounts } from "../../runtime/remote/upstream-meter.ts";
import type { EngineMessage, PageMessage } from "../../runtime/session/shared/protocol.ts";
import type { EngineTransport } from "../../runtime/session/shared/transport.ts";
import { wasmModulePort } from "./compiler-port.ts";
import type { EngineThreadData, ThreadNotice } from "./engine-thread-data.ts";
import { PendingThreadWork } from "./open-work.ts";
import { engineThreadRuntimeAddresses } from "./runtime-files.ts";
import { startThread } from "./threads.ts";

export interface EngineThreadOptions {
  readonly cacheFolder: string | null;
  readonly hubAccess: HubAccess | null;
  readonly remote: RemoteAccess | null;
  readonly onNotice: (notice: string) => void;
  readonly onUpstream: (counts: UpstreamCounts) => void;
  /** The most megabytes of JavaScript objects in the thread; `longestHeap` by default. */
  readonly heapMb?: number;
}

/** The most megabytes of JavaScript objects in a thread: a tokenizer of 250,000 tokens needs about 200. Weights do not count. */
const longestHeap = 2048;

export function openEngineThread({
  onNotice,
  onUpstream,
  heapMb = longestHeap,
  ...data
}: EngineThreadOptions): EngineTransport {
  const runtime = engineThreadRuntimeAddresses();
  const compiler = wasmModulePort(runtime.wasm);
  const workerData: EngineThreadData = { ...data, runtime, compiler };
  const thread = startThread(engineThread, {
    workerData,
    transferList: [compiler],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  const work = new PendingThreadWork(thread);
  let isOpen = true;
  const end = (why: string): void => {
    if (!isOpen) return;
    isOpen = false;
    work.clear();
    transport.onEnd?.(why);
  };
  const transport: EngineTransport = {
    onMessage: null,
    onEnd: null,
    post(message: PageMessage, transfer) {
      if (!isOpen) return;
      work.ask(message);
      thread.postMessage(message, transfer as never);
    },
    close() {
      isOpen = false;
      work.clear();
      void thread.terminate();
    },
  };
  const hear = (message: EngineMessage | ThreadNotice): void => {
    if (!isOpen) return;
    if (message.type === "notice") onNotice(message.notice);
    else if (message.type === "upstream") onUpstream(message.counts);
    else {
      work.hear(message);
      transport.onMessage?.(message);
    }
  };
  // `createRecordBatcher` sends several messages as one.
  thread.on("message", (message: EngineMessage | ThreadNotice | readonly EngineMessage[]) => {
    for (const each of [message].flat()) hear(each);
  });
  thread.on("error", (error: NodeJS.ErrnoException) => end(whyOf(error, heapMb)));
  thread.on("exit", () => end("its thread ended"));
  return transport;
}

function whyOf({ code, message }: NodeJS.ErrnoException, heapMb: number): string {
  if (code !== "ERR_WORKER_OUT_OF_MEMORY") return message;
  return `its thread took more than ${heapMb} MB of memory, not counting the model's weights`;
}
