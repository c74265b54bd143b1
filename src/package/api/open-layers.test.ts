/** Layers through the engine as an app uses it, in Node with the bundled model. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { mod } from "../../core/sdk/mod.ts";
import { loadModel } from "../../runtime/engine/load/load-model.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { inProcessTransport } from "../../runtime/session/connection/in-process-transport.ts";
import { nextEventLoopTurn } from "../../runtime/session/testing/engine-thread.ts";
import { createEngine } from "./create-engine.ts";
import { storyModel, storyReference, storySessionOptions } from "./testing/story-engine.ts";

let hub: ModelHub;
beforeAll(async () => {
  hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
});
afterAll(() => hub.close());

const steering = mod({
  layers: [2],
  prefilled: (event, actions) =>
    actions.steer({ layer: 2, vector: new Float32Array(event.hiddenSize).fill(1), scale: 3 }),
});
const messages = [{ role: "user" as const, content: "Once upon a time" }];
const query = { tokens: [1, 403, 407, 261], places: [3], lens: { layers: [4], count: 1, tokens: [378] } };

test.each([
  ["when it is loaded", true, [true]],
  ["with the first request that asks", false, [false, true]],
])("opened %s, layers are steered and read", async (_, openLayers, expectedLoads) => {
  const loads: boolean[] = [];
  const ports = { turn: nextEventLoopTurn, now: () => performance.now(), date: () => 0 };
  const openTransport = () =>
    inProcessTransport({
      ...ports,
      loadModel(reference, device, options = {}) {
        loads.push(options.openLayers ?? false);
        return loadModel(reference, device, options);
      },
    });
  const session = { ...storySessionOptions, openTransport };
  const engine = await createEngine({ model: storyReference(hub), device: "wasm", session, openLayers });
  engine.mods.registerTrusted(steering, { name: "steering" });
  const answer = async (model: string) => {
    const asked = { model, messages, temperature: 0, max_tokens: 12 };
    const { choices } = await engine.chat.completions.create(asked);
    return choices[0]?.message.content;
  };
  const steered = await answer(`${storyModel}/steering`);
  expect(await answer(storyModel)).toBe(", there was a little girl named Lily. She");
  expect(steered).not.toBe(", there was a little girl named Lily. She");
  const openings: unknown[] = [];
  const onOpening = (opening: unknown) => openings.push(opening);
  const reading = await engine.readLayers(storyModel, query, { onOpening });
  expect(openings).toEqual([]);
  expect(loads).toEqual(expectedLoads);
  expect(reading).toMatchObject({
    layerCount: 5,
    hiddenSize: 64,
    places: [{ place: 3, hidden: null, lens: [{ layer: 4, token: { rank: 0 } }] }],
  });
  const wrong = engine.readLayers(storyModel, { ...query, places: [9] });
  await expect(wrong).rejects.toMatchObject({ name: "ApiError", status: 400 });
  await expect(engine.readLayers("none", query)).rejects.toMatchObject({ status: 404 });
  engine.dispose();
});
