/** The worker in which engine and loop live. Everything meets here: model, mods, decoder, recorder. */
import { loadModel } from "../engine/load-model.ts";
import { Engine } from "./engine.ts";
import type { EngineMessage, PageMessage } from "./protocol.ts";

const engine = new Engine({
  loadModel,
  send: (message: EngineMessage) => postMessage(message),
  now: () => performance.now(),
  date: () => Date.now(),
});

addEventListener("message", ({ data }: MessageEvent<PageMessage>) => engine.receive(data));
