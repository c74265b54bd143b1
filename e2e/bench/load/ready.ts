/**
 * From a model that the browser keeps to one that answers, in the built page's own worker: how long that takes, and where the time
 * goes. Cold: the browser was started anew with the files in its storage; warm: again in the same page.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { ensureChromium } from "../../../scripts/browsers.mjs";
import { buildPageIfStale } from "../../../scripts/build-page.ts";
import { chromiumArgs } from "../../../scripts/chromium-switches.ts";
import { ensureGeneratedModel } from "../../../scripts/models/generated.ts";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { createStaticServer } from "../../../scripts/static-server.ts";
import { startHubServer } from "../../../scripts/testing/hub-server.ts";
import { loadEntryPrefix } from "../../../src/runtime/engine/base/load-timing.ts";
import { type BenchRow, calibrate, figure, missingRows, timeAtMost } from "../machine.ts";
import { median } from "../statistics.ts";

const readyWithinMs = 3000;
const warmLoads = 5;

interface Subject {
  readonly name: string;
  readonly folder: string;
  readonly dtype: string;
  /** Milliseconds; null if nothing is asked. */
  readonly limit: number | null;
}

function subjects(): Subject[] {
  const bundled = join(import.meta.dirname, "../../../public/models/stories260k");
  const smolLm2 = modelFolder("smollm2-135m-instruct");
  const small = { name: "the bundled model", folder: bundled, dtype: "fp32", limit: null };
  if (smolLm2 === null) {
    missingRows("SmolLM2 from the browser's storage to ready");
    return [small];
  }
  return [
    {
      name: "SmolLM2 4-bit",
      dtype: "q4",
      limit: readyWithinMs,
      folder: ensureGeneratedModel("smollm2-135m", ["q4"]),
    },
    { name: "SmolLM2 int8", folder: smolLm2, dtype: "int8", limit: readyWithinMs },
    small,
  ];
}

/** One load, in milliseconds since the page asked for it. */
interface Load {
  readonly readyMs: number;
  /** Until the worker began to load the model. */
  readonly workerMs: number;
  /** How long each stage took. */
  readonly stages: Readonly<Record<string, number>>;
  readonly where: string;
}

export async function readyRows(): Promise<BenchRow[]> {
  const pageFolder = await buildPageIfStale(() => console.error("Building the page …"));
  const all = subjects();
  const server = createStaticServer({ pages: { "/": pageFolder } }).listen(0, "127.0.0.1");
  const hub = await startHubServer({
    repositories: Object.fromEntries(all.map(({ folder }) => [`bench/${basename(folder)}`, folder])),
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const scripts = await readdir(join(pageFolder, "assets"));
  const script = scripts.find((name) => /^engine-worker-.*\.js$/.test(name));
  if (!script) throw new Error(`There is no engine-worker-….js in ${pageFolder}/assets.`);
  const rows: BenchRow[] = [];
  try {
    for (const subject of all) {
      const url = hub.url(`bench/${basename(subject.folder)}`);
      rows.push(...(await rowsOf(subject, { address, script: `${address}assets/${script}`, url })));
    }
  } finally {
    server.close();
    await hub.close();
  }
  return rows;
}

interface Places {
  /** Address of the page. */
  readonly address: string;
  /** Address of the engine's worker. */
  readonly script: string;
  /** Address of the model's folder. */
  readonly url: string;
}

async function rowsOf(subject: Subject, places: Places): Promise<BenchRow[]> {
  const profile = await mkdtemp(join(tmpdir(), "midtoken-bench-profile-"));
  const { name, dtype, limit } = subject;
  try {
    // Downloads and keeps.
    await onBrowser(profile, places, (page) => load(page, places, dtype));
    const calibrations = [calibrate()];
    const { cold, warm } = await onBrowser(profile, places, async (page) => {
      const first = await load(page, places, dtype);
      const others: Load[] = [];
      for (let n = 0; n < warmLoads; n++) {
        calibrations.push(calibrate());
        others.push(await load(page, places, dtype));
      }
      return { cold: first, warm: others };
    });
    const what = (temperature: string) =>
      `${name} from the browser's storage to ready, ${temperature} (${cold.where})`;
    const total = async (temperature: string, ms: number): Promise<BenchRow> =>
      limit === null
        ? figure(what(temperature), ms, "ms")
        : timeAtMost(what(temperature), ms, "ms", limit, calibrations);
    return [
      await total("the browser just started", cold.readyMs),
      await total(`again, median of ${warmLoads}`, median(warm.map(({ readyMs }) => readyMs))),
      ...stageRows(`${name}, the browser just started`, [cold]),
      ...stageRows(`${name}, again`, warm),
    ];
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
}

/** Medians of every stage; they overlap, and what is read is part of making the session. */
function stageRows(where: string, loads: readonly Load[]): BenchRow[] {
  const names = [...new Set(loads.flatMap(({ stages }) => Object.keys(stages)))];
  const of = (name: string) => median(loads.map(({ stages }) => stages[name] ?? 0));
  return [
    figure(`${where}: the worker starts`, median(loads.map(({ workerMs }) => workerMs)), "ms"),
    ...names.map((name) => figure(`${where}: ${name}`, of(name), "ms")),
  ];
}

async function onBrowser<Result>(
  profile: string,
  { address }: Places,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath: await ensureChromium(),
    args: chromiumArgs(),
  });
  try {
    const page = await context.newPage();
    // The page loads its own model: its file has to be there, and nothing else of it.
    await page.goto(`${address}favicon.svg`);
    return await work(page);
  } finally {
    await context.close();
  }
}

/** A worker of its own that loads the model as the page's engine does, and ends. */
async function load(page: Page, { script, url }: Places, dtype: string): Promise<Load> {
  const started = page.waitForEvent("worker");
  const loading = page.evaluate(
    async ([address, message]) => {
      const askedAt = performance.timeOrigin + performance.now();
      const worker = new Worker(address, { type: "module" });
      const answer = await new Promise<{ readyAt: number; adapter: string }>((resolve, reject) => {
        worker.onerror = ({ message: text }) => reject(new Error(`The worker failed: ${text}`));
        worker.onmessage = ({ data }) => {
          if (data.type === "loadFailed") reject(new Error(data.message));
          if (data.type !== "loaded") return;
          resolve({ readyAt: performance.timeOrigin + performance.now(), adapter: data.model.adapter });
        };
        worker.postMessage(message);
      });
      Object.assign(window, { benchWorker: worker });
      return { askedAt, ...answer };
    },
    [
      script,
      {
        type: "load",
        id: 1,
        device: "wasm",
        model: { id: "bench", url, revision: "main", dtype: { webgpu: dtype, wasm: dtype } },
      },
    ] as const,
  );
  const worker = await started;
  const { askedAt, readyAt, adapter } = await loading;
  const measures = await worker.evaluate(() =>
    performance.getEntriesByType("measure").map(({ name, duration, startTime }) => {
      return { name, duration, startedAt: performance.timeOrigin + startTime };
    }),
  );
  await page.evaluate(() => (window as unknown as { benchWorker: Worker }).benchWorker.terminate());
  const entries = measures.filter(({ name }) => name.startsWith(loadEntryPrefix));
  const stages = entries.map(({ name, duration }) => [name.slice(loadEntryPrefix.length), duration] as const);
  return {
    readyMs: readyAt - askedAt,
    workerMs: Math.min(...entries.map(({ startedAt }) => startedAt)) - askedAt,
    stages: Object.fromEntries(stages),
    where: adapter,
  };
}
