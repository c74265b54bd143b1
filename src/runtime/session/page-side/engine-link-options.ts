/** The options of a link to an engine, and its callbacks. */
import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { SerializedTokenizer } from "../../sandbox/protocol.ts";
import type { LayersOpening } from "../shared/loading.ts";
import type { EngineMemory } from "../shared/memory-budget.ts";
import type { EngineMessage } from "../shared/protocol.ts";
import type { EngineTransport } from "../shared/transport.ts";

/** Messages about requests that the link passes on. `lost`: the worker hung in the request and was ended. */
export type RunEvent =
  | { readonly type: "opening"; readonly requestId: string; readonly opening: LayersOpening | null }
  | Extract<EngineMessage, { type: "records" | "paused" | "caughtUp" | "verified" | "killMod" | "runFailed" }>
  | { readonly type: "lost"; readonly requestId: string; readonly error: Error };

export interface EngineLinkOptions {
  readonly openTransport: () => EngineTransport;
  /** Milliseconds after a cancel for which the worker may stay unresponsive before a new worker replaces it. */
  readonly cancelGraceMs: number;
  /** Milliseconds that the worker may need for a prompt. The tokenizer of a model that it loads may take twice as long. */
  readonly promptDeadlineMs: number;
  /** Bytes; see SessionOptions. By default the engine chooses. */
  readonly memoryBudget?: number | undefined;
  /** By default none. */
  readonly hubAccess?: HubAccess | null | undefined;
  onRunEvent(event: RunEvent): void;
  onTokenizer(tokenizer: SerializedTokenizer): void;
  /** Called when the loaded model is gone. `restoreModel` loads the model again before the next request. */
  onModelGone(): void;
  /** Called when the memory of the engine's models changes; null if the engine has ended. */
  onMemory(memory: EngineMemory | null): void;
  /** Called with a sentence about a model that continues to run. */
  onNotice(notice: string): void;
  /** Called when the worker has ended, and with it all requests sent to it. `isReplaced`: a new worker has started. */
  onWorkerGone(error: Error, isReplaced: boolean): void;
}
