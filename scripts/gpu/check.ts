/** `check`: what WebGPU offers on this machine, and which set of Chromium's switches gives it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { messageOf } from "../../src/base/message-of.ts";
import { chromiumArgs, type GpuSwitchSet, gpuSwitchSets } from "../chromium-switches.ts";
import { root } from "../install.mjs";
import { type AdapterRecord, adapterText, cardFault, readAdapter } from "./adapter-record.ts";
import { onEmptyPage } from "./read-adapter.ts";

/** Where `check` keeps the name of the set that worked, for `run`. */
const keptFile = join(root, ".cache/gpu-switches");
/** Milliseconds that Chromium has to start with a set of switches. */
const patience = 45_000;

/** The set of switches that `check` found, or undefined. */
export function keptSwitches(): string | undefined {
  try {
    return readFileSync(keptFile, "utf8").trim();
  } catch {
    return undefined;
  }
}

interface Computed {
  readonly limits: Readonly<Record<string, number>>;
  /** A shader's 3 × 2 + 1, in float16 where the adapter has it. */
  readonly result: number;
  readonly readbackMs: number;
  readonly dispatchUs: number;
  readonly errors: readonly string[];
}

/** Tries the sets in order until Chromium offers a card that computes. Answers the status of the command: 4 where there is none, 5 where it computes wrong. */
export async function check(log: (line: string) => void = console.log): Promise<number> {
  for (const name of Object.keys(gpuSwitchSets) as GpuSwitchSet[]) {
    const start = performance.now();
    const found = await attempt(name);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if ("fault" in found) {
      log(`${name}: ${found.fault} (${seconds} s)`);
      continue;
    }
    log(`${name}: ${adapterText(found.adapter)} (${seconds} s)`);
    mkdirSync(dirname(keptFile), { recursive: true });
    writeFileSync(keptFile, `${name}\n`);
    return tell(found.adapter, found.computed, log);
  }
  log("Chromium offers no graphics card. Set DEBUG=pw:browser before the command to see what Chromium says.");
  log("Where no driver is found: VK_DRIVER_FILES=/path/to/nvidia_icd.json before the command.");
  return 4;
}

function tell(adapter: AdapterRecord, computed: Computed, log: (line: string) => void): number {
  log(`adapter: ${JSON.stringify(adapter)}`);
  log(`limits: ${JSON.stringify(computed.limits)}`);
  log(
    `readback of 16 bytes ${computed.readbackMs.toFixed(2)} ms; a dispatch ${computed.dispatchUs.toFixed(1)} µs`,
  );
  for (const error of computed.errors) log(`error of the device: ${error}`);
  log(`a shader computed ${computed.result}; 7 is right`);
  return computed.result === 7 && computed.errors.length === 0 ? 0 : 5;
}

type Attempt = { readonly fault: string } | { readonly adapter: AdapterRecord; readonly computed: Computed };

async function attempt(name: GpuSwitchSet): Promise<Attempt> {
  try {
    const args = chromiumArgs("gpu", { ...process.env, MIDTOKEN_GPU_SWITCHES: name });
    return await onEmptyPage(
      args,
      async (page): Promise<Attempt> => {
        const adapter = await readAdapter(page);
        if (!adapter || cardFault(adapter)) return { fault: adapterText(adapter) };
        return { adapter, computed: await compute(page) };
      },
      patience,
    );
  } catch (error) {
    return { fault: messageOf(error).split("\n").slice(0, 3).join(" ") };
  }
}

/** Runs in the page: it can use nothing of this module. */
function compute(page: Page): Promise<Computed> {
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
    /** Median milliseconds of some dispatches and a readback of 16 bytes. */
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
