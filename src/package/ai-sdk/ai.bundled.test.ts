/** Runs the cases of the AI SDK in Node with the bundled model. */
import { afterAll, beforeAll, test } from "vitest";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { createEngine } from "../api/create-engine.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { storyModel, storyReference, storySessionOptions } from "../api/testing/story-engine.ts";
import { aiSdkTestCases } from "./testing/ai-cases.ts";

let hub: ModelHub;
let engine: MidtokenEngine;

beforeAll(async () => {
  hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  engine = await createEngine({ model: storyReference(hub), device: "wasm", session: storySessionOptions });
});
afterAll(async () => {
  engine.dispose();
  await hub.close();
});

test.each(aiSdkTestCases.map(({ name, run }) => ({ name, run })))("$name", ({ run }) =>
  run(engine, storyModel),
);
