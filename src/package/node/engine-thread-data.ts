/** The start data of the engine's thread, and its additional messages. Types only. */
import type { MessagePort } from "node:worker_threads";
import type { HubAccess } from "../../core/base/hub-token.ts";
import type { NodeRuntimeAddresses } from "../../runtime/engine/ort/runtime-parts.ts";
import type { RemoteAccess } from "../../runtime/remote/connection.ts";
import type { UpstreamCounts } from "../../runtime/remote/upstream-meter.ts";

export interface EngineThreadData {
  /** The folder for downloaded models; null for none. */
  readonly cacheFolder: string | null;
  /** Access token for gated and private models of the hub. */
  readonly hubAccess: HubAccess | null;
  /** The server that runs the model, with its key; null if models run in this process. */
  readonly remote: RemoteAccess | null;
  readonly runtime: NodeRuntimeAddresses;
  /** Answers any message with a `WasmCompileReply`. */
  readonly compiler: MessagePort;
}

/** The WebAssembly build of ONNX Runtime, compiled by the process that started the thread. */
export type WasmCompileReply =
  | { readonly type: "compiled"; readonly module: WebAssembly.Module }
  | { readonly type: "failed"; readonly message: string };

/** A notice for the user about a problem that made nothing fail, or the counts of requests to model servers. */
export type ThreadNotice =
  | { readonly type: "notice"; readonly notice: string }
  | { readonly type: "upstream"; readonly counts: UpstreamCounts };
