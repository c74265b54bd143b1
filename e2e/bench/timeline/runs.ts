/** 5,000 kept runs: how long their list and a search take, in Chromium with a profile on disk. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";
import { createServer } from "vite";
import { ensureChromium } from "../../../scripts/browsers.mjs";
import { chromiumArgs } from "../../../scripts/chromium-switches.ts";
import { type BenchRow, exactly, figure, timeAtMost } from "../machine.ts";
import { median } from "../statistics.ts";
import { drawList } from "./draw-list.ts";
import type { RunsBench } from "./runs-page.ts";

const count = 5_000;
/** Each visit is a new page with a connection of its own. */
const visits = 9;

const queries = [
  { name: "a word in one run", query: "needle", found: 1 },
  { name: "a word in none", query: "nowhere-at-all", found: 0 },
  { name: "a word in every run", query: "the", found: count },
  { name: "three words in every run", query: "SAM kite bird", found: count },
];

export async function runRows(): Promise<BenchRow[]> {
  const root = resolve(import.meta.dirname, "../../..");
  const profile = await mkdtemp(join(tmpdir(), "midtoken-runs-"));
  const server = await createServer({
    configFile: `${root}/e2e/vite.config.ts`,
    cacheDir: `${root}/node_modules/.vite-bench`,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  await server.listen();
  const address = new URL("e2e/bench/timeline/runs.html", server.resolvedUrls?.local[0]).href;
  const launch = async () =>
    chromium.launchPersistentContext(profile, {
      executablePath: await ensureChromium(),
      args: chromiumArgs(),
    });
  const visit = async <Value>(
    context: Awaited<ReturnType<typeof launch>>,
    act: (bench: RunsBench) => Promise<Value>,
  ) => {
    const page = await context.newPage();
    page.on("pageerror", (error) => console.error(`The bench's page failed: ${error.message}`));
    await page.goto(address);
    await page.waitForFunction(() => "runsBench" in globalThis);
    const call = (name: string, ...given: readonly unknown[]) =>
      page.evaluate(
        ([method, values]) =>
          (globalThis.runsBench as unknown as Record<string, (...all: unknown[]) => unknown>)[
            method as string
          ]?.(...(values as unknown[])),
        [name, given] as const,
      );
    try {
      return await act({
        fill: (runs) => call("fill", runs) as ReturnType<RunsBench["fill"]>,
        list: () => call("list") as ReturnType<RunsBench["list"]>,
        search: (query) => call("search", query) as ReturnType<RunsBench["search"]>,
      });
    } finally {
      await page.close();
    }
  };
  try {
    const first = await launch();
    const filled = await visit(first, (bench) => bench.fill(count));
    await first.close();
    // Another process, which has read nothing of it yet.
    const context = await launch();
    const rows: BenchRow[] = [
      figure("runs kept", count, "runs"),
      figure("their prompts and outputs", filled.characters / 1e6, "million characters"),
      figure("keeping one, its trace 12 KB", filled.keepMs, "ms"),
    ];
    const lists = [];
    for (let at = 0; at < visits; at += 1) lists.push(await visit(context, (bench) => bench.list()));
    rows.push(
      await timeAtMost("list of all, connection included", median(lists.map(({ ms }) => ms)), "ms", 100),
      figure("  the first of a new browser", lists[0]?.ms ?? Number.NaN, "ms"),
      exactly("  runs in it", lists[0]?.count ?? 0, "runs", count),
    );
    const drawn = await drawList(context, count, visits);
    rows.push(
      await timeAtMost("history opened, to its rows drawn", median(drawn.times), "ms", 100),
      figure("  elements of the list", drawn.elements, "elements"),
    );
    for (const { name, query, found } of queries) {
      const searches = [];
      for (let at = 0; at < visits; at += 1)
        searches.push(await visit(context, (bench) => bench.search(query)));
      rows.push(
        await timeAtMost(`search: ${name}`, median(searches.map(({ ms }) => ms)), "ms", 300),
        figure(
          "  longest task on the page's thread",
          Math.max(...searches.map(({ longestTask }) => longestTask)),
          "ms",
        ),
        exactly("  runs found", searches[0]?.count ?? -1, "runs", found),
      );
    }
    await context.close();
    return rows;
  } finally {
    await server.close();
    await rm(profile, { recursive: true, force: true });
  }
}
