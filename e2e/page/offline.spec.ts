/**
 * The page without a network: used, its server stopped, opened again, and run. A newer version is offered and never forced. The
 * host sends no headers of isolation, like GitHub Pages: the service worker brings them.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type OutgoingHttpHeaders, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { listModels } from "../../scripts/list-models.ts";
import { createStaticListener } from "../../scripts/static-server.ts";
import { crossOriginIsolationHeaders } from "../../src/core/base/isolation.ts";
import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { expectAccessible, listenForErrors, runToEnd, textOf } from "./page.ts";

const path = "/some/sub/path/";
let folder = "";
/** A folder as for `npm start -- --models`: the bundled model under another name. */
let models = "";
let server: Server | null = null;
let context: BrowserContext;
let page: Page;
let address = "";

async function serve(port = 0): Promise<number> {
  const files = createStaticListener({
    pages: { [path]: folder },
    models: { [`${path}local-models/`]: models },
    json: { [`${path}local-models.json`]: () => listModels(models) },
  });
  server = createServer(withoutIsolation(files));
  await new Promise<void>((resolve) => server?.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function withoutIsolation(listener: RequestListener): RequestListener {
  return (request, response) => {
    const writeHead = response.writeHead.bind(response);
    const writeLess = (status: number, headers: OutgoingHttpHeaders) => {
      const sent = Object.entries(headers).filter(([name]) => !(name in crossOriginIsolationHeaders));
      return writeHead(status, Object.fromEntries(sent));
    };
    listener(request, Object.assign(response, { writeHead: writeLess }));
  };
}

async function stopServing(): Promise<void> {
  const stopped = new Promise((resolve) => server?.close(resolve));
  server?.closeAllConnections();
  await stopped;
}

/** Waits until the browser keeps a file of the page whose path holds each of these texts. */
async function waitUntilKept(texts: readonly string[]): Promise<void> {
  await expect
    .poll(() =>
      page.evaluate(async (wanted) => {
        const names = await caches.keys();
        const lists = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
        const urls = lists.flat().map(({ url }) => url);
        return wanted.filter((text) => !urls.some((url) => url.includes(text)));
      }, texts),
    )
    .toEqual([]);
}

test.beforeAll(async ({ browser }) => {
  folder = mkdtempSync(join(tmpdir(), "midtoken-offline-"));
  cpSync("dist", folder, { recursive: true });
  models = mkdtempSync(join(tmpdir(), "midtoken-models-"));
  cpSync("public/models/stories260k", join(models, "mine"), { recursive: true });
  address = `http://127.0.0.1:${await serve()}${path}`;
  context = await browser.newContext();
  page = await context.newPage();
});

test.afterAll(async () => {
  await context.close();
  await stopServing();
  rmSync(folder, { recursive: true });
  rmSync(models, { recursive: true });
});

test("after a first visit the page opens and runs without its server, links too", async () => {
  const port = Number(new URL(address).port);
  await page.goto(address);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  await runToEnd(page);
  const text = await textOf(page);
  await page.locator(".monaco-editor .view-line").first().waitFor();
  await waitUntilKept([
    "playground-entry",
    "engine-worker",
    ".wasm",
    "compile-worker",
    "sandbox-guest",
    "code-editor",
    "stories260k/onnx",
    "local-models.json",
  ]);
  await stopServing();

  const errors = listenForErrors(page);
  await page.reload();
  await expect.poll(() => page.evaluate(() => crossOriginIsolated)).toBe(true);
  await runToEnd(page);
  expect(await textOf(page)).toBe(text);
  await page.locator(".monaco-editor .view-line").first().waitFor();
  // A file of a model is never shown as a document from what is kept: there is no server, so there is no answer.
  const model = await context.newPage();
  await expect(model.goto(`${address}models/stories260k/config.json`)).rejects.toThrow(
    /ERR_CONNECTION_REFUSED/,
  );
  await model.close();

  await page.goto(`${address}${encodePermalink(sampleTrace({ tokens: 30 })).fragment}`);
  await page.getByRole("tab", { name: "Charts" }).click();
  await expect(page.locator(".read-panel svg").first()).toBeVisible();
  expect(errors.filter((error) => !/ERR_|Failed to (load|fetch)/.test(error))).toEqual([]);
  await serve(port);
});

const dialog = () => page.getByRole("dialog", { name: "Saved in this browser" });

async function openKept(): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Commands" }).getByRole("combobox").fill("offline");
  await page.keyboard.press("Enter");
  await expect(dialog().getByRole("heading", { name: "Storage space" })).toBeVisible();
}

test("what is kept is said; all of the page and a model of the user's folder are kept when asked for, and removed", async () => {
  await page.goto(address);
  await page.locator(".run-controls").waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await openKept();
  await dialog()
    .getByRole("button", { name: /^Save the whole page \(\d.* more\)$/ })
    .click();
  await expect(dialog()).toContainText("The whole page is saved.");
  const mine = dialog().getByRole("listitem").filter({ hasText: "mine" });
  await expect(mine).toContainText("not saved");
  await mine.getByRole("button", { name: "Save mine" }).click();
  await expect(mine).toContainText(/saved, 1\.\d MB/);
  await expectAccessible(page, "what is kept");
  await page.keyboard.press("Escape");

  await test.step("without the server the model is loaded and runs", async () => {
    const port = Number(new URL(address).port);
    await stopServing();
    // On a busy machine it may be late that the page hears that its service worker is there.
    await page.addInitScript(() => {
      if (window !== top || localStorage.getItem("held")) return;
      localStorage.setItem("held", "once");
      const { register } = ServiceWorkerContainer.prototype;
      ServiceWorkerContainer.prototype.register = async function (...address) {
        const registration = await register.apply(this, address);
        document.documentElement.dataset.asked = "yes";
        await new Promise((heard) => addEventListener("heard", heard, { once: true }));
        return registration;
      };
    });
    await page.reload();
    await page.getByRole("button", { name: /^Model:/ }).click();
    await page.getByRole("button", { name: /^mine/ }).click();
    await runToEnd(page);
    await expect(page.getByRole("button", { name: /^Model:/ })).toContainText("mine");
    expect(await textOf(page)).not.toBe("");
    await serve(port);
  });

  await test.step("the model is removed, then the page; it is kept again when that is asked for", async () => {
    await expect(page.locator("html[data-asked]")).toHaveCount(1);
    await openKept();
    await mine.getByRole("button", { name: "Remove mine" }).click();
    await mine.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(mine).toContainText("not saved");
    await dialog().getByRole("button", { name: "Do not save the page" }).click();
    // Whatever the service worker is at then is ended with it.
    await page.evaluate(() => {
      for (let count = 0; count < 100; count += 1) navigator.serviceWorker.controller?.postMessage("keep");
    });
    await dialog().getByRole("button", { name: "Remove", exact: true }).click();
    await expect(dialog()).toContainText("You chose not to save the page");
    const ofThePage = () =>
      page.evaluate(async () => (await caches.keys()).filter((name) => name.includes("/some/sub/path/")));
    expect(await ofThePage()).toEqual([]);
    // Heard after that, it begins nothing anew; nor is what the page fetches now kept.
    await page.evaluate(async () => {
      dispatchEvent(new Event("heard"));
      for (let count = 0; count < 10; count += 1) await (await fetch("local-models.json")).text();
    });
    expect(await ofThePage()).toEqual([]);
    await page.reload();
    await page.locator(".run-controls").waitFor();
    expect(
      await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()) ?? null),
    ).toBeNull();
    await openKept();
    await dialog().getByRole("button", { name: "Save the page for offline use" }).click();
    await expect(dialog().getByRole("button", { name: /^Save the whole page/ })).toBeVisible();
    await expect.poll(ofThePage).toContainEqual(expect.stringContaining("precache"));
    await page.keyboard.press("Escape");
  });
});

test("a newer version is offered, waits for the end of a run, and comes when it is asked for", async () => {
  await page.goto(address);
  await page.locator(".run-controls").waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready);
  // The page as a next version would be: another text in it, and a service worker that knows of it.
  const html = join(folder, "index.html");
  writeFileSync(html, readFileSync(html, "utf8").replace("<title>Midtoken</title>", "<title>Newer</title>"));
  const worker = join(folder, "service-worker.js");
  const script = readFileSync(worker, "utf8");
  const newer = script.replace(/(index\.html[`"'],\s*revision:\s*[`"'])\w+/, "$1newer");
  expect(newer).not.toBe(script);
  writeFileSync(worker, newer);
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.update());
  const offer = page.getByRole("button", { name: /A newer version of Midtoken is available/ });
  await expect(offer).toBeEnabled();
  // It waits: nothing has changed on the page.
  await expect(page).toHaveTitle("Midtoken");
  await expectAccessible(page, "a newer version is offered");
  await offer.click();
  await expect(page).toHaveTitle("Newer");
  await expect(page.locator(".run-controls")).toBeVisible();
  await expect(offer).toBeHidden();
  await stopServing();
  await page.reload();
  await expect(page).toHaveTitle("Newer");
  await serve(Number(new URL(address).port));
});
