/**
 * An insecure address of this machine: `http://insecure.test`, which both browsers here resolve to the loopback address. Unlike
 * `localhost`, browsers give it no WebGPU, service worker, storage of files, locks or `crypto.randomUUID`.
 */
import { type Browser, chromium } from "@playwright/test";
import { ensureChromium } from "../scripts/browsers.mjs";
import { chromiumArgs } from "../scripts/chromium-switches.ts";

export const insecureHost = "insecure.test";

export async function launchInsecureChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await ensureChromium(),
    args: [...chromiumArgs(), `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`],
  });
}

/** For `Firefox.launch`. */
export const insecureFirefox = { "network.dns.localDomains": insecureHost };
