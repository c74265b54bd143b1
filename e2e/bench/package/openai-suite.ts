/** OpenAI's own client, unmodified: its suite in Node on the handler, and in Chromium in a tab beside the one with the engine; and what is refused. */
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { createServer } from "vite";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { refusalCases } from "../../../src/package/api/testing/refusals.ts";
import { openAiCases, runSuite, type SuiteResult } from "../../../src/package/http/testing/openai-suite.ts";
import type { HttpTestEngine } from "../../../src/package/http/testing/story-http.ts";
import type { SuiteCase } from "../../../src/package/http/testing/suite-case.ts";
import { chatCases } from "../../../src/package/http/testing/suite-chat.ts";
import type { Tab } from "../../http/tab.ts";
import { openBenchPage } from "../decode/browser.ts";
import { type BenchRow, exactly, missingRows } from "../machine.ts";

declare global {
  interface Window {
    tab: Tab;
  }
}

export async function openAiSuiteRows(): Promise<BenchRow[]> {
  const inNode = await suitesInNode();
  const inTabs = await suiteInTabs();
  for (const { name, error } of [...inNode.story, ...(inNode.instruct ?? []), ...inTabs]) {
    if (error !== null) console.error(`${name}: ${error}`);
  }
  return [
    passed("openai client, on the handler in Node: cases that pass", inNode.story),
    ...(inNode.instruct
      ? [passed("openai client, SmolLM2, in Node: cases that pass", inNode.instruct)]
      : missingRows("openai client, SmolLM2")),
    passed("openai client, through the service worker in Chromium: cases that pass", inTabs),
    passed(
      `what OpenAI has and we refuse, each with its 400 (${refusalCases.length}, listed in docs/http.md)`,
      inTabs.filter(({ name }) => name.startsWith("refused: ")),
    ),
  ];
}

function passed(name: string, results: readonly SuiteResult[]): BenchRow {
  const right = results.filter(({ error }) => error === null).length;
  return exactly(name, right, `of ${results.length}`, results.length);
}

interface NodeResults {
  readonly story: readonly SuiteResult[];
  /** Null if the model is not there. */
  readonly instruct: readonly SuiteResult[] | null;
}

/** Loaded by Vite, which makes some of the engine's modules. */
async function suitesInNode(): Promise<NodeResults> {
  const root = resolve(import.meta.dirname, "../../..");
  const server = await createServer({
    configFile: `${root}/e2e/vite.config.ts`,
    server: { middlewareMode: true, ws: false },
    appType: "custom",
    optimizeDeps: { noDiscovery: true },
  });
  try {
    const { startStoryTestEngine, startInstructTestEngine } = (await server.ssrLoadModule(
      "/src/package/http/testing/story-http.ts",
    )) as typeof import("../../../src/package/http/testing/story-http.ts");
    const run = async (cases: readonly SuiteCase[], started: Promise<HttpTestEngine>) => {
      const { context, dispose } = await started;
      return runSuite(cases, context).finally(dispose);
    };
    const story = await run(openAiCases, startStoryTestEngine());
    const folder = modelFolder("smollm2-135m-instruct");
    return {
      story,
      instruct: folder === null ? null : await run(chatCases, startInstructTestEngine(folder)),
    };
  } finally {
    await server.close();
  }
}

async function suiteInTabs(): Promise<readonly SuiteResult[]> {
  const { page: asking, close } = await openBenchPage({ at: { path: "../http/tab.html", global: "tab" } });
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
