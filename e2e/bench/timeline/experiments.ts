/** An experiment of 4 mods × 10 prompts × 5 seeds on the built page: what it takes beside its runs, and how the page answers keys meanwhile. */
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { chromiumArgsWithoutWebGpu } from "../../../scripts/chromium-switches.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { defaultSampling } from "../../../src/core/base/sampling.ts";
import type { Experiment } from "../../../src/page/experiments/experiment.ts";
import {
  type ExperimentFile,
  experimentFromJson,
  experimentToJson,
} from "../../../src/page/experiments/experiment-file.ts";
import { resultTableRows } from "../../../src/page/experiments/table.ts";
import { plainSettings } from "../../../src/page/experiments/testing/plain-settings.ts";
import { launchChromium } from "../decode/browser.ts";
import { atMost, type BenchRow, exactly, figure } from "../machine.ts";

const modOf = (name: string) => ({
  name,
  mods: [{ name, source: readFileSync(`src/page/examples/${name}.ts`, "utf8") }],
});

const experiment: Experiment = {
  name: "bench",
  model: "stories260k",
  modSets: ["swap-name", "plot-twist", "start-with", "inject-after-tokens"].map(modOf),
  prompts: [
    ...["Once upon a time", "One day, a cat", "Lily and Tom went to the park", "There was a boy named Tim"],
    ...[
      "The sun was hot",
      "A big dog ran",
      "Mom said",
      "In the forest",
      "Sara had a red ball",
      "It was night",
    ],
  ].map((content) => ({ messages: [{ role: "user", content }] })),
  seeds: [1, 2, 3, 4, 5],
  settings: plainSettings({ ...defaultSampling, temperature: 0.7, topP: 0.95 }, 100),
  variation: null,
  checks: [{ name: "names Lily", type: "text", text: "Lily", ignoreCase: false }],
};

export async function experimentRows(): Promise<BenchRow[]> {
  const folder = await buildPageIfStale(() => console.error("Building the page …"));
  const server = createStaticServer({ pages: { "/": folder } }).listen(0, "127.0.0.1");
  const browser = await launchChromium(chromiumArgsWithoutWebGpu());
  try {
    const page = await browser.newPage();
    // tsx names functions by a helper of its own, which is not in the page.
    await page.addInitScript("globalThis.__name = (named) => named");
    page.on("pageerror", (error) => console.error(`The page failed: ${error.message}`));
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.locator(".run-controls").getByRole("button", { name: "Run" }).click();
    await page.locator(".run-line p", { hasText: "Ended" }).first().waitFor({ timeout: 120_000 });
    const first = await run(page, experiment);
    const again = await run(page, experiment);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    const ownMs = ({ outcomes }: ExperimentFile) =>
      sum(outcomes.map(({ cost }) => cost.prefillUs + cost.decodeUs)) / 1000;
    const ratio = first.ms / ownMs(first.file);
    const sides = {
      ...experiment,
      modSets: [{ name: "without", mods: [] }, ...experiment.modSets.slice(0, 1)],
      prompts: experiment.prompts.slice(0, 1),
      seeds: [1, 2, 3, 4, 5, 6, 7, 8],
    };
    const both = await run(page, sides);
    const readings = both.file.outcomes.filter(({ result, cost }) => cost.reusedTokens < result.promptTokens);
    const same = [first, again].map(({ file }) =>
      JSON.stringify(resultTableRows(experiment, file.outcomes, "cell")),
    );
    return [
      figure("200 runs with a mod each: from Start to the last one kept", first.ms / 1000, "s"),
      figure("their own time, prompt and tokens", ownMs(first.file) / 1000, "s"),
      atMost("the first over the second", ratio, "×", 1.15),
      atMost("a key pressed meanwhile, until the page has shown it (longest)", first.longestKeyMs, "ms", 100),
      exactly("tables that differ when the same file is run again", same[0] === same[1] ? 0 : 1, "", 0),
      atMost("with and without the mod, 8 seeds: runs that read the prompt", readings.length, "", 1),
    ];
  } finally {
    await browser.close();
    server.close();
  }
}

declare global {
  interface Window {
    longestKeyMs?: number;
  }
}

/** Opens the experiment as a file, makes its runs while keys are pressed in the prompt, and saves it. */
async function run(
  page: Page,
  wanted: Experiment,
): Promise<{ readonly ms: number; readonly longestKeyMs: number; readonly file: ExperimentFile }> {
  const total = `${wanted.modSets.length * wanted.prompts.length * wanted.seeds.length} runs`;
  if ((await page.locator(".experiments").count()) === 0)
    await page.getByRole("button", { name: "Experiments", exact: true }).click();
  const back = page.getByRole("button", { name: "Back to the experiments" });
  if ((await back.count()) > 0) await back.click();
  const buffer = Buffer.from(experimentToJson({ experiment: wanted, outcomes: [] }));
  const file = { name: "bench.experiment.json", mimeType: "application/json", buffer };
  await page.getByLabel("Experiment file").setInputFiles(file);
  await page.evaluate(() => {
    window.longestKeyMs = 0;
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === "keydown") window.longestKeyMs = Math.max(window.longestKeyMs ?? 0, duration);
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
  });
  const status = page.locator(".experiment-progress [role=status]");
  const done = status.getByText(total, { exact: true });
  await status.getByText(`none of ${total} made`, { exact: true }).waitFor();
  await page.evaluate((text) => {
    const status = () => document.querySelector(".experiment-progress [role=status]")?.textContent;
    const started = performance.now();
    const watch = new MutationObserver(() => {
      if (status() !== text) return;
      watch.disconnect();
      document.body.dataset.tookMs = String(performance.now() - started);
    });
    delete document.body.dataset.tookMs;
    watch.observe(document.body, { childList: true, subtree: true, characterData: true });
    [...document.querySelectorAll<HTMLButtonElement>(".experiment-progress button")].at(-1)?.click();
  }, total);
  await page.getByLabel("Name of the experiment").focus();
  const isOver = () => page.evaluate(() => document.body.dataset.tookMs !== undefined);
  for (let pressed = 0; pressed < 2_000 && !(await isOver()); pressed += 1) {
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(100);
  }
  await done.waitFor({ timeout: 300_000 });
  const ms = Number(await page.evaluate(() => document.body.dataset.tookMs));
  const longestKeyMs = await page.evaluate(() => window.longestKeyMs ?? 0);
  await page.getByRole("button", { name: "More actions for this experiment" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as a file" }).click();
  const json = readFileSync(await (await download).path(), "utf8");
  return { ms, longestKeyMs, file: experimentFromJson(json) };
}
