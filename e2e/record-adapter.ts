/** Before the tests: writes the WebGPU adapter into the report (`config.metadata.webgpu`), and ends the run where a card was asked for and none is there. */
import type { FullConfig } from "@playwright/test";
import { chromiumArgs, readDeviceOption } from "../scripts/chromium-switches.ts";
import { adapterText, whyNoGraphicsCard } from "../scripts/gpu/adapter-record.ts";
import { readAdapterWithSwitches } from "../scripts/gpu/read-adapter.ts";

export default async function recordAdapter(config: FullConfig): Promise<void> {
  const device = readDeviceOption(undefined);
  const browser = config.projects.find(({ name }) => name === "webgpu")?.use.launchOptions?.executablePath;
  const adapter = await readAdapterWithSwitches(chromiumArgs(device), browser);
  const fault = device === "gpu" ? whyNoGraphicsCard(adapter) : null;
  if (fault) throw new Error(fault);
  config.metadata.webgpu = { device, adapter };
  console.log(`WebGPU (${device}): ${adapterText(adapter)}`);
}
