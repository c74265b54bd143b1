/**
 * Playwright's `test` for the page: all tests of a run share one browser context, so that the page's scripts are fetched and
 * compiled once, as for a visitor who comes back. Before each test the page's storage, databases and models are removed.
 */
import { type BrowserContext, test as base, type CDPSession } from "@playwright/test";
import { beginAsLaterVisit } from "../later-visit.ts";

export { expect, type Page } from "@playwright/test";

/** A page's stored data, but for the browser's own cache of files (Storage.StorageType of the Chrome DevTools Protocol). */
const kept =
  "cookies,local_storage,indexeddb,cache_storage,file_systems,service_workers,websql,storage_buckets";

/**
 * Keeps a notice with a button, for example Undo, for a minute, as a pointer that rests on the notice does. Otherwise the notice
 * leaves after ten seconds, and on a busy machine axe alone may take longer before a test presses the button.
 */
function holdNotices(): void {
  const held = new WeakSet<Element>();
  const point = (notice: Element, type: string) =>
    notice.dispatchEvent(new PointerEvent(type, { bubbles: true }));
  new MutationObserver(() => {
    for (const notice of document.querySelectorAll(".notice")) {
      const hasAction = notice.querySelectorAll("button").length > 1;
      if (!hasAction || held.has(notice)) continue;
      held.add(notice);
      point(notice, "pointerover");
      setTimeout(() => point(notice, "pointerout"), 60_000);
    }
  }).observe(document, { childList: true, subtree: true });
}

interface Shared {
  readonly sharedContext: BrowserContext;
  /** Empties the storage, from an empty page that stays open: a page for each test would cost half a second of processor time. */
  readonly storageSession: CDPSession;
}

export const test = base.extend<object, Shared>({
  sharedContext: [
    async ({ browser }, use, { project }) => {
      const context = await browser.newContext({ baseURL: project.use.baseURL });
      // As in a browser without service workers: what one keeps would be there in the next test, and what a test makes of the
      // network would not reach it. Offline use has tests of its own (offline.spec.ts).
      await context.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined }),
      );
      await context.addInitScript(holdNotices);
      await beginAsLaterVisit(context);
      await use(context);
      await context.close();
    },
    { scope: "worker" },
  ],
  storageSession: [
    async ({ sharedContext }, use) => use(await sharedContext.newCDPSession(await sharedContext.newPage())),
    { scope: "worker" },
  ],
  context: async ({ sharedContext, storageSession, baseURL }, use) => {
    const before = new Set(sharedContext.pages());
    const { origin } = new URL(baseURL ?? "");
    await storageSession.send("Storage.clearDataForOrigin", { origin, storageTypes: kept });
    await use(sharedContext);
    for (const page of sharedContext.pages()) if (!before.has(page)) await page.close();
  },
});
