/** Streams under backtracks, many requests at once, and what a token costs through OpenAI's calls: in Chromium, with the real sandbox. */
import { openBenchPage } from "../decode/browser.ts";
import { atMost, type BenchRow, exactly, figure } from "../machine.ts";
import { median } from "../statistics.ts";
import type { EngineBench } from "./engine-page.ts";

declare global {
  interface Window {
    engineBench: EngineBench;
  }
}

async function onPage<Result>(
  work: (page: Awaited<ReturnType<typeof openBenchPage>>["page"]) => Promise<Result>,
) {
  const { page, close } = await openBenchPage({ at: { path: "package/engine.html", global: "engineBench" } });
  try {
    await page.evaluate(() => window.engineBench.open());
    return await work(page);
  } finally {
    await close();
  }
}

export function streamRows(): Promise<BenchRow[]> {
  return onPage(async (page) => {
    const found = await page.evaluate(() => window.engineBench.randomStreams(1000));
    if (found.example) console.error(found.example);
    if (found.tookBack < found.streams / 4)
      throw new Error(`Only ${found.tookBack} mods took anything back.`);
    return [
      exactly(
        "streams under 1,000 random mods: text is not the trace's",
        found.different,
        `of ${found.streams}`,
        0,
      ),
      exactly("streams under 1,000 random mods: half characters", found.halves, "pieces", 0),
      figure("of them, a mod took text back", found.tookBack, `of ${found.streams}`),
      figure("of them with retractions, retract chunks", found.retracted, "chunks"),
    ];
  });
}

export function manyRequestsRows(): Promise<BenchRow[]> {
  return onPage(async (page) => {
    const found = await page.evaluate(() => window.engineBench.hundred());
    for (const line of found.wrong.slice(0, 5)) console.error(line);
    return [
      exactly(
        "100 requests at once, 20 aborted, 10 with a failing mod: each its own end",
        found.right,
        "of 100",
        100,
      ),
    ];
  });
}

export function tokenTimeRows(): Promise<BenchRow[]> {
  return onPage(async (page) => {
    const { bare, streamed, whole } = await page.evaluate(() => window.engineBench.tokenTimes(15, 200));
    const ratio = (times: readonly number[]) => median(times) / median(bare);
    return [
      figure("decode() alone, a token, bundled model", median(bare) * 1000, "µs"),
      atMost("chat.completions, streamed, over decode() alone", ratio(streamed), "×", 1.2),
      figure("chat.completions, not streamed, over decode() alone", ratio(whole), "×"),
    ];
  });
}
