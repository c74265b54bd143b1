/** Serves an engine over a port, or to the page that started this worker: messages in, messages out. */
import type { Transferred } from "../../../core/base/transferred.ts";
import { loadModel } from "../../engine/load/load-model.ts";
import { Engine } from "../engine-side/engine.ts";
import type { EngineOptions } from "../engine-side/engine-options.ts";
import type { EngineMessage, PageMessage } from "../shared/protocol.ts";
import { createYield } from "./yield-control.ts";

/** The channel between engine and session: a MessagePort, or the scope of a worker that was started for it. */
interface EnginePort {
  postMessage(message: EngineMessage, transfer: Transferred[]): void;
  addEventListener(type: "message", listener: (event: MessageEvent<PageMessage>) => void): void;
  addEventListener(type: "close", listener: () => void): void;
}

export type ServeEngineOptions = Partial<Pick<EngineOptions, "loadModel" | "turn" | "reportBug">>;

/**
 * Starts an engine: model, decode loop and recorder run in the calling thread. The owner of a port must start it. `turn`:
 * see `EngineOptions`; Node needs its own, because it reads all messages of one port before those of another.
 */
export function serveEngine(port: EnginePort, options: ServeEngineOptions = {}): Engine {
  const engine = new Engine({
    loadModel: options.loadModel ?? loadModel,
    send: (message, transfer = []) => port.postMessage(message, transfer),
    turn: options.turn ?? createYield(),
    now: () => performance.now(),
    date: () => Date.now(),
    // In a worker, `reportError` sends the page an error event. The page then ends the worker, so that a request fails
    // instead of waiting for ever.
    reportBug: options.reportBug ?? ((error) => reportError(error)),
  });
  port.addEventListener("message", ({ data }) => engine.receive(data));
  // If the other end is gone, the engine's work is useless.
  port.addEventListener("close", () => void engine.dispose());
  return engine;
}
