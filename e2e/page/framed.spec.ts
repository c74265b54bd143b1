/** The page inside another site's page: where the server can say so it is not shown; where not, a link runs and changes nothing. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { type PreviewServer, preview } from "vite";
import { expect, type Page, test } from "./test.ts";

const links = JSON.parse(
  readFileSync("src/core/trace/fixtures/v1/several-mods-and-a-fault.links.json", "utf8"),
) as Readonly<Record<string, { readonly fragment: string }>>;
const fragment = links.default?.fragment ?? "";

/** Another site: a page around whatever address it is asked for. */
const other = createServer(({ url }, response) => {
  const address = decodeURIComponent(url?.slice(1) ?? "");
  response.setHeader("content-type", "text/html");
  response.end(
    `<!doctype html><title>other</title><iframe src="${address}" width="900" height="600"></iframe>`,
  );
});
/** A host of static files, which sends no policy. */
let host: PreviewServer;

test.beforeAll(async () => {
  await new Promise<void>((listening) => other.listen(0, "127.0.0.1", listening));
  host = await preview({
    configFile: false,
    root: resolve(import.meta.dirname, "../.."),
    logLevel: "error",
    preview: { host: "127.0.0.1", port: 0 },
  });
});
test.afterAll(async () => {
  other.closeAllConnections();
  other.close();
  await host.close();
});

async function openFramed(page: Page, address: string): Promise<void> {
  const { port } = other.address() as AddressInfo;
  await page.goto(`http://127.0.0.1:${port}/${encodeURIComponent(address)}`);
}

test("the local server lets nobody frame the page", async ({ page, baseURL }) => {
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await openFramed(page, `${baseURL}${fragment}`);
  await refused;
  await expect(page.frameLocator("iframe").locator("#root")).toHaveCount(0);
});

test("framed from a static host, a shared run can be read, and only a tab of its own takes it over", async ({
  page,
  context,
}) => {
  const address = `${host.resolvedUrls?.local[0]}${fragment}`;
  await openFramed(page, address);
  const framed = page.frameLocator("iframe");
  await expect(framed.locator(".link-banner")).toContainText("Nothing has run on this device.");
  await expect(framed.locator(".link-banner")).toContainText("shown inside another site");
  await expect(
    framed.getByRole("button", { name: /Run here and compare|Open in the playground/ }),
  ).toHaveCount(0);

  const opened = context.waitForEvent("page");
  await framed.getByRole("link", { name: "Open in its own tab" }).click();
  const tab = await opened;
  expect(tab.url()).toBe(address);
  await expect(tab.getByRole("button", { name: "Open in the playground" })).toBeVisible();
  await expect(tab.locator(".link-banner")).not.toContainText("Another site");
});
