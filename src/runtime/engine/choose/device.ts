/**
 * WebGPU adapters and devices. This file creates the device itself, because the runtime's device would always have all
 * features, and some must be left out on some adapters.
 */

import { explainInsecurePage } from "../../../core/base/secure-context.ts";
import type { AdapterMetadata, DeviceMetadata } from "./choose-weights.ts";

/** The WebGPU features that the page knows before a file is chosen or downloaded. */
export interface WebGpuSupport {
  readonly available: boolean;
  /** Whether the adapter has `shader-f16`, which float16 graphs need. */
  readonly float16: boolean;
  /** The adapter's own name; empty if unknown. */
  readonly adapter: string;
  /** A sentence that says why WebGPU cannot be used; empty when it can. */
  readonly reason: string;
}

/** Asks the browser. Creates no device. */
export async function queryWebGpuSupport(): Promise<WebGpuSupport> {
  const adapter = await requestAdapter();
  if (typeof adapter === "string") return { available: false, float16: false, adapter: "", reason: adapter };
  return {
    available: true,
    float16: adapter.features.has("shader-f16"),
    adapter: adapterName(adapter),
    reason: "",
  };
}

/** The device metadata that decides the weights. Creates no device. */
export async function queryDeviceMetadata(): Promise<DeviceMetadata> {
  const adapter = await requestAdapter();
  const memoryBytes = memoryOf(globalThis.navigator as { readonly deviceMemory?: unknown } | undefined);
  if (typeof adapter === "string") return { webgpu: null, withoutWebGpu: adapter, memoryBytes };
  const name = adapterName(adapter);
  const webgpu: AdapterMetadata = {
    name,
    float16: adapter.features.has("shader-f16"),
    isSoftware: isSoftwareAdapter(adapter),
    maxBufferBytes: adapter.limits.maxBufferSize,
    maxBindingBytes: adapter.limits.maxStorageBufferBindingSize,
  };
  return { webgpu, withoutWebGpu: "", memoryBytes };
}

/** Software adapters by name, for browsers that do not say whether an adapter is a fallback. */
const softwareNames = /swiftshader|llvmpipe|lavapipe|basic render/i;

/** Older browsers have the field at the adapter itself. */
type OlderAdapter = GPUAdapter & { readonly isFallbackAdapter?: boolean };

/**
 * Whether the adapter computes on this machine's processor. `isFallbackAdapter` says so; names are checked too, as browsers
 * usually leave description and device empty.
 */
export function isSoftwareAdapter(adapter: GPUAdapter): boolean {
  const { isFallbackAdapter: older } = adapter as OlderAdapter;
  const { isFallbackAdapter = older }: Partial<GPUAdapterInfo> = adapter.info;
  return isFallbackAdapter === true || softwareNames.test(adapterName(adapter));
}

/** Browsers report at most 8 GiB, to protect privacy, so 8 means "at least 8". */
const mostSaidGiB = 8;

function memoryOf(navigator: { readonly deviceMemory?: unknown } | undefined): number | null {
  const said = navigator?.deviceMemory;
  return typeof said === "number" && said > 0 && said < mostSaidGiB ? said * 2 ** 30 : null;
}

/** An adapter, or a sentence that says why there is none. */
export async function requestAdapter(): Promise<GPUAdapter | string> {
  const gpu = globalThis.navigator?.gpu as GPU | undefined;
  if (!gpu) return explainInsecurePage("WebGPU") ?? "This browser has no WebGPU.";
  try {
    const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
    return adapter ?? "This browser has WebGPU, but offers no graphics adapter for it.";
  } catch (error) {
    return `This browser has WebGPU, but the request for a graphics adapter failed (${String(error)}).`;
  }
}

/** The parts of the adapter's name that the browser reveals; empty if it reveals none. */
export function adapterName({ info }: GPUAdapter): string {
  return [info.vendor, info.architecture, info.device, info.description].filter(Boolean).join(" ");
}

/** Attention kernels of the runtime assume subgroups of at least this many invocations. */
const smallestGoodSubgroup = 8;

/**
 * Whether the runtime may use the adapter's subgroups. If they are narrower than it assumes, passes of 32 and more tokens
 * give wrong results without an error.
 */
export function hasWideSubgroups(adapter: GPUAdapter): boolean {
  return (adapter.info.subgroupMinSize ?? 0) >= smallestGoodSubgroup;
}

/** Limits that the runtime uses; the others stay at their defaults. */
const limitNames = [
  "maxBindGroups",
  "maxBufferSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
] as const satisfies readonly (keyof GPUSupportedLimits)[];

/**
 * A device with all features and limits of the adapter that the runtime can use. An adapter creates only one device.
 * @param subgroups false leaves out this feature (see `hasWideSubgroups`).
 */
export async function createGpuDevice(
  adapter: GPUAdapter,
  { subgroups }: { readonly subgroups: boolean },
): Promise<GPUDevice> {
  const wanted: GPUFeatureName[] = subgroups ? ["shader-f16", "subgroups"] : ["shader-f16"];
  return adapter.requestDevice({
    label: "Midtoken",
    requiredFeatures: wanted.filter((feature) => adapter.features.has(feature)),
    requiredLimits: Object.fromEntries(limitNames.map((name) => [name, adapter.limits[name]])),
  });
}
