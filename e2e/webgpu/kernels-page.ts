/** Rows of logits on the GPU, for the spec beside it. */
import {
  deviceLogitsConformance,
  type UploadLogits,
} from "../../src/core/decoder/logits/device-logits.conformance.ts";
import type { FloatType } from "../../src/runtime/engine/base/float-type.ts";
import { float32ToFloat16 } from "../../src/runtime/engine/base/float16-arrays.ts";
import { createGpuDevice, requestAdapter } from "../../src/runtime/engine/choose/device.ts";
import { GpuLogitsSource } from "../../src/runtime/engine/kernels/gpu-logits-source.ts";

async function openRows(vocabularySize: number, type: FloatType) {
  const adapter = await requestAdapter();
  if (typeof adapter === "string") throw new Error(adapter);
  const device = await createGpuDevice(adapter, { subgroups: false });
  device.addEventListener("uncapturederror", ({ error }) => console.error(error.message));
  return { device, rows: new GpuLogitsSource({ device, vocabularySize, type, guard: (work) => work }) };
}

/** Logits in float16, as a graph leaves them on the device. */
async function uploadHalves(
  device: GPUDevice,
  rows: GpuLogitsSource,
  logits: Float32Array,
  temperature: number,
) {
  const buffer = rows.takeBuffer();
  const halves = float32ToFloat16(logits);
  // A write is a multiple of 4 bytes.
  const bytes = new Uint8Array(Math.ceil(halves.byteLength / 4) * 4);
  bytes.set(new Uint8Array(halves.buffer));
  device.queue.writeBuffer(buffer, 0, bytes);
  const { row } = await (await rows.beginRow(buffer, temperature)).result;
  return row;
}

const kernels = {
  async hasFloat16() {
    const adapter = await requestAdapter();
    return typeof adapter !== "string" && adapter.features.has("shader-f16");
  },

  /** Name and failure of each check; the failure is null if it passed. */
  async conformance(vocabularySize: number, type: FloatType) {
    const { device, rows } = await openRows(vocabularySize, type);
    await rows.prepare();
    const results: { name: string; failure: string | null; ms: number }[] = [];
    const upload: UploadLogits = (row, temperature) =>
      type === "float32" ? rows.upload(row, temperature) : uploadHalves(device, rows, row, temperature);
    for (const { name, run } of deviceLogitsConformance(upload, vocabularySize, type === "float16")) {
      const start = performance.now();
      const failure = await run().then(
        () => null,
        (error: unknown) => String(error),
      );
      results.push({ name, failure, ms: performance.now() - start });
    }
    rows.free();
    device.destroy();
    return results;
  },

  /** Milliseconds of what rows are asked, warm. */
  async times(vocabularySize: number) {
    const { device, rows } = await openRows(vocabularySize, "float32");
    const logits = Float32Array.from({ length: vocabularySize }, (_, i) => Math.sin(i * 12.9898) * 9);
    const row = await rows.upload(logits, 1);
    if (row instanceof Float32Array) throw new Error("no summary");
    const times: Record<string, number> = {};
    for (const [name, work] of Object.entries({
      draw: (i: number) =>
        row.drawToken({
          temperature: 1,
          largest: 9,
          least: -54,
          topK: 0,
          topP: 1,
          leastKept: -54,
          draw: 0.3 + i / 1000,
        }),
      "draw with top-p": (i: number) =>
        row.drawToken({
          temperature: 1,
          largest: 9,
          least: -54,
          topK: 0,
          topP: 0.9,
          leastKept: -54,
          draw: 0.3 + i / 1000,
        }),
      read: () => row.read(),
      gather: () => row.gather([1, 2, 3]),
    })) {
      for (let i = 0; i < 3; i++) await work(-i);
      const start = performance.now();
      for (let i = 0; i < 10; i++) await work(i);
      times[name] = (performance.now() - start) / 10;
    }
    device.destroy();
    return times;
  },
};

export type KernelsPage = typeof kernels;
Object.assign(window, { kernels });
