/** The option `--device` of benches: software or gpu, as `scripts/chromium-switches.ts` reads it. */
import { readWebGpuDevice, type WebGpuDevice } from "../../scripts/chromium-switches.ts";
import { adapterText, cardFault } from "../../scripts/gpu/adapter-record.ts";
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
    const device = readWebGpuDevice(option);
    if (device === "gpu") await requireCard();
    return device;
  } catch (error) {
    console.error(messageOf(error));
    process.exit(2);
  }
}

async function requireCard(): Promise<void> {
  const { adapter, close } = await openBenchPage({ gpu: "gpu" });
  await close();
  const fault = cardFault(adapter);
  if (fault) throw new Error(fault);
  console.error(`WebGPU on ${adapterText(adapter)}`);
}
