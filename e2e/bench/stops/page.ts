/** Stop on a page: from the click's call until the request or the load has ended. Chromium, WebAssembly. */
import {
  endlessAtLoad,
  endlessAtPrompt,
  endlessKinds,
} from "../../../src/runtime/engine/testing/endless-models.ts";
import { type BenchPage, openBenchPage, servedFolder } from "../decode/browser.ts";
import type {} from "../load/session.ts";
import type { BenchRow } from "../machine.ts";
import { type EndlessFolders, inWorkMs, stopRow, story, waitInWork } from "./folders.ts";

type Page = BenchPage["page"];

export async function pageRows(models: EndlessFolders): Promise<BenchRow[]> {
  const at = { path: "load/session.html", global: "midtoken" };
  const { page, close } = await openBenchPage({ at, folders: endlessKinds.map(models.of) });
  const rows: BenchRow[] = [];
  try {
    for (const kind of endlessAtLoad) {
      const ms = await cancelLoad(page, servedFolder(models.of(kind)));
      rows.push(stopRow(`page, Stop: ${kind}`, ms, await works(page)));
    }
    for (const kind of endlessAtPrompt) {
      await page.evaluate((path) => window.midtoken.load("wasm", path), servedFolder(models.of(kind)));
      const ms = await stopRequest(page);
      rows.push(stopRow(`page, Stop: ${kind}`, ms, await works(page)));
    }
  } finally {
    await close();
  }
  return rows;
}

/** Milliseconds, by the page's own clock. */
function cancelLoad(page: Page, path: string): Promise<number> {
  return page.evaluate(
    async ([folder, afterMs]) => {
      const start = performance.now();
      await window.midtoken.cancelLoad(folder, afterMs);
      return performance.now() - start - afterMs;
    },
    [path, inWorkMs] as const,
  );
}

async function stopRequest(page: Page): Promise<number> {
  const stopped = page.evaluate(async () => {
    await window.midtoken.run([], { maxTokens: 400 });
    return performance.now();
  });
  await waitInWork();
  const from = await page.evaluate(() => {
    const start = performance.now();
    window.midtoken.current()?.stop();
    return start;
  });
  return (await stopped) - from;
}

async function works(page: Page): Promise<boolean> {
  await page.evaluate(() => window.midtoken.load("wasm"));
  const { text } = await page.evaluate(() => window.midtoken.run([]));
  return text.startsWith(story);
}
