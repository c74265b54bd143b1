/** The worker in which engine and loop live. Everything meets here: model, mods, decoder, recorder. */
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
  // Reaches the page as an error of this worker, which ends it: better than a request that waits for ever.
  reportBug: (error) => reportError(error),
});

addEventListener("message", ({ data }: MessageEvent<PageMessage>) => engine.receive(data));
