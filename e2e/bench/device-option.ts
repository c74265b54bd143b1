/** The option `--device` of benches: software or gpu, as `scripts/chromium-switches.ts` reads it. */
import { readDeviceOption, type WebGpuDevice } from "../../scripts/chromium-switches.ts";
import {
  type AdapterRecord,
  adapterText,
  isSoftware,
  whyNoGraphicsCard,
} from "../../scripts/gpu/adapter-record.ts";
import { messageOf } from "../../src/core/base/message-of.ts";
import { openBenchPage } from "./decode/browser.ts";

/** Names of the two in rows. */
export const deviceNames: Readonly<Record<WebGpuDevice, string>> = {
  software: "software WebGPU",
  gpu: "WebGPU",
};

/** The device that the option or MIDTOKEN_DEVICE names. Ends the bench with status 2 for another word, and where a card is asked for and none is there. */
export async function deviceOption(option: string | undefined): Promise<WebGpuDevice> {
  try {
    const device = readDeviceOption(option);
    if (device === "gpu") await requireCard();
    return device;
  } catch (error) {
    console.error(messageOf(error));
    process.exit(2);
  }
}

/** The adapter that `--device gpu` found. */
let card: AdapterRecord | null = null;

/**
 * WebGPU computes on the processor: SwiftShader, or software that poses as a card. A model of real size takes hours there, so that
 * sections on such models are shorter, and their rows say so.
 */
export function isOnProcessor(device: WebGpuDevice): boolean {
  return device === "software" || (card !== null && isSoftware(card));
}

async function requireCard(): Promise<void> {
  const { adapter, close } = await openBenchPage({ gpu: "gpu" });
  await close();
  const fault = whyNoGraphicsCard(adapter);
  if (fault) throw new Error(fault);
  card = adapter;
  console.error(`WebGPU on ${adapterText(adapter)}`);
}
