/** The packed tarball in an app of each tool: whether a request with a mod runs in Chromium, and what the app came to carry. */
import type { Browser } from "playwright-core";
import { measureImportBytes } from "../../../scripts/package/sizes.ts";
import { subpaths } from "../../../scripts/package/subpaths.ts";
import * as apps from "../../package/build-app.ts";
import { tryApp } from "../../package/run-app.ts";
import { launchChromium } from "../decode/browser.ts";
import { atMost, type BenchRow, exactly } from "../machine.ts";

interface Tool {
  readonly name: string;
  /** Every way that is to run. */
  readonly starts: readonly (readonly [apps.StartApp, object?])[];
  /** Whether it takes files along, so that what stands in for them must not be fetched. */
  readonly movesFiles: boolean;
}

const tools: readonly Tool[] = [
  { name: "Vite, dev and build", starts: [[apps.viteDev], [apps.vite]], movesFiles: true },
  {
    name: "webpack, development and production",
    starts: [[apps.webpackDevelopment], [apps.webpackProduction]],
    movesFiles: true,
  },
  { name: "Rollup", starts: [[apps.rollupApp]], movesFiles: false },
  {
    name: "esbuild, split and as one classic script",
    starts: [[apps.esbuildSplit], [apps.esbuildOneFile]],
    movesFiles: false,
  },
  { name: "Next (Turbopack)", starts: [[apps.next]], movesFiles: true },
  {
    name: "import map, from its own server and a CDN",
    starts: [[apps.importMapApp], [apps.cdnApp]],
    movesFiles: true,
  },
];

/** Not among the six, and as needed. */
const strict: Tool = {
  name: "script-src 'self'; style-src 'self'",
  starts: [[apps.strictApp, apps.strictOptions]],
  movesFiles: true,
};

/** @param tarball path of the packed package */
export async function fixtureRows(tarball: string): Promise<BenchRow[]> {
  const browser = await launchChromium();
  try {
    const rows: BenchRow[] = [];
    let passed = 0;
    for (const tool of [...tools, strict]) {
      const runs = await countRuns(browser, tarball, tool);
      if (tool !== strict && runs === tool.starts.length) passed += 1;
      rows.push(
        exactly(`${tool.name}: a request with a mod`, runs, `of ${tool.starts.length}`, tool.starts.length),
      );
    }
    return [
      exactly("tools in which the packed tarball runs a request with a mod", passed, "of 6", 6),
      ...rows,
    ];
  } finally {
    await browser.close();
  }
}

async function countRuns(
  browser: Browser,
  tarball: string,
  { name, starts, movesFiles }: Tool,
): Promise<number> {
  let runs = 0;
  for (const [start, options] of starts) {
    try {
      const { fetched } = await tryApp(browser, tarball, start, options);
      const stands = fetched.filter((address) => address.includes("portable"));
      if (movesFiles && stands.length > 0) throw new Error(`It fetched ${stands.join(", ")}.`);
      runs += 1;
    } catch (error) {
      console.error(`${name}: ${String(error)}`);
    }
  }
  return runs;
}

/** Sizes of the package that was built last. */
export async function sizeRows(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const subpath of subpaths) {
    if (subpath.limit === null) continue;
    const kilobytes = (await measureImportBytes(subpath)) / 1000;
    const what = subpath.path === "." ? "midtoken" : `midtoken${subpath.path.slice(1)}`;
    rows.push(atMost(`${what}: an import of all of it, compressed`, kilobytes, "kB", subpath.limit));
  }
  return rows;
}
