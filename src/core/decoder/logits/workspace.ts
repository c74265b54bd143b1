/** Memory that the logits of a request share, one step after the other. */
import type { DeviceLogits } from "../ports/device-logits.ts";
import type { Sampler } from "./sampler.ts";

export interface LogitsWorkspace {
  readonly sampler: Sampler;
  /** Arrays for edited logits: in use for the current step, or free. */
  readonly editBuffers: Float32Array[];
}

/** The same with GPU memory. */
export interface GpuWorkspace extends LogitsWorkspace {
  /** Edited logits, which are given back when the next step begins. */
  readonly editedLogits: DeviceLogits[];
}

/** Gives back the logits that mods edited: their step is over. */
export function releaseEdited({ editedLogits }: GpuWorkspace): void {
  for (const logits of editedLogits.splice(0)) logits.release();
}
