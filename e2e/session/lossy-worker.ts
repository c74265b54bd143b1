/**
 * The engine's worker, with faults on demand: told so, it destroys the WebGPU devices that were made in it, breaks, or has a
 * browser that gives no more memory. Devices and workers really break; memory is refused at the calls where a browser refuses it.
 */
import { refuseMemory } from "./refuse-memory.ts";

const devices: GPUDevice[] = [];
const { requestDevice } = GPUAdapter.prototype;
GPUAdapter.prototype.requestDevice = async function (this: GPUAdapter, descriptor?: GPUDeviceDescriptor) {
  const device = await requestDevice.call(this, descriptor);
  devices.push(device);
  return device;
};
addEventListener("message", ({ data }: MessageEvent<unknown>) => {
  if (data === "collect garbage") (globalThis as { gc?: () => void }).gc?.();
  refuseMemory(String(data), devices);
  if (data === "break") throw new Error("The worker was told to break.");
  if (data !== "destroy devices") return;
  for (const device of devices.splice(0)) device.destroy();
});
await import("../../src/runtime/session/connection/engine-worker.ts");
// Messages that came before the engine listened were kept by the page (session-page.ts) until this one.
postMessage("awake");
