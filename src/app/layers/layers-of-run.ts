/** What is kept of the layers of the shown run, as a file has it. */
import type { TraceLayers, TraceLayersStep } from "../../trace/format-layers.ts";
import type { Stores } from "../store/stores.ts";
import { layersReader } from "./layers-store.ts";
import type { KeptReading } from "./reading-cache.ts";

/** Null where nothing is kept. */
export function layersOfRun(stores: Stores): TraceLayers | null {
  return traceLayers(layersReader(stores).all);
}

export function traceLayers(readings: readonly KeptReading[]): TraceLayers | null {
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

/** The other way round: what a file brought. */
export function readingsOf({ hiddenSize, steps }: TraceLayers): readonly KeptReading[] {
  return steps.map(({ hidden, ...step }) => ({
    step,
    hidden: hidden && Float32Array.from(hidden.numbers),
    hiddenSize,
  }));
}
