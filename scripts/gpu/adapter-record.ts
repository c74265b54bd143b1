/** The WebGPU adapter that a test or a bench ran on, as results record it. */
import type { Page } from "playwright-core";

export interface AdapterRecord {
  readonly vendor: string;
  readonly architecture: string;
  /** Chromium reports `device` and `description` only with --enable-webgpu-developer-features. */
  readonly device: string;
  readonly description: string;
  /** The adapter computes on the CPU. */
  readonly isFallback: boolean;
  /** Fewest and most invocations of a subgroup; null without the feature. */
  readonly subgroups: readonly [number, number] | null;
  readonly features: readonly string[];
}

/** The WebGPU adapter of the page's browser; null if there is none. The page must have a secure address. */
export function readAdapter(page: Page): Promise<AdapterRecord | null> {
  // This function runs in the page, so it can use nothing of this module.
  return page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) return null;
    const { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
    // In older browsers, the field is a property of the adapter itself.
    const older = (adapter as { isFallbackAdapter?: boolean }).isFallbackAdapter;
    return {
      vendor,
      architecture,
      device,
      description,
      isFallback: adapter.info.isFallbackAdapter ?? older ?? false,
      subgroups: adapter.features.has("subgroups") ? [subgroupMinSize, subgroupMaxSize] : null,
      features: [...adapter.features].sort(),
    };
  });
}

/**
 * Whether the adapter computes on the CPU. llvmpipe and the pretended card (`npm run gpu -- pretend`) do not say that they do;
 * they are recognized by their names.
 */
export function isSoftware({ isFallback, device, description }: AdapterRecord): boolean {
  return isFallback || /\(pretended\)|llvmpipe/i.test(`${device} ${description}`);
}

/** A readable line: "nvidia hopper, NVIDIA H100, shader-f16, subgroups of 32 to 32". */
export function adapterText(adapter: AdapterRecord | null): string {
  if (!adapter) return "no adapter";
  const { vendor, architecture, device, description, isFallback, subgroups, features } = adapter;
  const names = [[vendor, architecture].filter(Boolean).join(" "), device, description].filter(Boolean);
  return [
    ...names,
    ...(isFallback ? ["software"] : []),
    features.includes("shader-f16") ? "shader-f16" : "no shader-f16",
    subgroups ? `subgroups of ${subgroups[0]} to ${subgroups[1]}` : "no subgroups",
  ].join(", ");
}

/** Why the adapter is not a graphics card, and what to do; null if it is a graphics card. */
export function whyNoGraphicsCard(adapter: AdapterRecord | null): string | null {
  if (adapter && !adapter.isFallback) return null;
  return `A graphics card is asked for (--device gpu or MIDTOKEN_DEVICE=gpu), and Chromium offers ${adapterText(adapter)}. Use a machine with a GPU and its Vulkan driver, try other switches with \`npm run gpu -- check\`, or ask for software.`;
}
