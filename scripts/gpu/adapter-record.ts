/** The WebGPU adapter that a test or a bench ran on, as results record it. */
import type { Page } from "playwright-core";

export interface AdapterRecord {
  readonly vendor: string;
  readonly architecture: string;
  /** Chromium tells `device` and `description` with --enable-webgpu-developer-features alone. */
  readonly device: string;
  readonly description: string;
  /** The adapter computes on the processor. */
  readonly isFallback: boolean;
  /** Fewest and most invocations of a subgroup; null without the feature. */
  readonly subgroups: readonly [number, number] | null;
  readonly features: readonly string[];
}

/** The adapter that the page's browser offers, or null. The page has to come from a secure address. */
export function readAdapter(page: Page): Promise<AdapterRecord | null> {
  // Runs in the page: it can use nothing of this module.
  return page.evaluate(async () => {
    const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) return null;
    const { vendor, architecture, device, description, subgroupMinSize, subgroupMaxSize } = adapter.info;
    // Older browsers have the field at the adapter itself.
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
 * The adapter computes on the processor. So do llvmpipe and the pretended card (`npm run gpu -- pretend`), which do not say so: they
 * are known by their names.
 */
export function isSoftware({ isFallback, device, description }: AdapterRecord): boolean {
  return isFallback || /\(pretended\)|llvmpipe/i.test(`${device} ${description}`);
}

/** One line for people: "nvidia hopper, NVIDIA H100, shader-f16, subgroups of 32 to 32". */
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

/** Why the adapter is no graphics card, with what to do; null if it is one. */
export function cardFault(adapter: AdapterRecord | null): string | null {
  if (adapter && !adapter.isFallback) return null;
  return `A graphics card is asked for (--device gpu or MIDTOKEN_DEVICE=gpu), and Chromium offers ${adapterText(adapter)}. Use a machine with a GPU and its Vulkan driver, try other switches with \`npm run gpu -- check\`, or ask for software.`;
}
