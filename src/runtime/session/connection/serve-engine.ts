/** An engine at the other end of a port or of the page that started this worker: messages in, messages out. */
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
 * Model, mods, decode loop and recorder all run where this is called. A port has to be started by its owner. `turn` as in
 * `EngineOptions`: Node needs its own, because it reads all messages of a port before it looks at another port.
 */
export function serveEngine(port: EnginePort, options: ServeEngineOptions = {}): Engine {
  const engine = new Engine({
    loadModel: options.loadModel ?? loadModel,
    send: (message, transfer = []) => port.postMessage(message, transfer),
    turn: options.turn ?? createYield(),
    now: () => performance.now(),
    date: () => Date.now(),
    // In a worker `reportError` reaches the page as an error event, which ends the worker: a request then fails instead of
    // waiting for ever.
    reportBug: options.reportBug ?? ((error) => reportError(error)),
  });
  port.addEventListener("message", ({ data }) => engine.receive(data));
  // If nobody is left to hear the engine, its work ends.
  port.addEventListener("close", () => void engine.dispose());
  return engine;
}
