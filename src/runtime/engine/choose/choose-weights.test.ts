import { describe, expect, test } from "vitest";
import type { ListedWeights } from "../base/dtype.ts";
import { type Dtype, dtypeNames } from "../base/dtype.ts";
import type { ModelArchitecture } from "./catalog.ts";
import {
  type AdapterMetadata,
  type DeviceMetadata,
  dtypePerDevice,
  judgeWeights,
  type ModelMetadata,
} from "./choose-weights.ts";

const gpu: AdapterMetadata = {
  name: "acme x1",
  float16: true,
  isSoftware: false,
  maxBufferBytes: 4 * 2 ** 30,
  maxBindingBytes: 4 * 2 ** 30,
};
const device = (
  changes: Partial<AdapterMetadata> = {},
  memoryBytes: number | null = null,
): DeviceMetadata => ({
  webgpu: { ...gpu, ...changes },
  withoutWebGpu: "",
  memoryBytes,
});
const noGpu: DeviceMetadata = {
  webgpu: null,
  withoutWebGpu: "This browser has no WebGPU.",
  memoryBytes: null,
};
const software = device({ name: "google swiftshader", isSoftware: true, float16: false });

/** Qwen3-0.6B, whose embedding table has 622 MB in float32. */
const architecture: ModelArchitecture = {
  vocabularySize: 151_936,
  hiddenSize: 1024,
  attentionLayers: 28,
  keyValueHeads: 8,
  headSize: 128,
};
const plain: ModelMetadata = { architecture, float16Overflows: false, needs: [] };
const offer = (...dtypes: (Dtype | [Dtype, number])[]): ListedWeights[] =>
  dtypes.map((each) =>
    typeof each === "string" ? { dtype: each, bytes: null } : { dtype: each[0], bytes: each[1] },
  );
const qwen = offer(["q4", 919e6], ["q4f16", 570e6]);

/** `dtype on device` for the recommended weights, or "none", and a part of the first reason. */
const choices: [string, ListedWeights[], ModelMetadata, DeviceMetadata, string, string][] = [
  ["a GPU with float16", qwen, plain, device(), "q4f16 on webgpu", "q4f16 weights run well on WebGPU."],
  [
    "a GPU without",
    qwen,
    plain,
    device({ float16: false }),
    "q4 on webgpu",
    "q4 weights run well on WebGPU.",
  ],
  [
    "an NVIDIA card in Chrome on Linux",
    qwen,
    plain,
    device({ name: "nvidia hopper", float16: false }),
    "q4 on webgpu",
    "q4 weights run well on WebGPU. q4f16 weights, which take less memory than q4, need float16 (shader-f16), which this graphics adapter does not offer. Chrome and Edge on Linux do not offer float16 on NVIDIA cards.",
  ],
  [
    "an NVIDIA card in Chrome on Linux, float16 weights alone",
    offer("q4f16"),
    plain,
    device({ name: "nvidia hopper", float16: false }),
    "none",
    "which q4f16 weights need. Chrome and Edge on Linux do not offer float16 on NVIDIA cards.",
  ],
  ["no WebGPU", qwen, plain, noGpu, "q4 on wasm", "919 MB of weights are slow on WebAssembly."],
  [
    "no WebGPU, small",
    offer(["q4", 181e6], ["q8", 139e6]),
    plain,
    noGpu,
    "q4 on wasm",
    "q4 weights run well on",
  ],
  ["software WebGPU", qwen, plain, software, "q4 on wasm", "slow on WebAssembly"],
  [
    "only float16 weights, no float16",
    offer("q4f16"),
    plain,
    device({ float16: false }),
    "none",
    "shader-f16",
  ],
  [
    "only float16 weights, no WebGPU",
    offer("q4f16"),
    plain,
    noGpu,
    "none",
    "no WebGPU. q4f16 weights need float16",
  ],
  [
    "numbers too large for float16",
    offer("q4f16", "q4"),
    { ...plain, float16Overflows: true },
    device(),
    "q4 on webgpu",
    "run well on WebGPU",
  ],
  [
    "a buffer too small for float32 words",
    qwen,
    plain,
    device({ maxBindingBytes: 512 * 2 ** 20 }),
    "q4f16 on webgpu",
    "run well on WebGPU",
  ],
  [
    "a buffer too small for either",
    offer(["q4f16", 570e6]),
    plain,
    device({ maxBufferBytes: 256 * 2 ** 20 }),
    "q4f16 on webgpu",
    "may need 311 MB, but the graphics adapter allows at most 268 MB in one buffer",
  ],
  [
    "little memory",
    qwen,
    plain,
    device({}, 2 ** 29),
    "q4f16 on webgpu",
    "needs about 687 MB of memory, but this device has 537 MB",
  ],
  [
    "memory for the smaller",
    offer(["q4", 200e6], ["fp32", 900e6]),
    plain,
    device({ float16: false }, 2 ** 30),
    "q4 on webgpu",
    "run well on",
  ],
  ["dynamic quantization alone, on a GPU", offer("q8"), plain, device(), "q8 on webgpu", "made for the CPU"],
  [
    "dynamic quantization or float32, no GPU",
    offer("q8", "fp32"),
    plain,
    noGpu,
    "fp32 on wasm",
    "run well on WebAssembly",
  ],
  ["only dynamic quantization, no GPU", offer("q8"), plain, noGpu, "q8 on wasm", "makes answers worse"],
  ["too large for WebAssembly", offer(["q4", 2.2e9]), plain, noGpu, "none", "WebAssembly has 4 GB of memory"],
  [
    "made for WebGPU",
    offer("q4"),
    { ...plain, needs: ["webgpu"] },
    noGpu,
    "none",
    "does not run on WebAssembly",
  ],
  [
    "made for float16",
    offer("q4"),
    { ...plain, needs: ["shader-f16"] },
    device({ float16: false }),
    "q4 on wasm",
    "run well on",
  ],
  [
    "weights that are small as they are",
    offer(["q4", 1e6], ["fp32", 9e6]),
    plain,
    device(),
    "fp32 on webgpu",
    "run well on",
  ],
  [
    "nothing known of it",
    offer("q4"),
    { ...plain, architecture: null },
    device(),
    "q4 on webgpu",
    "run well on",
  ],
];

test.each(choices)("%s", (_name, offered, model, metadata, expected, reason) => {
  const [first] = judgeWeights(offered, model, metadata);
  expect(first?.isRecommended ? `${first.dtype} on ${first.device}` : "none").toBe(expected);
  expect(first?.reason).toContain(reason);
});

describe("of any weights on any device", () => {
  const devices = [
    device(),
    device({ float16: false }),
    noGpu,
    software,
    device({}, 2 ** 30),
    device({ maxBindingBytes: 1 }),
  ];
  const models = [plain, { ...plain, float16Overflows: true }, { ...plain, needs: ["webgpu"] as const }];
  const all = devices.flatMap((metadata) => models.map((model) => ({ metadata, model })));

  test("each is judged once, at most the first is recommended, and none that is impossible", () => {
    for (const { metadata, model } of all) {
      const judged = judgeWeights(offer(...dtypeNames), model, metadata);
      expect(judged.map(({ dtype }) => dtype).sort()).toEqual([...dtypeNames].sort());
      expect(judged.slice(1).some(({ isRecommended }) => isRecommended)).toBe(false);
      expect(judged.every(({ isRecommended, fitness }) => !isRecommended || fitness !== "impossible")).toBe(
        true,
      );
      expect(judged.every(({ reason }) => /^[A-Z].*\.$|^q|^[a-z]+\d/.test(reason))).toBe(true);
    }
  });

  test("float16 is never chosen where there is no shader-f16", () => {
    for (const { metadata, model } of all) {
      const chosen = dtypePerDevice(offer(...dtypeNames), model, metadata);
      expect(["q4f16", "fp16"]).not.toContain(chosen.wasm);
      if (!metadata.webgpu?.float16) expect(["q4f16", "fp16"]).not.toContain(chosen.webgpu);
    }
  });
});

test("each device has its own", () => {
  expect(dtypePerDevice(qwen, plain, device())).toEqual({ webgpu: "q4f16", wasm: "q4" });
  expect(dtypePerDevice(offer("q4f16"), plain, device())).toEqual({ webgpu: "q4f16", wasm: "q4f16" });
});
