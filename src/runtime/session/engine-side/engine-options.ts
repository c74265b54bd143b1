/** Functions that the engine gets from the thread on which it runs. */
import type { loadModel } from "../../engine/load/load-model.ts";
import type { SendToPage } from "../shared/protocol.ts";

export interface EngineOptions {
  readonly loadModel: typeof loadModel;
  readonly send: SendToPage;
  /** Lets the event loop run once, so that messages which have arrived are received. */
  readonly turn: () => Promise<void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  /** Reports an internal error that could not be sent to the page. */
  readonly reportBug: (error: unknown) => void;
}
