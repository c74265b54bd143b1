/** Before the tests: writes the WebGPU adapter into the report (`config.metadata.webgpu`), and ends the run where a card was asked for and none is there. */
import type { FullConfig } from "@playwright/test";
import { chromium } from "playwright-core";
import { ensureChromium } from "../scripts/browsers.mjs";
import { chromiumArgs, readWebGpuDevice } from "../scripts/chromium-switches.ts";
import { type AdapterRecord, adapterText, cardFault, readAdapter } from "../scripts/gpu/adapter-record.ts";

/** WebGPU wants a secure address; this one is answered without a server. */
const address = "http://127.0.0.1/";

async function adapterOfTests(): Promise<AdapterRecord | null> {
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs() });
  try {
    const page = await browser.newPage();
    await page.route(address, (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>adapter</title>" }),
    );
    await page.goto(address);
    return await readAdapter(page);
  } finally {
    await browser.close();
  }
}

export default async function recordAdapter(config: FullConfig): Promise<void> {
  const device = readWebGpuDevice(undefined);
  const adapter = await adapterOfTests();
  const fault = device === "gpu" ? cardFault(adapter) : null;
  if (fault) throw new Error(fault);
  config.metadata.webgpu = { device, adapter };
  console.log(`WebGPU (${device}): ${adapterText(adapter)}`);
}
