/** The parts that an engine gets from the thread on which it runs. */
import type { loadModel } from "../../engine/load/load-model.ts";
import type { EngineMessage } from "../shared/protocol.ts";

export interface EngineOptions {
  readonly loadModel: typeof loadModel;
  /** `transfer`: what of the message need not be copied. */
  readonly send: (message: EngineMessage, transfer?: Transferable[]) => void;
  /** Gives the event loop a turn, so that the messages which have arrived are received. */
  readonly turn: () => Promise<void>;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly date: () => number;
  /** Takes an error of Midtoken's own that could not be sent to the page. */
  readonly reportBug: (error: unknown) => void;
}
