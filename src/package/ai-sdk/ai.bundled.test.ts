/** Runs the cases of the AI SDK in Node with the bundled model. */
import { afterAll, beforeAll, test } from "vitest";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { createEngine } from "../api/create-engine.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { storyModel, storyReference, storySession } from "../api/testing/story-engine.ts";
import { aiCases } from "./testing/ai-cases.ts";

let hub: ModelHub;
let engine: MidtokenEngine;

beforeAll(async () => {
  hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  engine = await createEngine({ model: storyReference(hub), device: "wasm", session: storySession });
});
afterAll(async () => {
  engine.dispose();
  await hub.close();
});

test.each(aiCases.map(({ name, run }) => ({ name, run })))("$name", ({ run }) => run(engine, storyModel));
