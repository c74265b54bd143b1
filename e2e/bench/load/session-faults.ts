/** Faults of devices and workers, and what memory is left after many requests and models: through a session, in Chromium. */
import { readFileSync } from "node:fs";
import { modelsFolder } from "../../../scripts/models-folder.ts";
import { type BenchPage, openBenchPage } from "../decode/browser.ts";
import { atMost, type BenchRow, exactly, figure, missingRows } from "../machine.ts";
import { type Fault, largeFolder, largeModel, memoryFaults, messageOf } from "./memory-faults.ts";
import type {} from "./session.ts";

const sessionPage = { path: "load/session.html", global: "midtoken" };

async function onSession<Result>(
  work: (page: BenchPage["page"]) => Promise<Result>,
  path = sessionPage.path,
  args: readonly string[] = [],
  folders: readonly string[] = [],
): Promise<Result> {
  const { page, close } = await openBenchPage({ at: { ...sessionPage, path }, args, folders });
  try {
    return await work(page);
  } finally {
    await close();
  }
}

const faults: readonly Fault[] = [
  {
    name: "device lost in mid-request",
    device: "webgpu",
    says: /device was lost.*loaded again/is,
    inject: (page) =>
      page.evaluate(() => window.midtoken.run([], { maxTokens: 200 }, { loseAfter: 5 })).then(messageOf),
  },
  {
    name: "worker that breaks in mid-request",
    device: "wasm",
    says: /The engine stopped.*Run again/s,
    inject: (page) =>
      page.evaluate(() => window.midtoken.run([], { maxTokens: 200 }, { breakAfter: 5 })).then(messageOf),
  },
  {
    name: "model whose files are not there",
    device: "wasm",
    says: /answered with a web page.*open it in a tab/s,
    inject: (page) =>
      page.evaluate(() =>
        window.midtoken.load("wasm", "/models/none/").then(
          () => "",
          (error: Error) => error.message,
        ),
      ),
  },
  {
    name: "prompt that is longer than the context",
    device: "wasm",
    says: /The prompt has \d+ tokens/,
    inject: (page) =>
      page
        .evaluate(() =>
          window.midtoken.run([], { messages: [{ role: "user", content: "word ".repeat(2000) }] }),
        )
        .then(messageOf),
  },
  {
    name: "mod that never answers",
    device: "wasm",
    says: /took longer|did not answer|ms/,
    inject: (page) =>
      page
        .evaluate(() =>
          window.midtoken.run([
            {
              name: "loop",
              source: "import { mod } from 'midtoken/mod'; export default mod({ added() { for (;;); } });",
            },
          ]),
        )
        .then(messageOf),
  },
  ...memoryFaults,
];

export async function faultRows(): Promise<BenchRow[]> {
  const right = await onSession(
    async (page) => {
      let count = 0;
      for (const fault of faults) {
        const [path, dtype] = fault.isLarge ? largeModel : [];
        const load = () =>
          page.evaluate(([device, ...model]) => window.midtoken.load(device, ...model), [
            fault.device,
            ...(path && dtype ? ([path, dtype] as const) : []),
          ] as const);
        await load();
        const before = await page.evaluate(() => window.midtoken.run([]));
        const message = await fault.inject(page);
        await load();
        const after = await page.evaluate(() => window.midtoken.run([]));
        const isRight = fault.says.test(message) && after.text === before.text && after.text !== "";
        if (isRight) count += 1;
        else
          console.error(
            `${fault.name}: ${JSON.stringify(message)}; before ${JSON.stringify(before.text)}, then ${JSON.stringify(after.text)}, ${after.failure ?? after.error}`,
          );
      }
      return count;
    },
    sessionPage.path,
    [],
    [largeFolder()],
  );
  const name = `faults (${faults.map((fault) => fault.name).join(", ")}): a clear error, and the next request is as ever`;
  return [exactly(name, right, `of ${faults.length}`, faults.length)];
}

const switches = 20;
const requestsEach = 10;

/** The budget has room for one of these models at a time. */
const models = [
  { path: "/models/stories260k/", dtype: "fp32" },
  { path: "/shared-models/exported/tiny-llama/", dtype: "fp32" },
  { path: "/shared-models/exported/tiny-qwen3/", dtype: "fp32" },
] as const;

export async function memoryRows(): Promise<BenchRow[]> {
  if (!modelsFolder()) return missingRows("memory after 200 requests and 20 model switches");
  const { before, after } = await onSession(
    async (page) => {
      const work = async (count: number) => {
        for (let turn = 0; turn < count; turn++) {
          const { path, dtype } = models[turn % models.length] as (typeof models)[number];
          await page.evaluate(([p, d]) => window.midtoken.load("wasm", p, d), [path, dtype] as const);
          for (let n = 0; n < requestsEach; n++)
            await page.evaluate((seed) => window.midtoken.run([], { seed }).then(() => null), n);
        }
      };
      // Each model twice, so that what is compiled and kept once is there.
      await work(2 * models.length);
      const start = await memoryOf(page);
      await work(switches);
      return { before: start, after: await memoryOf(page) };
    },
    `${sessionPage.path}?memory=1`,
    ["--js-flags=--expose-gc"],
  );
  const what = `after ${switches * requestsEach} requests and ${switches} model switches`;
  return [
    figure("memory of page and engine, three small models used in turn", before.held / 1e6, "MB"),
    atMost(`memory ${what}, over that`, after.held / before.held, "×", 1.05),
    figure(`memory of the page's process ${what}, over the same before`, after.process / before.process, "×"),
  ];
}

interface Memory {
  /** Memory of page and workers, heaps of WebAssembly included, by `performance.measureUserAgentSpecificMemory`. */
  readonly held: number;
  /** Private memory of their process, including freed memory that the process keeps. */
  readonly process: number;
}

/** Once garbage was collected. */
async function memoryOf(page: BenchPage["page"]): Promise<Memory> {
  for (let n = 0; n < 4; n++) {
    await page.evaluate(() => window.midtoken.collectGarbage());
    await page.requestGC();
    await page.waitForTimeout(500);
  }
  const held = await page.evaluate(async () => {
    const measuring = performance as unknown as {
      measureUserAgentSpecificMemory(): Promise<{ readonly bytes: number }>;
    };
    return (await measuring.measureUserAgentSpecificMemory()).bytes;
  });
  return { held, process: await processBytes(page) };
}

async function processBytes(page: BenchPage["page"]): Promise<number> {
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  const cdp = await browser.newBrowserCDPSession();
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  const sizes = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => anonymousBytes(id));
  return Math.max(...sizes);
}

function anonymousBytes(process: number): number {
  const status = readFileSync(`/proc/${process}/status`, "utf8");
  return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
