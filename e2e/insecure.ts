/**
 * An insecure address of this machine: `http://insecure.test`, which both browsers here resolve to the loopback address. Unlike
 * `localhost`, browsers give it no WebGPU, service worker, storage of files, locks or `crypto.randomUUID`.
 */
import type { AddressInfo } from "node:net";
import { type Browser, chromium } from "@playwright/test";
import { ensureHeadlessShell } from "../scripts/browsers.mjs";
import { buildPageIfStale } from "../scripts/build-page.ts";
import { chromiumArgs } from "../scripts/chromium-switches.ts";
import { attachSignalling } from "../scripts/signalling.ts";
import { createStaticServer } from "../scripts/static-server.ts";

export const insecureHost = "insecure.test";

export async function launchInsecureChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await ensureHeadlessShell(),
    args: [...chromiumArgs(), `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`],
  });
}

/** For `Firefox.launch`. */
export const insecureFirefox = { "network.dns.localDomains": insecureHost };

export interface InsecureServer {
  /** Address of the page, with `insecureHost` as its host. */
  readonly address: string;
  close(): void;
}

/** Serves the built page on plain http. `live`: with a signalling server, as `npm start -- --live` does. */
export async function serveInsecurely({ live = false } = {}): Promise<InsecureServer> {
  const pages = { "/": await buildPageIfStale(() => undefined) };
  const json = { "/live.json": async () => ({ signalling: "live" }) };
  const server = createStaticServer({ pages, host: insecureHost, ...(live && { json }) });
  if (live) attachSignalling(server, { path: "/live", host: insecureHost });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    address: `http://${insecureHost}:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
