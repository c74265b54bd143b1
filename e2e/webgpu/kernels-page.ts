/** Rows of logits on the GPU, for the spec beside it. */
import { deviceRowConformance } from "../../src/decoder/logits/device-logits.conformance.ts";
import { createDevice, requestAdapter } from "../../src/engine/device.ts";
import { GpuRows } from "../../src/engine/kernels/gpu-rows.ts";

async function openRows(vocabularySize: number, type: "float32" | "float16") {
  const adapter = await requestAdapter();
  if (typeof adapter === "string") throw new Error(adapter);
  const device = await createDevice(adapter, { subgroups: false });
  device.addEventListener("uncapturederror", ({ error }) => console.error(error.message));
  return { device, rows: new GpuRows({ device, vocabularySize, type, guard: (work) => work }) };
}

const kernels = {
  /** Name and failure of each check; the failure is null where it passed. */
  async conformance(vocabularySize: number) {
    const { device, rows } = await openRows(vocabularySize, "float32");
    const results: { name: string; failure: string | null; ms: number }[] = [];
    for (const { name, run } of deviceRowConformance((row, t) => rows.upload(row, t), vocabularySize)) {
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
          ...{ temperature: 1, largest: 9, least: -54, topK: 0, topP: 1, leastKept: -54 },
          draw: 0.3 + i / 1000,
        }),
      "draw with top-p": (i: number) =>
        row.drawToken({
          ...{ temperature: 1, largest: 9, least: -54, topK: 0, topP: 0.9, leastKept: -54 },
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
