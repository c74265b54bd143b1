/** Chromium's command-line switches for tests and benches, and the choice of who computes WebGPU: software or a graphics card. */

/** `software` is SwiftShader, which every Chromium has; `gpu` is the machine's own adapter. */
export const webGpuDevices = ["software", "gpu"] as const;
export type WebGpuDevice = (typeof webGpuDevices)[number];

/**
 * The value of `--device`, or of MIDTOKEN_DEVICE if the option is absent; software if both are absent. @throws Error for an
 * unknown value
 */
export function readDeviceOption(
  option: string | undefined,
  environment: NodeJS.ProcessEnv = process.env,
): WebGpuDevice {
  const from = option === undefined ? "MIDTOKEN_DEVICE" : "--device";
  const value = option ?? (environment.MIDTOKEN_DEVICE || "software");
  const device = webGpuDevices.find((each) => each === value);
  if (!device) throw new Error(`${from} is "${value}". It can be ${webGpuDevices.join(" or ")}.`);
  return device;
}

/**
 * Sets of switches that give Chromium a graphics card through Vulkan on a machine without a display. The driver decides which set
 * works: `npm run gpu -- check` tries them in this order. Other commands use the first set, unless MIDTOKEN_GPU_SWITCHES names
 * another.
 */
export const gpuSwitchSets = {
  vulkan: [
    "--use-gl=angle",
    "--use-angle=vulkan",
    "--use-vulkan=native",
    "--enable-features=Vulkan,VulkanFromANGLE,DefaultANGLEVulkan",
    "--disable-vulkan-surface",
  ],
  "default-adapter": [
    "--use-angle=vulkan",
    "--enable-features=Vulkan",
    "--disable-vulkan-surface",
    "--use-webgpu-adapter=default",
    "--use-webgpu-power-preference=force-high-performance",
  ],
  egl: [
    "--use-gl=angle",
    "--use-angle=gl-egl",
    "--use-vulkan=native",
    "--enable-features=Vulkan",
    "--disable-vulkan-surface",
  ],
  "software-gl": [
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--use-vulkan=native",
    "--enable-features=Vulkan",
    "--disable-vulkan-surface",
  ],
  "no-gl": [
    "--use-gl=disabled",
    "--use-vulkan=native",
    "--enable-features=Vulkan",
    "--disable-vulkan-surface",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type GpuSwitchSet = keyof typeof gpuSwitchSets;

function readSwitchSet(value: string | undefined): GpuSwitchSet {
  const names = Object.keys(gpuSwitchSets) as GpuSwitchSet[];
  if (!value) return "vulkan";
  const name = names.find((each) => each === value);
  if (!name) throw new Error(`MIDTOKEN_GPU_SWITCHES is "${value}". It can be ${names.join(", ")}.`);
  return name;
}

/**
 * Chromium on Linux offers shader-f16 on NVIDIA's driver only with this switch. Set MIDTOKEN_NVIDIA_FLOAT16=off to measure what
 * users get, whose Chromium does not have the switch.
 */
const nvidiaFloat16 = "--enable-dawn-features=vulkan_enable_f16_on_nvidia";

/** Switches for every test and bench: no network requests by Chromium itself. */
function commonSwitches(): string[] {
  return [
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    // Live runs use WebRTC, here on a machine that may have no network besides the loopback.
    "--allow-loopback-in-peer-connection",
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ];
}

function webGpuSwitches(device: WebGpuDevice, environment: NodeJS.ProcessEnv): string[] {
  if (device === "software") return ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];
  return [
    "--enable-unsafe-webgpu",
    // The adapter then reports its device and its description, which results record.
    "--enable-webgpu-developer-features",
    "--ignore-gpu-blocklist",
    "--enable-gpu",
    "--disable-gpu-watchdog",
    ...(environment.MIDTOKEN_NVIDIA_FLOAT16 === "off" ? [] : [nvidiaFloat16]),
    ...gpuSwitchSets[readSwitchSet(environment.MIDTOKEN_GPU_SWITCHES)],
  ];
}

/**
 * Chromium's switches with WebGPU on the given device (default: MIDTOKEN_DEVICE). @throws Error if an environment variable has an
 * unknown value
 */
export function chromiumArgs(
  device: WebGpuDevice = readDeviceOption(undefined),
  environment: NodeJS.ProcessEnv = process.env,
): string[] {
  return [...webGpuSwitches(device, environment), ...commonSwitches()];
}

/** Chromium without WebGPU: the page uses WebAssembly. */
export function chromiumArgsWithoutWebGpu(): string[] {
  return commonSwitches();
}
