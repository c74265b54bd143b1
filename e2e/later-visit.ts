/** Lets pages begin as on a later visit: before the first run of a browser the page hides most controls, which first-visit.spec.ts tests. */
import type { BrowserContext, Page } from "@playwright/test";

/** A page with the cookie "first-visit" begins as a first visit does. */
export async function beginAsLaterVisit(where: BrowserContext | Page): Promise<void> {
  await where.addInitScript(() => {
    const key = "midtoken.settings.v1";
    try {
      if (localStorage.getItem(key) !== null || document.cookie.includes("first-visit")) return;
      localStorage.setItem(key, JSON.stringify({ showsAll: true }));
    } catch {
      // A frame of an opaque origin has no storage.
    }
  });
}
