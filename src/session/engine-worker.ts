/** The engine's worker: connects `Engine` to the page's messages. Model, mods, decode loop and recorder all run here. */
import { loadModel } from "../engine/load-model.ts";
import { Engine } from "./engine.ts";
import type { EngineMessage, PageMessage } from "./protocol.ts";
import { createYield } from "./yield-control.ts";

const engine = new Engine({
  loadModel,
  send: (message: EngineMessage) => postMessage(message),
  turn: createYield(),
  now: () => performance.now(),
  date: () => Date.now(),
  // `reportError` reaches the page as an error event of this worker, which ends the worker: a request then fails instead of
  // waiting for ever.
  reportBug: (error) => reportError(error),
});

addEventListener("message", ({ data }: MessageEvent<PageMessage>) => engine.receive(data));
