/** Runs a shader on the page's adapter: checks the result, and measures a dispatch and a readback. */
import type { Page } from "playwright-core";

export interface ShaderCheckResult {
  readonly limits: Readonly<Record<string, number>>;
  /** The result of 3 × 2 + 1 on the shader, in float16 if the adapter has it. */
  readonly result: number;
  readonly readbackMs: number;
  readonly dispatchUs: number;
  readonly errors: readonly string[];
}

/** The code for the page is sent as text, so it uses nothing of this module. */
export function checkShader(page: Page): Promise<ShaderCheckResult> {
  return page.evaluate(async () => {
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) throw new Error("The adapter is gone.");
    const half = adapter.features.has("shader-f16");
    const device = await adapter.requestDevice({ requiredFeatures: half ? ["shader-f16"] : [] });
    const errors: string[] = [];
    device.addEventListener("uncapturederror", (event) => errors.push(event.error.message));
    const type = half ? "f16" : "f32";
    const code = `${half ? "enable f16;\n" : ""}@group(0) @binding(0) var<storage, read_write> data: array<f32>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        data[id.x] = f32(${type}(data[id.x]) * ${type}(2) + ${type}(1));
      }`;
    const pipeline = await device.createComputePipelineAsync({
      layout: "auto",
      compute: { module: device.createShaderModule({ code }) },
    });
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const buffer = device.createBuffer({ size: 65_536, usage: STORAGE | COPY_SRC | COPY_DST });
    const target = device.createBuffer({ size: 16, usage: MAP_READ | COPY_DST });
    const entries = [{ binding: 0, resource: { buffer } }];
    const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    device.queue.writeBuffer(buffer, 0, new Float32Array(16_384).fill(3));
    let first = Number.NaN;
    /** Median time of some dispatches and a readback of 16 bytes, in milliseconds. */
    const timed = { ms: Number.NaN, manyMs: Number.NaN, readMs: Number.NaN };
    for (const [key, dispatches, rounds] of [
      ["ms", 1, 40],
      ["manyMs", 401, 20],
      ["readMs", 0, 80],
    ] as const) {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const start = performance.now();
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        for (let i = 0; i < dispatches; i++) pass.dispatchWorkgroups(256);
        pass.end();
        encoder.copyBufferToBuffer(buffer, 0, target, 0, 16);
        device.queue.submit([encoder.finish()]);
        await target.mapAsync(GPUMapMode.READ);
        const [value = Number.NaN] = new Float32Array(target.getMappedRange());
        if (Number.isNaN(first)) first = value;
        target.unmap();
        times.push(performance.now() - start);
      }
      times.sort((a, b) => a - b);
      timed[key] = times[times.length >> 1] ?? Number.NaN;
    }
    const { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize } = adapter.limits;
    return {
      limits: { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupStorageSize },
      result: first,
      readbackMs: timed.readMs,
      dispatchUs: ((timed.manyMs - timed.ms) / 400) * 1000,
      errors,
    };
  });
}
