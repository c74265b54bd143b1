import { expect, test } from "vitest";
import type { DevicePreference } from "../../engine/base/model-reference.ts";
import type { DeviceMetadata } from "../../engine/choose/choose-weights.ts";
import type { ModelSource } from "../../engine/files/model-source.ts";
import { forecastRun, type RunForecast } from "./can-run.ts";

const gpu = {
  name: "x1",
  float16: true,
  isSoftware: false,
  maxBufferBytes: 2 ** 32,
  maxBindingBytes: 2 ** 32,
};
const devices = {
  "a GPU": { webgpu: gpu, withoutWebGpu: "", memoryBytes: null },
  "no GPU": { webgpu: null, withoutWebGpu: "There is no GPU.", memoryBytes: null },
  "a GPU and 2 GB": { webgpu: gpu, withoutWebGpu: "", memoryBytes: 2e9 },
} as const satisfies Record<string, DeviceMetadata>;

/** A folder with graphs of these sizes in bytes. Reading any file except config.json fails the test. */
function folder(sizes: Readonly<Record<string, number>>): ModelSource {
  const files = Object.entries(sizes).map(([name, bytes]) => ({ path: `onnx/${name}.onnx`, bytes }));
  return {
    address: "https://x/",
    async read(file) {
      expect(file).toBe("config.json");
      return new TextEncoder().encode('{"model_type": "llama"}');
    },
    open: () => Promise.reject(new Error("No weights are read.")),
    list: async () => files,
  };
}

const small = folder({ model_q4: 200e6, model_q4f16: 150e6 });

test.each<[string, ModelSource, keyof typeof devices, DevicePreference, Partial<RunForecast>]>([
  [
    "both fit",
    small,
    "a GPU",
    "auto",
    { answer: "yes", device: "webgpu", dtype: "q4f16", downloadBytes: 150e6 },
  ],
  ["no GPU", small, "no GPU", "auto", { answer: "yes", device: "wasm", dtype: "q4", downloadBytes: 200e6 }],
  ["WebAssembly is asked for", small, "a GPU", "wasm", { answer: "yes", device: "wasm", dtype: "q4" }],
  ["WebGPU is asked for", small, "no GPU", "webgpu", { answer: "no", device: null, dtype: null }],
  [
    "large for WebAssembly",
    folder({ model_q4: 900e6 }),
    "no GPU",
    "auto",
    { answer: "slowly", device: "wasm" },
  ],
  ["too large for it", folder({ model_q4: 3e9 }), "no GPU", "auto", { answer: "no", downloadBytes: null }],
  ["too large for the memory", folder({ model_q4: 1.9e9 }), "a GPU and 2 GB", "auto", { answer: "slowly" }],
  ["float16 alone", folder({ model_fp16: 1e8 }), "no GPU", "auto", { answer: "no" }],
  ["one file for both devices", folder({ model: 1e8 }), "a GPU", "auto", { device: "webgpu", dtype: "fp32" }],
  ["no graph", folder({}), "a GPU", "auto", { answer: "no" }],
])("%s", async (_, source, on, device, expected) => {
  const reference = { id: "it", url: "https://x/", revision: null, dtype: { webgpu: "auto", wasm: "auto" } };
  const forecast = await forecastRun(reference, { device, source, metadata: devices[on] });
  expect(forecast).toMatchObject(expected);
  expect(forecast.reason).toMatch(/\.$/);
});
