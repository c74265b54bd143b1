/** A browser without a database, with full storage, or in a private window opens a first run and a link. The page says once what the browser does not save. */
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { encodePermalink } from "../../src/core/trace/file/permalink.ts";
import { sampleTrace } from "../../src/core/trace/testing/sample-trace.ts";
import { Firefox } from "../firefox/marionette.ts";
import { beforeOpening, listenForErrors, runToEnd, textOf } from "./page.ts";

/** Fills both storages to the last character. The page's own settings fit no more. */
function fillStorages(): void {
  for (const storage of [localStorage, sessionStorage])
    for (let length = 6_000_000, part = 0; length >= 1; part += 1)
      try {
        storage.setItem(`filler ${part}`, "x".repeat(length));
      } catch {
        length = Math.floor(length / 2);
      }
}

async function fillBrowser(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(test.info().project.use.baseURL ?? "");
  await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1 });
  await beforeOpening(page, fillStorages, null);
}

/** The browser's database refuses to be opened, as in Firefox's private windows before version 115. */
const refuseDatabase = (how: "throws" | "fails") => (page: Page) =>
  page.addInitScript((refusal) => {
    const failure = new DOMException("The operation is insecure.", "SecurityError");
    const { open } = IDBFactory.prototype;
    IDBFactory.prototype.open = function refuse(name, version) {
      if (refusal === "throws") throw failure;
      const request = open.call(this, name, version);
      // The upgrade is aborted, so that the browser's own request fails.
      request.addEventListener("upgradeneeded", (event) => {
        event.stopImmediatePropagation();
        request.transaction?.abort();
      });
      return request;
    };
  }, how);

interface Trouble {
  readonly name: string;
  readonly begin: (page: Page) => Promise<unknown>;
  /** The only sentence after the first run; null if all is saved. */
  readonly says: RegExp | null;
}

const lasts = "will be lost when you close this tab, because the browser’s";

const troubles: readonly Trouble[] = [
  {
    name: "a database that throws when it is opened",
    begin: refuseDatabase("throws"),
    says: new RegExp(
      `^Not saved. Runs and versions of your mods ${lasts} database failed: .* Save runs as files.`,
    ),
  },
  {
    name: "a database that fails when it is opened",
    begin: refuseDatabase("fails"),
    says: new RegExp(
      `^Not saved. Runs and versions of your mods ${lasts} database failed: .* Save runs as files.`,
    ),
  },
  {
    name: "storages that are full",
    begin: fillBrowser,
    says: new RegExp(
      `^Not saved. Runs and your latest changes ${lasts} storage is full. Delete runs or models`,
    ),
  },
  // A context of Playwright is a private window of Chromium.
  { name: "a private window", begin: async () => {}, says: null },
];

/** All that the page says at the moment beside the run: notices and the banner about saving. */
function sentences(page: Page): Promise<readonly string[]> {
  return page.locator(".notice p, .banner[role=alert] p").allTextContents();
}

for (const { name, begin, says } of troubles) {
  test.describe(name, () => {
    let context: BrowserContext;
    test.beforeAll(async ({ browser, baseURL }) => {
      context = await browser.newContext(baseURL === undefined ? {} : { baseURL });
    });
    test.afterAll(() => context.close());

    test(`with ${name}, a first run works and one sentence says what is not saved`, async () => {
      const page = await context.newPage();
      const errors = listenForErrors(page);
      await begin(page);
      await page.goto("./");
      await runToEnd(page);
      expect(await textOf(page)).toContain("Max");
      const expected = says === null ? [] : [expect.stringMatching(says)];
      await expect.poll(() => sentences(page)).toEqual(expected);
      // Once the whole run was to be saved, there is still one sentence.
      if (says !== null) await page.getByRole("button", { name: "Try again" }).waitFor();
      expect(await sentences(page)).toEqual(expected);
      expect(errors).toEqual([]);
      await page.close();
    });

    test(`with ${name}, a link opens and goes on to the playground`, async () => {
      const page = await context.newPage();
      const errors = listenForErrors(page);
      await begin(page);
      const { fragment } = await encodePermalink(sampleTrace());
      await page.goto(`./${fragment}`);
      await expect(page.locator("[data-index]").first()).toBeVisible();
      expect(await sentences(page)).toEqual([]);
      await page.getByRole("button", { name: "Open in the playground" }).click();
      await expect(page.locator(".run-controls")).toBeVisible();
      // Beside it, a notice says where the mods of the link went.
      const unsaved = (await sentences(page)).filter((text) => /save|will be lost/i.test(text));
      expect(unsaved.length, unsaved.join(" | ")).toBeLessThanOrEqual(1);
      expect(errors).toEqual([]);
      await page.close();
    });
  });
}

test("in a private window of Firefox a first run works, and its link opens", async ({ baseURL }) => {
  const firefox = await Firefox.launch({ "browser.privatebrowsing.autostart": true });
  try {
    await firefox.goto(baseURL ?? "");
    await firefox.click('//*[contains(@class, "run-controls")]//button[starts-with(., "Run")]');
    await firefox.waitForText(".run-line p", /Ended/);
    const said = () =>
      Array.from(document.querySelectorAll(".notice p, .banner[role=alert] p"), (each) => each.textContent);
    expect(await firefox.evaluate(said)).toEqual([]);
    const { fragment } = await encodePermalink(sampleTrace());
    await firefox.openTab();
    await firefox.goto(`${baseURL}${fragment}`);
    await firefox.waitForText("body", /Recorded by someone else\. Nothing has run on this device\./);
    expect(await firefox.evaluate(said)).toEqual([]);
    expect(await firefox.consoleFaults(new URL(baseURL ?? "").origin)).toEqual([]);
  } finally {
    await firefox.close();
  }
});
