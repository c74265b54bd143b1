/** From opening the history to its rows on the page: the built page, with thousands of runs in the browser's own IndexedDB. */
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { runWith } from "../../../src/page/runs/testing/some-runs.ts";

/** Milliseconds of each opening, and how many elements the list has. The first, for which the history is fetched, is left out. */
export async function drawList(
  context: BrowserContext,
  count: number,
  openings: number,
): Promise<{ readonly times: readonly number[]; readonly elements: number }> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const server = createStaticServer({ pages: { "/": folder } });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = await context.newPage();
  try {
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.getByRole("heading", { name: "Change what a model says" }).waitFor();
    // The page makes the database, not the look at it.
    await page.waitForFunction(async () =>
      (await indexedDB.databases()).some(({ name }) => name === "midtoken.runs.v1"),
    );
    await fill(page, count);
    const times: number[] = [];
    for (let opening = -1; opening < openings; opening += 1) {
      const ms = await open(page);
      if (opening >= 0) times.push(ms);
      if (opening < openings - 1) await page.keyboard.press("Escape");
    }
    const elements = await page.locator(".run-list *").count();
    return { times, elements };
  } finally {
    await page.close();
    server.closeAllConnections();
    server.close();
  }
}

async function fill(page: Page, count: number): Promise<void> {
  const { metadata } = runWith(
    "",
    {},
    { prompt: "Once upon a time, ".repeat(13), output: "there was ".repeat(24) },
  );
  await page.evaluate(
    async ([template, copies]) => {
      const opened = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open("midtoken.runs.v1");
        request.onsuccess = () => resolve(request.result);
      });
      const transaction = opened.transaction("metadata", "readwrite");
      for (let at = 0; at < copies; at += 1) {
        const id = `run-${at}`;
        transaction.objectStore("metadata").put({ ...template, id, when: at }, id);
      }
      await new Promise((resolve) => {
        transaction.oncomplete = resolve;
      });
      opened.close();
    },
    [metadata, count] as const,
  );
}

function open(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const start = performance.now();
        new MutationObserver((_changes, observer) => {
          if (!document.querySelector(".run-row")) return;
          observer.disconnect();
          requestAnimationFrame(() => resolve(performance.now() - start));
        }).observe(document.body, { childList: true, subtree: true });
        document.querySelector<HTMLElement>(".history-button")?.click();
      }),
  );
}
