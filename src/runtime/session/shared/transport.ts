/** The line between a session and the engine that answers it. Types only. */
import type { Transferred } from "../../../core/base/transferred.ts";
import type { EngineMessage, PageMessage } from "./protocol.ts";

/** Messages arrive in their order, each once, or the line ends. Nothing arrives after `close`. */
export interface EngineTransport {
  /** Set directly after the connection was opened, before anything is posted. */
  onMessage: ((message: EngineMessage) => void) | null;
  /** The engine is gone, for a reason that goes into a sentence: "its worker could not be started". */
  onEnd: ((why: string) => void) | null;
  post(message: PageMessage, transfer: Transferred[]): void;
  /** Ends the engine with all its work, where the line has it for itself. */
  close(): void;
}
