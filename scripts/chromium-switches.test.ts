import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  chromiumArgs,
  chromiumArgsWithoutWebGpu,
  gpuSwitchSets,
  readDeviceOption,
} from "./chromium-switches.ts";

const none: NodeJS.ProcessEnv = {};

test("the option goes before the variable, and software is the device where neither is given", () => {
  expect(readDeviceOption(undefined, none)).toBe("software");
  expect(readDeviceOption(undefined, { MIDTOKEN_DEVICE: "gpu" })).toBe("gpu");
  expect(readDeviceOption("software", { MIDTOKEN_DEVICE: "gpu" })).toBe("software");
});

test("another word is refused, with where it was said and what can be said", () => {
  expect(() => readDeviceOption("cuda", none)).toThrow('--device is "cuda". It can be software or gpu.');
  expect(() => readDeviceOption(undefined, { MIDTOKEN_DEVICE: "card" })).toThrow(
    'MIDTOKEN_DEVICE is "card". It can be software or gpu.',
  );
});

test("software is SwiftShader, and a card is asked for without it", () => {
  expect(chromiumArgs("software", none)).toContain("--use-webgpu-adapter=swiftshader");
  const gpu = chromiumArgs("gpu", none);
  expect(gpu.join(" ")).not.toContain("webgpu-adapter=swiftshader");
  expect(gpu).toEqual(expect.arrayContaining([...gpuSwitchSets.vulkan]));
});

test("each set has one --enable-features: of several Chromium takes the last", () => {
  for (const name of Object.keys(gpuSwitchSets)) {
    const args = chromiumArgs("gpu", { MIDTOKEN_GPU_SWITCHES: name });
    expect(args.filter((each) => each.startsWith("--enable-features="))).toHaveLength(1);
  }
});

test("another set of switches is named by the environment; an unknown name is refused with the known ones", () => {
  expect(chromiumArgs("gpu", { MIDTOKEN_GPU_SWITCHES: "no-gl" })).toContain("--use-gl=disabled");
  expect(() => chromiumArgs("gpu", { MIDTOKEN_GPU_SWITCHES: "metal" })).toThrow(
    'MIDTOKEN_GPU_SWITCHES is "metal". It can be vulkan, default-adapter, egl, software-gl, no-gl.',
  );
});

test("a card gets float16 unless figures are taken as users see them; software is left as it is", () => {
  const switched = /vulkan_enable_f16_on_nvidia/;
  expect(chromiumArgs("gpu", none).join(" ")).toMatch(switched);
  expect(chromiumArgs("gpu", { MIDTOKEN_NVIDIA_FLOAT16: "off" }).join(" ")).not.toMatch(switched);
  expect(chromiumArgs("software", none).join(" ")).not.toMatch(switched);
});

test("without WebGPU no switch speaks of it", () => {
  expect(chromiumArgsWithoutWebGpu().join(" ")).not.toMatch(/webgpu|vulkan|gpu/);
});

test("no other file chooses Chromium's switches for WebGPU", () => {
  const root = join(import.meta.dirname, "..");
  const files = ["e2e", "scripts"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(ts|mjs)$/.test(file) && !file.startsWith("chromium-switches"))
      .map((file) => join(folder, file)),
  );
  const choosing = files.filter((file) =>
    /--(use-webgpu-adapter|enable-unsafe-webgpu|use-angle|use-vulkan)/.test(
      readFileSync(join(root, file), "utf8"),
    ),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(choosing).toEqual([]);
});
