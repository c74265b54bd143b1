/** The device that the engine tries first on this adapter: for pages that open a model without the engine's choice of a device. */
import { createGpuDevice, hasWideSubgroups, requestAdapter } from "../../src/runtime/engine/choose/device.ts";

/** @throws Error with the reason if the browser has no adapter. */
export async function createOurDevice(): Promise<GPUDevice> {
  const adapter = await requestAdapter();
  if (typeof adapter === "string") throw new Error(adapter);
  return createGpuDevice(adapter, { subgroups: hasWideSubgroups(adapter) });
}
