/** Converts the saved layers of a run to the format of its file, and back. Pure. */
import type { TraceLayers, TraceLayersStep } from "../../../core/trace/format/format-layers.ts";
import type { CachedReading } from "./reading-cache.ts";

/** Null if the readings have no layer. */
export function toTraceLayers(readings: readonly CachedReading[]): TraceLayers | null {
  const layerCount = Math.max(0, ...readings.map(({ step }) => step.layers.length));
  const [first] = readings;
  if (!first || layerCount === 0) return null;
  return {
    layerCount,
    hiddenSize: first.hiddenSize,
    steps: readings.map(
      ({ step, hidden }): TraceLayersStep => ({
        ...step,
        hidden: hidden && { layers: step.layers.map(({ layer }) => layer), numbers: Array.from(hidden) },
      }),
    ),
  };
}

/** Reads the layers that a file has. Leaves out steps for which the file lacks a layer. */
export function toCachedReadings({ layerCount, hiddenSize, steps }: TraceLayers): readonly CachedReading[] {
  return steps
    .filter(({ layers }) => layers.length === layerCount)
    .map(({ hidden, ...step }) => ({
      step,
      hidden: hidden && Float32Array.from(hidden.numbers),
      hiddenSize,
    }));
}
