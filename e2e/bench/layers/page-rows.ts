/**
 * The built page that looks inside SmolLM2, on WebAssembly: how long the engine takes for what every layer would say at one step, and
 * whether the page draws its frames meanwhile.
 */
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import type { Page } from "playwright-core";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { listModels } from "../../../scripts/list-models.ts";
import { modelFolder, modelsFolder } from "../../../scripts/models-folder.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { launchChromium } from "../decode/browser.ts";
import { atLeast, type BenchRow, calibrate, figure, missingRows, timeAtMost } from "../machine.ts";
import { median, quantile } from "../statistics.ts";
import { mainThread } from "../timeline/open-page.ts";

const model = "smollm2-135m-instruct";
/** Steps that are looked at, after one that opens the layers and one that warms up. */
const steps = 12;
/** For how long frames are counted. */
const framesMs = 5_000;

export async function pageLayers(): Promise<BenchRow[]> {
  const [models, folder] = [modelsFolder(), modelFolder(model)];
  if (!models || !folder) return missingRows("What every layer of SmolLM2 would say, on the page");
  const built = await buildPageIfStale(() => console.error("Building the page …"));
  const server = createStaticServer({
    pages: { "/": built },
    models: { "/local-models/": models },
    json: {
      "/local-models.json": () => listModels(models),
      "/live.json": async () => ({ signalling: null }),
    },
  }).listen(0, "127.0.0.1");
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(300_000);
    page.on("pageerror", (error) => console.error(`The page failed: ${error.message}`));
    // tsx names functions by a helper of its own, which is not in the page.
    await page.addInitScript("globalThis.__name = (named) => named");
    await page.addInitScript(timeReadings);
    await page.addInitScript((text) => {
      // Sandboxes of mods have no storage.
      if (window.top !== window) return;
      const turns = [{ id: "of-the-bench", role: "user", text }];
      localStorage.setItem("midtoken.conversation.v1", JSON.stringify({ turns }));
    }, "Tell a long story about a lighthouse, its keeper and a storm.");
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await runStory(page, basename(folder));
    return [...(await lookRows(page)), ...(await frameRows(page))];
  } finally {
    await browser.close();
    server.close();
  }
}

/** In the page, before its own scripts: notes when a reading was asked for and when it was answered. */
function timeReadings(): void {
  const times: number[] = [];
  Object.assign(window, { readingTimes: times });
  const asked = new Map<number, number>();
  const listening = new WeakSet<Worker>();
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (
    this: Worker,
    message: { type?: string; id?: number },
    ...rest: unknown[]
  ) {
    if (message?.type === "readLayers") {
      asked.set(message.id ?? -1, performance.now());
      if (!listening.has(this)) {
        listening.add(this);
        this.addEventListener("message", ({ data }) => {
          if (data?.type === "layersRead") times.push(performance.now() - (asked.get(data.id) ?? Number.NaN));
        });
      }
    }
    return Reflect.apply(post, this, [message, ...rest]);
  } as typeof post;
}

/** A finished run of the model, without mods, of at least as many words as are looked at. */
async function runStory(page: Page, name: string): Promise<void> {
  await page.locator(".model-button").click();
  await page.locator(".model-entry", { hasText: name }).click();
  await page.keyboard.press("Escape");
  for (const box of await page.locator('input[type=checkbox][aria-label$="in the next run"]').all())
    await box.uncheck();
  await page.locator(".run-controls").getByRole("button", { name: "Run" }).click();
  await page.waitForFunction(() => document.querySelector(".run-line p")?.textContent?.includes("Ended"));
  const words = await page.locator("[data-index]").count();
  if (words < steps + 4)
    throw new Error(`The model wrote ${words} tokens: too few to look at ${steps} of them.`);
}

const readings = (page: Page): Promise<number[]> =>
  page.evaluate(() => [...(window as unknown as { readingTimes: number[] }).readingTimes]);

async function untilRead(page: Page, count: number): Promise<void> {
  await page.waitForFunction(
    (wanted) => (window as unknown as { readingTimes: number[] }).readingTimes.length >= wanted,
    count,
  );
}

async function lookRows(page: Page): Promise<BenchRow[]> {
  await page.getByRole("tab", { name: "Layers" }).click();
  await page.locator('[data-index="1"]').click();
  await page.getByRole("button", { name: "Look inside" }).click();
  await untilRead(page, 1);
  await page.getByRole("listbox", { name: "Tokens" }).focus();
  const calibrations = [calibrate()];
  for (let step = 0; step <= steps; step += 1) {
    const { length } = await readings(page);
    await page.keyboard.press("ArrowRight");
    await untilRead(page, length + 1);
    if (step % 4 === 0) calibrations.push(calibrate());
  }
  const [opening = 0, , ...times] = await readings(page);
  const where = await page.locator(".model-where").first().textContent();
  return [
    await timeAtMost(
      `SmolLM2 in Chromium (${where}): one step, every layer, from asking to the answer, median of ${times.length}`,
      median(times),
      "ms",
      150,
      calibrations,
    ),
    figure("  the slowest", Math.max(...times), "ms"),
    figure("  the first, which opens the layers", opening, "ms"),
  ];
}

/** Frames while the text is scrolled up and down. */
function framesOf(page: Page): Promise<number[]> {
  return page.evaluate(async (longest) => {
    const box = document.querySelector(".ribbon-scroll");
    const times: number[] = [];
    const begun = performance.now();
    let last = await new Promise<number>(requestAnimationFrame);
    for (let now = last; now - begun < longest; ) {
      now = await new Promise<number>(requestAnimationFrame);
      box?.scrollBy(0, times.length % 60 < 30 ? 3 : -3);
      times.push(now - last);
      last = now;
    }
    return times;
  }, framesMs);
}

const perSecond = (times: readonly number[]): number =>
  (1000 * times.length) / times.reduce((sum, time) => sum + time, 0);

async function frameRows(page: Page): Promise<BenchRow[]> {
  const thread = await mainThread(page);
  const idleBefore = await thread.taskMs();
  const idle = await framesOf(page);
  const idleMs = (await thread.taskMs()) - idleBefore;
  const before = (await readings(page)).length;
  await page.getByRole("button", { name: "View", exact: true }).click();
  await page.getByRole("checkbox", { name: "Shade by layer" }).click();
  await page.keyboard.press("Escape");
  await untilRead(page, before + 1);
  const [readBefore, taskBefore] = [(await readings(page)).length, await thread.taskMs()];
  const busy = await framesOf(page);
  const taskMs = (await thread.taskMs()) - taskBefore;
  const read = (await readings(page)).length - readBefore;
  return [
    figure("  frames while the text is scrolled and nothing is read", perSecond(idle), "/s"),
    figure("    the page's own thread, of all the time", idleMs / framesMs, ""),
    atLeast("  frames while words are read one after the other", perSecond(busy), "/s", 58),
    figure("    of them, 95th percentile", quantile(busy, 0.95), "ms"),
    figure("    words read meanwhile", read, "words"),
    figure("    the page's own thread, of all the time", taskMs / framesMs, ""),
  ];
}
