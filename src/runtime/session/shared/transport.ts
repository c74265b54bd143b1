/** The connection between a session and its engine. Types only. */
import type { Transferred } from "../../../core/base/transferred.ts";
import type { EngineMessage, PageMessage } from "./protocol.ts";

/** Messages arrive in order and exactly once, or the connection ends. Nothing arrives after `close`. */
export interface EngineTransport {
  /** Set directly after the connection is opened, before the first `post`. */
  onMessage: ((message: EngineMessage) => void) | null;
  /** Called when the engine is gone, with a reason for use in a sentence: "its worker could not be started". */
  onEnd: ((why: string) => void) | null;
  post(message: PageMessage, transfer: Transferred[]): void;
  /** Closes the connection. If the engine belongs to this connection only, ends the engine with all its work. */
  close(): void;
}
