/** A browser that gives no more memory: its calls answer as they do when there is none. For the worker of the session's tests. */

/** The kinds of memory that are refused from now on. */
const refused = { heap: false, graphics: false, arrays: false };

const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (this: WebAssembly.Memory, pages: number) {
  if (refused.heap) throw new RangeError("WebAssembly.Memory.grow(): Maximum memory size exceeded");
  return grow.call(this, pages);
};

const { slice } = Float32Array.prototype;
Float32Array.prototype.slice = function (this: Float32Array, start?: number, end?: number) {
  if (refused.arrays) throw new RangeError("Array buffer allocation failed");
  return slice.call(this, start, end);
} as typeof slice;

if (globalThis.GPUDevice) {
  const filters = new WeakMap<GPUDevice, GPUErrorFilter[]>();
  const { pushErrorScope, popErrorScope } = GPUDevice.prototype;
  GPUDevice.prototype.pushErrorScope = function (this: GPUDevice, filter: GPUErrorFilter) {
    filters.set(this, [...(filters.get(this) ?? []), filter]);
    return pushErrorScope.call(this, filter);
  };
  GPUDevice.prototype.popErrorScope = async function (this: GPUDevice) {
    const filter = filters.get(this)?.pop();
    const error = await popErrorScope.call(this);
    if (refused.graphics && filter === "out-of-memory")
      return new GPUOutOfMemoryError("Not enough memory left.");
    return error;
  };
}

/** "no heap", "no graphics", "no arrays" until "memory back"; "graphics full": a buffer that nobody asked about had no room. */
export function refuseMemory(word: string, devices: readonly GPUDevice[]): void {
  if (word === "no heap") refused.heap = true;
  if (word === "no graphics") refused.graphics = true;
  if (word === "no arrays") refused.arrays = true;
  if (word === "memory back") Object.assign(refused, { heap: false, graphics: false, arrays: false });
  if (word !== "graphics full") return;
  const error = new GPUOutOfMemoryError("Not enough memory left.");
  for (const device of devices)
    device.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error }));
}
