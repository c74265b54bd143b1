import { expect, test } from "vitest";
import type { DevicePreference } from "../base/model-reference.ts";
import type { ModelSource } from "../files/model-source.ts";
import type { DeviceMetadata, ModelMetadata } from "./choose-weights.ts";
import { planLoad, settleWeights } from "./plan-load.ts";

const metadata: ModelMetadata = { architecture: null, float16Overflows: false, needs: [] };
const device = (float16: boolean, isSoftware = false): DeviceMetadata => ({
  webgpu: { name: "x1", float16, isSoftware, maxBufferBytes: 2 ** 32, maxBindingBytes: 2 ** 32 },
  withoutWebGpu: "",
  memoryBytes: null,
});
const devices = {
  float16: device(true),
  "no float16": device(false),
  software: device(false, true),
  "no GPU": { webgpu: null, withoutWebGpu: "There is no GPU.", memoryBytes: null },
} as const;

/** A folder with these files. Reading a file fails the test. */
function folder(...names: string[]): ModelSource {
  const never = () => Promise.reject(new Error("Nothing is read."));
  return {
    address: "a folder",
    read: never,
    open: never,
    list: async () => names.map((name) => ({ path: `onnx/${name}.onnx`, bytes: 500e6 })),
  };
}

async function planned(
  source: ModelSource,
  on: keyof typeof devices,
  wanted: DevicePreference,
  dtype: { webgpu: string; wasm: string },
): Promise<string> {
  try {
    const reference = { id: "it", url: "https://x/", revision: null, dtype };
    const settled = await settleWeights(reference, source, metadata, devices[on], undefined);
    const attempts = planLoad("it", settled, wanted, metadata, devices[on]);
    // If the last attempt fails, the load fails; if another one fails, it does not.
    expect(attempts.map(({ isLast }) => isLast)).toEqual(
      attempts.map((_, index) => index === attempts.length - 1),
    );
    return attempts.map((attempt) => `${attempt.dtype} on ${attempt.device}`).join(", then ");
  } catch (error) {
    return (error as Error).message;
  }
}

const auto = { webgpu: "auto", wasm: "auto" };
const q4 = { webgpu: "q4", wasm: "q4" };
const q4f16 = { webgpu: "q4f16", wasm: "q4f16" };
const both = folder("model_q4", "model_q4f16");

test.each<[ModelSource, keyof typeof devices, DevicePreference, typeof auto, string]>([
  [both, "float16", "auto", auto, "q4f16 on webgpu, then q4 on wasm"],
  [both, "no float16", "auto", auto, "q4 on auto"],
  [both, "software", "auto", auto, "q4 on wasm"],
  [both, "no GPU", "auto", auto, "q4 on wasm"],
  [both, "float16", "wasm", auto, "q4 on wasm"],
  [both, "float16", "webgpu", auto, "q4f16 on webgpu"],
  [both, "no GPU", "webgpu", auto, "You chose WebGPU, which cannot be used. There is no GPU."],
  [
    both,
    "no float16",
    "webgpu",
    q4f16,
    "The graphics adapter (x1) does not support float16 (shader-f16), which q4f16",
  ],
  [
    both,
    "no float16",
    "auto",
    q4f16,
    "it cannot run on this device. The graphics adapter (x1) does not support float16",
  ],
  [both, "float16", "auto", q4f16, "q4f16 on webgpu"],
  // If the caller names device and dtype, both are used.
  [both, "no GPU", "wasm", q4f16, "q4f16 on wasm"],
  [
    folder("model_q4f16"),
    "no GPU",
    "auto",
    auto,
    "it cannot run on this device. There is no GPU. q4f16 weights",
  ],
  [
    folder("model_q4f16"),
    "no GPU",
    "wasm",
    auto,
    "it cannot run on WebAssembly, the device that you chose. q4f16 weights",
  ],
  [
    folder("model_q4f16"),
    "no float16",
    "auto",
    auto,
    "it cannot run on this device. The graphics adapter (x1)",
  ],
  [both, "no float16", "auto", q4, "q4 on auto"],
  [both, "float16", "auto", { webgpu: "q4f16", wasm: "auto" }, "q4f16 on webgpu, then q4 on wasm"],
  [
    folder(),
    "float16",
    "auto",
    auto,
    "No weights for the model it were found in a folder. Choose a model that has a folder",
  ],
  [
    folder("decoder_model_merged"),
    "float16",
    "auto",
    auto,
    "onnx/decoder_model_merged.onnx: This file is one of several graphs",
  ],
])("%# %s %s %j", async (source, on, wanted, dtype, expected) => {
  expect(await planned(source, on, wanted, dtype)).toContain(expected);
});

test("what was chosen is said, where there was a choice", async () => {
  const reference = { id: "it", url: "https://x/", revision: null, dtype: auto };
  const words = async (source: ModelSource, dtype = auto) =>
    (await settleWeights({ ...reference, dtype }, source, metadata, devices.float16, undefined)).choice(
      "q4f16",
    );
  expect(await words(both)).toBe(
    "The model has weights of the types q4, q4f16; q4f16 suits this device best.",
  );
  expect(await words(folder("model_q4f16"))).toBe("");
  expect(await words(both, q4)).toBe("");
});
