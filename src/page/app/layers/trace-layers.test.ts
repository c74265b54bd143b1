/** The saved layers, as a file has it, and back. */
import { expect, test } from "vitest";
import type { CachedReading } from "./reading-cache.ts";
import { toCachedReadings, toTraceLayers } from "./trace-layers.ts";

const reading = (index: number, isPlain: boolean, hidden: Float32Array | null): CachedReading => ({
  step: {
    index,
    isPlain,
    layers: [0, 1].map((layer) => ({
      layer,
      entropy: 1.5,
      top: [{ token: 3, text: " a", logprob: -0.5 }],
      token: { rank: 2, logprob: -3 },
    })),
  },
  hidden,
  hiddenSize: 2,
});

test("readings are the same after they went through the form of a file", () => {
  const kept = [
    reading(1, false, Float32Array.from([1, 2, 3, 4])),
    reading(1, true, null),
    reading(4, false, null),
  ];
  const layers = toTraceLayers(kept);
  expect(layers).toMatchObject({ layerCount: 2, hiddenSize: 2 });
  expect(layers?.steps[0]?.hidden).toEqual({ layers: [0, 1], numbers: [1, 2, 3, 4] });
  expect(layers && toCachedReadings(layers)).toEqual(kept);
});

test("where nothing is kept there is nothing to save", () => {
  expect(toTraceLayers([])).toBeNull();
});

test("a step of which a file has not every layer is left out", () => {
  const layers = toTraceLayers([reading(0, false, null), reading(1, false, null)]);
  const [first, second] = layers?.steps ?? [];
  if (!layers || !first || !second) throw new Error("no steps");
  const cut = { ...first, layers: first.layers.slice(1) };
  expect(toCachedReadings({ ...layers, steps: [cut, second] }).map(({ step }) => step.index)).toEqual([1]);
});
