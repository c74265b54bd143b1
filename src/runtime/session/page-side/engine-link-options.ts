/** The options of a link to an engine, and its callbacks. */
import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { TokenizerText } from "../../sandbox/protocol.ts";
import type { LayersOpening } from "../shared/loading.ts";
import type { EngineMemory } from "../shared/memory-budget.ts";
import type { EngineMessage } from "../shared/protocol.ts";
import type { EngineTransport } from "../shared/transport.ts";

/** Messages about requests, which the link passes on, and `lost`: the worker hung in the request, and was ended. */
export type RunEvent =
  | { readonly type: "opening"; readonly requestId: string; readonly opening: LayersOpening | null }
  | Extract<EngineMessage, { type: "records" | "paused" | "caughtUp" | "verified" | "killMod" | "runFailed" }>
  | { readonly type: "lost"; readonly requestId: string; readonly error: Error };

export interface EngineLinkOptions {
  readonly openTransport: () => EngineTransport;
  /** Milliseconds that cancelled work may keep the worker from answering, before another worker takes its place. */
  readonly cancelGraceMs: number;
  /** Milliseconds that the worker may take for a prompt; twice as many for the tokenizer of a model that it loads. */
  readonly promptDeadlineMs: number;
  /** Bytes; see SessionOptions. Absent: as the engine has it. */
  readonly memoryBudget?: number | undefined;
  /** Absent: none. */
  readonly hubAccess?: HubAccess | null | undefined;
  onRunEvent(event: RunEvent): void;
  onTokenizer(tokenizer: TokenizerText): void;
  /** Called when the loaded model is gone. `restoreModel` loads the model again before the next request. */
  onModelGone(): void;
  /** Called when what the engine's models take has changed; null: the engine is gone, and they with it. */
  onMemory(memory: EngineMemory | null): void;
  /** Called with a sentence about a model that goes on. */
  onNotice(notice: string): void;
  /** Called when the worker has ended, and with it every request that was posted to it. `isReplaced`: another took its place. */
  onWorkerGone(error: Error, isReplaced: boolean): void;
}
