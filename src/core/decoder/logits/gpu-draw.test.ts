/** Draws and cut-offs at the very borders between tokens, where sums in float32 do not say which token it is. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultSampling, type SamplingSettings } from "../../sdk/request.ts";
import { createSimulatedDevice, uploadLogitsTo } from "../testing/computed-logits.ts";
import { drawFromDeviceLogits } from "./gpu-draw.ts";
import { createSampler } from "./sampler.ts";

const rows = fc
  .array(fc.float({ min: -4, max: 4, noNaN: true }), { minLength: 90, maxLength: 200 })
  .map((logits) => Float32Array.from(logits));
/** As a share of the whole row: nearer to a border than the device's sums are exact (4e-9) or than those of the summary are (8e-6), or a little farther. */
const nearness = fc.constantFrom(-1e-4, -4e-6, -3e-8, -2e-9, -1e-10, 1e-10, 2e-9, 3e-8, 4e-6, 1e-4);

async function compare(row: Float32Array, settings: SamplingSettings, draw: number): Promise<boolean> {
  const device = createSimulatedDevice({ fewest: 16, most: 200, pieceTokens: 32 });
  const there = uploadLogitsTo(device, row, settings.temperature);
  if (there instanceof Float32Array) return false;
  const drawn = await drawFromDeviceLogits(there, settings, draw);
  const sampled = createSampler(row.length).sample(row, settings, { tokens: [], promptLength: 0 }, draw);
  if (drawn === null) return false;
  expect([drawn.token, drawn.candidates]).toEqual([sampled.token, sampled.candidates]);
  return true;
}

test("near a border the row is read, or the token is the sampler's", async () => {
  let drawn = 0;
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(), nearness, async (row, place, off) => {
      const weights = Array.from(row, (logit) => Math.exp(logit));
      const mass = weights.reduce((sum, weight) => sum + weight, 0);
      const below = weights.slice(0, place % row.length).reduce((sum, weight) => sum + weight, 0);
      const draw = Math.min(1 - 1e-9, Math.max(0, below / mass + off));
      if (await compare(row, { ...defaultSampling, temperature: 1 }, draw)) drawn += 1;
    }),
    { numRuns: 400 },
  );
  expect(drawn).toBeGreaterThan(50);
});

test("where top-p ends between two tokens the row is read, or as many are left as the sampler leaves", async () => {
  let drawn = 0;
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 15 }), nearness, async (row, count, off) => {
      const weights = Array.from(row, (logit) => Math.exp(logit)).sort((a, b) => b - a);
      const mass = weights.reduce((sum, weight) => sum + weight, 0);
      const kept = weights.slice(0, count).reduce((sum, weight) => sum + weight, 0);
      const topP = kept / mass + off;
      if (await compare(row, { ...defaultSampling, temperature: 1, topP }, 0.6)) drawn += 1;
    }),
    { numRuns: 400 },
  );
  expect(drawn).toBeGreaterThan(50);
});
