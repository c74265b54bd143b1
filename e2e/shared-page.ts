/** A page that all tests of a file share, where they do not need their own: it is opened, and its modules are read, once. */
import { test as base, type Page } from "@playwright/test";

/**
 * Playwright's `test`, whose `page` is one for the file. A test that fails ends its worker, so that the next one gets another.
 * @param path of the page. @param name of a global that it has once it is ready.
 */
export function testsOnOnePage(path: string, name: string) {
  return base.extend<object, { sharedPage: Page }>({
    sharedPage: [
      async ({ browser }, use, { project }) => {
        const page = await browser.newPage({ baseURL: project.use.baseURL });
        await page.goto(path);
        await page.waitForFunction((global) => global in globalThis, name);
        await use(page);
        await page.close();
      },
      { scope: "worker" },
    ],
    page: ({ sharedPage }, use) => use(sharedPage),
  });
}
