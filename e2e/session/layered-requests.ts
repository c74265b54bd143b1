/** Requests whose mods read and steer layers, through the page's whole session: opened on demand, on either device. */
import { expect, type Page } from "@playwright/test";
import type { DevicePreference } from "../../src/runtime/session/shared/protocol.ts";

const story = ", there was a little girl named Lily. She loved";

const reads = `import { mod } from "midtoken/mod";
export default mod({ layers: [2], lens: [4], forwardPass(event, actions) {
  const [topToken] = event.topK(1);
  const [last] = event.lens(4, 1);
  const isRight = event.hiddenState(2).length === 64 && last.token === topToken.token;
  return isRight ? actions.noop() : actions.error("layer 4 says " + last.text + " and the model " + topToken.text);
} });`;
const steers = `import { mod } from "midtoken/mod";
export default mod({ layers: [2], prefilled(event, actions) {
  return actions.steer({ layer: 2, vector: new Float32Array(event.hiddenSize).fill(1), scale: 3 });
} });`;

/** Beside software WebGPU, which takes all cores, an honest mod may get too little time. */
const deadlines = { load: 120_000, prefilled: 120_000, event: 120_000 };

export async function layeredRequests(page: Page, device: DevicePreference): Promise<void> {
  const run = (sources: readonly string[]) =>
    page.evaluate(([mods, more]) => window.midtoken.run(mods, { maxTokens: 14, deadlines: more }), [
      sources.map((source, i) => ({ name: `mod-${i + 1}`, source })),
      deadlines,
    ] as const);
  const model = await page.evaluate((wanted) => window.midtoken.load(wanted), device);
  expect(model.device).toBe(device);
  expect(await run([])).toMatchObject({ text: story, openings: 0 });
  const read = await run([reads]);
  expect(read).toMatchObject({ failure: null, error: null, text: story, openings: 1 });
  expect(read.records[0]).toMatchObject({ model: { device, layers: { layerCount: 5, hiddenSize: 64 } } });
  const steered = await run([steers]);
  expect(steered).toMatchObject({ failure: null, error: null, openings: 0 });
  expect(steered.text).not.toBe(story);
  expect(await run([])).toMatchObject({ text: story, openings: 0 });
  const query = {
    tokens: [1, 403, 407, 261, 378],
    places: [1, 4],
    hidden: [0, 4],
    lens: { layers: "all", count: 3, tokens: [407, null] },
  } as const;
  const reading = await page.evaluate((asked) => window.midtoken.readLayers(asked), query);
  expect(reading).toMatchObject({
    layerCount: 5,
    hiddenSize: 64,
    places: [
      { place: 1, hidden: 128, tops: [3, 3, 3, 3, 3] },
      { place: 4, hidden: 128, tops: [3, 3, 3, 3, 3], ranks: [null, null, null, null, null] },
    ],
  });
  expect(reading.places[0]?.ranks.every((rank) => Number.isInteger(rank))).toBe(true);
}
