/** The start data of the engine's thread, and its messages beside the engine's. Types only. */
import type { MessagePort } from "node:worker_threads";
import type { HubAccess } from "../../core/base/hub-token.ts";
import type { ThreadRuntime } from "../../runtime/engine/ort/runtime-parts.ts";
import type { RemoteAccess } from "../../runtime/remote/connection.ts";
import type { UpstreamCounts } from "../../runtime/remote/upstream-meter.ts";

export interface EngineThreadData {
  /** Where downloaded models are kept; null: nowhere. */
  readonly cacheFolder: string | null;
  /** For gated and private models of the hub. */
  readonly hubAccess: HubAccess | null;
  /** The server that runs the model, with its key; null: models run in this process. */
  readonly remote: RemoteAccess | null;
  readonly runtime: ThreadRuntime;
  /** Answers any message with a `CompiledReply`. */
  readonly compiler: MessagePort;
}

/** The WebAssembly build of ONNX Runtime, compiled by the process that started the thread. */
export type CompiledReply =
  | { readonly type: "compiled"; readonly module: WebAssembly.Module }
  | { readonly type: "failed"; readonly message: string };

/** Something that the user should know and that failed nothing, or what the servers have done so far. */
export type ThreadNotice =
  | { readonly type: "notice"; readonly notice: string }
  | { readonly type: "upstream"; readonly counts: UpstreamCounts };
