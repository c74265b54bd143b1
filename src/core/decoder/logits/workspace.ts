/** Memory that is reused for the logits of each step of a request. */
import type { DeviceLogits } from "../ports/device-logits.ts";
import type { Sampler } from "./sampler.ts";

export interface LogitsWorkspace {
  readonly sampler: Sampler;
  /** Arrays for edited logits; each is free or in use for the current step. */
  readonly editBuffers: Float32Array[];
}

/** The same with GPU memory. */
export interface GpuWorkspace extends LogitsWorkspace {
  /** Edited logits on the GPU, released when the next step begins. */
  readonly editedLogits: DeviceLogits[];
}

/** Releases the edited logits of the last step. */
export function releaseEdited({ editedLogits }: GpuWorkspace): void {
  for (const logits of editedLogits.splice(0)) logits.release();
}
