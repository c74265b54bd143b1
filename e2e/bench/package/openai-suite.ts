/** OpenAI's own client, unmodified: its suite in Node on the handler, and in Chromium in a tab beside the one with the engine; and what is refused. */
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { createServer } from "vite";
import { refusals } from "../../../src/api/testing/refusals.ts";
import { openAiCases, runSuite, type SuiteResult } from "../../../src/http/testing/openai-suite.ts";
import type { StoryHttp } from "../../../src/http/testing/story-http.ts";
import type { Tab } from "../../http/tab.ts";
import { openBenchPage } from "../decode/browser.ts";
import { type BenchRow, exactly } from "../machine.ts";

declare global {
  interface Window {
    tab: Tab;
  }
}

export async function openAiSuiteRows(): Promise<BenchRow[]> {
  const inNode = await suiteInNode();
  const inTabs = await suiteInTabs();
  for (const { name, error } of [...inNode, ...inTabs])
    if (error !== null) console.error(`${name}: ${error}`);
  return [
    passed("openai client, on the handler in Node: cases that pass", inNode),
    passed("openai client, through the service worker in Chromium: cases that pass", inTabs),
    passed(
      `what OpenAI has and we refuse, each with its 400 (${refusals.length}, listed in docs/http.md)`,
      inTabs.filter(({ name }) => name.startsWith("refused: ")),
    ),
  ];
}

function passed(name: string, results: readonly SuiteResult[]): BenchRow {
  const right = results.filter(({ error }) => error === null).length;
  return exactly(name, right, `of ${results.length}`, results.length);
}

/** Loaded by Vite, which makes some of the engine's modules. */
async function suiteInNode(): Promise<readonly SuiteResult[]> {
  const root = resolve(import.meta.dirname, "../../..");
  const server = await createServer({
    configFile: `${root}/e2e/vite.config.ts`,
    ...{
      server: { middlewareMode: true, ws: false },
      appType: "custom",
      optimizeDeps: { noDiscovery: true },
    },
  });
  try {
    const { startStoryHttp } = (await server.ssrLoadModule("/src/http/testing/story-http.ts")) as {
      startStoryHttp: () => Promise<StoryHttp>;
    };
    const { context, dispose } = await startStoryHttp();
    const results = await runSuite(openAiCases, context);
    await dispose();
    return results;
  } finally {
    await server.close();
  }
}

async function suiteInTabs(): Promise<readonly SuiteResult[]> {
  const { page: asking, close } = await openBenchPage(null, { path: "../http/tab.html", global: "tab" });
  try {
    const serving = await anotherTab(asking);
    await serving.evaluate(() => window.tab.serve("/e2e/http/service-worker.js"));
    return await asking.evaluate(() => window.tab.suite());
  } finally {
    await close();
  }
}

async function anotherTab(page: Page): Promise<Page> {
  const [tab] = await Promise.all([
    page.waitForEvent("popup"),
    page.evaluate(() => void window.open("./tab.html", "_blank")),
  ]);
  await tab.waitForFunction(() => "tab" in window);
  return tab;
}
