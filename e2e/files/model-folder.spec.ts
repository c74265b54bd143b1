/** A model's folder that a stranger filled with pages and programs: in a browser it is data, whatever is tried with it. */
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { createStaticServer } from "../../scripts/static-server.ts";
import { makeHostileFolders } from "../../scripts/testing/hostile-folders.ts";
import { Firefox } from "../firefox/marionette.ts";

const { page: home, models } = makeHostileFolders();
/** Under `/served/` as the local server serves models; under `/control/` as if they were the page's own. */
const server = createStaticServer({
  pages: { "/": home, "/control/": models },
  models: { "/served/": models },
});
let origin = "";

test.beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The folder's files, the program under two names that are served and two that are not. */
const programs = ["tokenizer.json", "config.json", "index.js", "index.mjs"];

/** In the page: tries to run each file as a script, a module, a worker and a service worker. @returns what ran. */
async function tryToRun(folder: string, files: readonly string[]): Promise<string[]> {
  const ran: string[] = [];
  const left = globalThis as { pwned?: boolean };
  const note = (what: string, isSo: boolean) => {
    if (isSo) ran.push(what);
    delete left.pwned;
  };
  for (const file of files) {
    const address = new URL(file, new URL(folder, location.href)).href;
    for (const type of ["", "module"]) {
      const script = document.createElement("script");
      Object.assign(script, { type, src: address });
      const settled = new Promise((resolve) => {
        script.onload = script.onerror = resolve;
      });
      document.head.append(script);
      await settled;
      note(`${file} as a script ${type}`, left.pwned === true);
    }
    for (const type of ["classic", "module"] as const) {
      const worker = new Worker(address, { type });
      const answered = await new Promise<boolean>((resolve) => {
        worker.onmessage = () => resolve(true);
        worker.onerror = () => resolve(false);
      });
      worker.terminate();
      note(`${file} as a worker ${type}`, answered);
    }
    const registration = await navigator.serviceWorker.register(address).catch(() => null);
    await registration?.unregister();
    note(`${file} as a service worker`, registration !== null);
  }
  if (localStorage.getItem("pwned") !== null) ran.push("something that wrote to the page's storage");
  localStorage.clear();
  return ran;
}

/** The attempts work where nothing is in their way. */
const whatRunsUnguarded = ["index.js", "index.mjs"]
  .flatMap((file) => [
    `${file} as a script `,
    `${file} as a script module`,
    `${file} as a worker classic`,
    `${file} as a worker module`,
    `${file} as a service worker`,
  ])
  .concat("something that wrote to the page's storage");

test("in Chromium nothing of it runs, and opening a file is a download or a refusal", async ({ page }) => {
  await page.goto(`${origin}/`);
  expect(await page.evaluate(`(${tryToRun})("/served/evil/", ${JSON.stringify(programs)})`)).toEqual([]);
  const control = await page.evaluate(`(${tryToRun})("/control/evil/", ${JSON.stringify(programs)})`);
  expect(control).toEqual(whatRunsUnguarded);

  for (const file of ["", "index.html", "index.svg", "index.xhtml", "index.pdf", "index.js"]) {
    const response = await page.goto(`${origin}/served/evil/${file}`);
    expect([file, response?.status()]).toEqual([file, 403]);
    expect(await page.evaluate("globalThis.pwned")).toBeUndefined();
    expect(await page.evaluate("origin")).toBe("null");
  }
  for (const file of ["config.json", "onnx/model.onnx"]) {
    const download = page.waitForEvent("download");
    await expect(page.goto(`${origin}/served/evil/${file}`)).rejects.toThrow("Download is starting");
    await (await download).cancel();
  }
  // Nor in a frame, which the page's own policy would allow.
  await page.goto(`${origin}/`);
  // The page is isolated, and takes no document into a frame that is not: before anything says that nobody may frame it.
  const refused = page.waitForEvent("requestfailed", (request) => request.url().endsWith("index.html"));
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.src = "/served/evil/index.html";
    document.body.append(frame);
  });
  await refused;
  expect(await page.evaluate('localStorage.getItem("pwned")')).toBeNull();
});

test("in Firefox nothing of it runs", async () => {
  const firefox = await Firefox.launch();
  try {
    await firefox.goto(`${origin}/`);
    expect(await firefox.evaluate(tryToRun, "/served/evil/", programs)).toEqual([]);
    expect(await firefox.evaluate(tryToRun, "/control/evil/", programs)).toEqual(whatRunsUnguarded);
    await firefox.goto(`${origin}/served/evil/index.html`);
    expect(await firefox.evaluate(() => [document.body.textContent, origin])).toEqual([
      expect.stringContaining("is no file of a model"),
      "null",
    ]);
  } finally {
    await firefox.close();
  }
});
