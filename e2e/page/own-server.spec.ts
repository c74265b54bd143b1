/** A model on a llama.cpp server, used from the page: behind the relay of `npm start -- --engine URL`, and directly. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildPageIfStale } from "../../scripts/build-page.ts";
import { createEngineRelay } from "../../scripts/engine-relay.ts";
import { findLlamaServer, llamaServerRequirement } from "../../scripts/remote/find-server.ts";
import { type RunningLlamaServer, startLlamaServer } from "../../scripts/remote/start-server.ts";
import { storyGguf } from "../../scripts/remote/story-gguf.ts";
import { createStaticServer } from "../../scripts/static-server.ts";
import {
  cells,
  expectAccessible,
  listenForErrors,
  pressRun,
  runToEnd,
  sharedLink,
  textOf,
  untilEnded,
} from "./page.ts";
import { expect, type Page, test } from "./test.ts";

test.skip(findLlamaServer() === null, `Missing: ${llamaServerRequirement}`);

const key = "a-key-that-nobody-may-see";
let directory: string;
let llama: RunningLlamaServer;
const startLlama = (port?: number) =>
  startLlamaServer({
    model: join(directory, "story.gguf"),
    slots: 2,
    flags: ["--api-key", key],
    ...(port !== undefined && { port }),
  });
const open: Server[] = [];

/** The address of a server on this machine, which ends with the test. */
async function listening(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The built page, at an address of its own. */
async function servePage(relayed?: string): Promise<string> {
  const folder = await buildPageIfStale(() => undefined);
  const answer = relayed === undefined ? null : createEngineRelay({ url: relayed, key });
  return listening(
    createStaticServer({
      pages: { "/": folder },
      json: { "/local-models.json": async () => [], "/live.json": async () => ({}) },
      ...(answer && { relay: { path: "/engine/", answer } }),
    }),
  );
}

test.beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "midtoken-llama-"));
  writeFileSync(join(directory, "story.gguf"), storyGguf());
  llama = await startLlama();
});
test.afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
test.afterAll(async () => {
  await llama?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function openForm(page: Page) {
  await page.locator(".model-button").click();
  const panel = page.getByRole("region", { name: "Models" });
  await panel.getByText("Your own server").click();
  await expect(panel.getByRole("button", { name: "Use this server" })).toBeVisible();
  return panel;
}

/** Chooses the server behind the relay. */
async function useRelay(page: Page): Promise<void> {
  const panel = await openForm(page);
  await panel.getByRole("button", { name: "Use this server" }).click();
  await expect(panel.getByText(/runs on llama\.cpp/)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator(".model-where")).toHaveText("Server");
}

/** Everything that the page has stored, in all of its storages. */
function stored(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const texts = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
    const settled = <Value>(request: IDBRequest<Value>) =>
      new Promise<Value>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await settled(indexedDB.open(name));
      for (const store of database.objectStoreNames) {
        const all = await settled(database.transaction(store).objectStore(store).getAll());
        for (const each of all) {
          texts.push(JSON.stringify(each));
          if (each instanceof Uint8Array) texts.push(new TextDecoder("latin1").decode(each));
        }
      }
      database.close();
    }
    return texts.join("\n");
  });
}

test("behind the relay: the text of the model here, a failure in mid-answer, and nothing of key or address", async ({
  page,
}) => {
  const errors = listenForErrors(page);
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/engine/")) asked.push(JSON.stringify(request.headers()));
  });
  const address = await servePage(llama.url);
  await page.goto(address);
  await runToEnd(page);
  const local = await textOf(page);
  expect(asked).toEqual([]);

  const panel = await openForm(page);
  await expect(panel).toContainText("llama.cpp runs the model");
  await expect(panel.locator('input[type="password"]:visible')).toHaveCount(0);
  await expectAccessible(page, "Your own server");
  await page.keyboard.press("Escape");
  await useRelay(page);
  await runToEnd(page);
  expect(await textOf(page)).toBe(local);
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.join()).not.toContain(key);

  // The choice outlives a reload.
  await page.evaluate(() =>
    sessionStorage.setItem(
      "midtoken.breakpoints.v1",
      JSON.stringify([{ type: "event", event: "added", id: "of-the-test", enabled: true }]),
    ),
  );
  await page.goto(address);
  await pressRun(page);
  const line = page.locator(".run-line p").first();
  await expect(line).toContainText("Paused");
  const held = await textOf(page);
  expect(held).not.toBe("");
  const { port } = new URL(llama.url);
  await llama.stop();
  await page.evaluate(() => sessionStorage.removeItem("midtoken.breakpoints.v1"));
  await page.locator(".run-controls").getByRole("button", { name: "Breakpoints" }).click();
  await page.getByRole("dialog", { name: "Breakpoints" }).getByRole("checkbox").uncheck();
  await page.keyboard.press("Escape");
  await page
    .locator(".run-controls")
    .getByRole("button", { name: /^(Resume|Continue)/ })
    .click();
  await expect(page.getByText("No model server answers at the address of --engine").first()).toBeVisible();
  expect(await textOf(page)).toContain(held);
  llama = await startLlama(Number(port));
  await runToEnd(page);
  expect(await textOf(page)).toBe(local);

  const link = await sharedLink(page);
  for (const secret of [key, llama.url, new URL(llama.url).host]) {
    expect(decodeURIComponent(link)).not.toContain(secret);
    expect(await stored(page)).not.toContain(secret);
    expect(errors.join()).not.toContain(secret);
  }
});

test("behind the relay: a mod, a branch, a saved page, live sharing and an experiment", async ({
  page,
  context,
}, info) => {
  await page.goto(await servePage(llama.url));
  await useRelay(page);

  const before = await test.step("a mod steps in", async () => {
    await runToEnd(page);
    const made = await cells(page);
    expect(made.some(({ mark }) => mark === "forced")).toBe(true);
    return made;
  });

  const branch = await test.step("a branch from a step keeps the words before", async () => {
    const at = before.findIndex(({ mark }, index) => index > 40 && mark === "plain");
    await page.locator(`[data-index="${at}"]`).first().click();
    const row = page
      .locator(".alternatives tbody tr")
      .filter({ has: page.locator(".alternative-take") })
      .first();
    const word = ((await row.locator(".alternative-text").textContent()) ?? "").replaceAll("·", " ");
    await row.locator(".alternative-take").click();
    await untilEnded(page);
    const made = await cells(page);
    expect(made.slice(0, at)).toEqual(before.slice(0, at));
    expect(made[at]?.text).toBe(word);
    expect(made.length).toBeGreaterThan(at + 10);
    return made;
  });

  await test.step("a saved page shows the run without the server", async () => {
    await page.getByRole("button", { name: "Share this run" }).click();
    await page.getByRole("tab", { name: "Web page", exact: true }).click();
    await expect(page.locator(".share-length")).toContainText("for the viewer");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save the page" }).click();
    const file = info.outputPath("run.html");
    await (await download).saveAs(file);
    await page.keyboard.press("Escape");
    const other = await context.newPage();
    const asked: string[] = [];
    other.on("request", (request) => asked.push(request.url()));
    await other.goto(pathToFileURL(file).href);
    await expect.poll(() => cells(other)).toEqual(branch);
    expect(asked).toEqual([pathToFileURL(file).href]);
    await other.close();
  });

  await test.step("a run is watched from another tab", async () => {
    await page.getByRole("button", { name: "Share this run" }).click();
    await page.getByRole("tab", { name: "Live" }).click();
    await page.getByRole("button", { name: "Share live" }).click();
    const address = await page.locator("[data-address]").getAttribute("data-address");
    const watcher = await context.newPage();
    await watcher.goto(address ?? "");
    await expect(page.getByRole("heading", { name: "1 watching" })).toBeVisible();
    await page.keyboard.press("Escape");
    await runToEnd(page);
    expect(await textOf(page)).toBe(before.map(({ text }) => text).join(""));
    await expect.poll(async () => (await textOf(watcher)) === (await textOf(page))).toBe(true);
    await watcher.close();
  });

  await test.step("an experiment runs to its end", async () => {
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await page.getByLabel("Prompts, one per line").fill("Once upon a time");
    await page.getByLabel("Seeds").fill("1");
    await expect(page.getByText("4 mod sets × 1 prompt × 1 seed = 4 runs")).toBeVisible();
    await page.getByRole("button", { name: "Start" }).click();
    await expect(page.locator(".experiment-progress [role=status]")).toHaveText("4 runs", {
      timeout: 120_000,
    });
    await expect(page.locator(".results tbody tr:not(.results-runs)")).toHaveCount(4);
  });
});

test("directly: each fault is a sentence, and the key goes to the typed address alone", async ({ page }) => {
  const address = await servePage();
  const withKey: string[] = [];
  page.on("request", async (request) => {
    const headers = await request.allHeaders().catch(() => ({}));
    if (JSON.stringify(headers).includes(key)) withKey.push(new URL(request.url()).origin);
  });
  const closed = await listening(createServer((_request, response) => response.end("{}")));
  await page.goto(address);
  const panel = await openForm(page);
  const field = panel.getByLabel("Address", { exact: true });
  const end = panel.locator(".own-server-form > p").last();
  const fails = async (typed: string, sentence: string | RegExp) => {
    await field.fill(typed);
    await panel.getByRole("button", { name: "Test connection" }).click();
    await expect(end).toContainText(sentence);
  };
  // The local server isolates its page, which then cannot tell the two apart.
  await fails("http://127.0.0.1:1", /No server at http:\/\/127\.0\.0\.1:1 answers this page.*CORS/);
  await fails(
    closed,
    /No server at .* answers this page.*does not let pages from .* read its responses \(CORS\)/,
  );
  await fails("http://192.168.1.7:9931", "npm start -- --engine");
  await fails(llama.url, "refuses the key (401)");
  await panel.getByLabel("Key, if the server asks for one").fill(key);
  await panel.getByRole("button", { name: "Test connection" }).click();
  await expect(end).toContainText("llama.cpp runs the model");
  await panel.getByRole("button", { name: "Use this server" }).click();
  await expect(end).toContainText("runs on llama.cpp");
  await page.keyboard.press("Escape");
  await runToEnd(page);
  expect((await textOf(page)).length).toBeGreaterThan(20);
  expect(new Set(withKey)).toEqual(new Set([llama.url]));
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(key);
  expect(await sharedLink(page)).not.toContain(key);
});
