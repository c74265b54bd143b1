/** The time that hostile sources cost the page in Chromium, through the compiler's own worker. */
import { longestCompileCallMs } from "../../../src/runtime/sandbox/deadlines.ts";
import { startBrowser } from "../../sandbox/browsers.ts";
import { startServers } from "../../sandbox/servers.ts";
import { type BenchRow, figure, timeAtMost } from "../machine.ts";

export interface CompileMetrics {
  readonly count: number;
  readonly compiled: number;
  /** Sources that were ended by the deadline. */
  readonly givenUp: number;
  /** Milliseconds from asking to the answer, a restart of the worker included. */
  readonly slowest: number;
  /** Milliseconds of the longest task of the page's own thread; 0 if none took 50. */
  readonly longestBlock: number;
}

/** @throws Error when the compiler rejects any source, or the page fails. */
export async function compileRows(sources: number): Promise<BenchRow[]> {
  const servers = await startServers({});
  try {
    const reported = servers.nextReport();
    const address = `${servers.origin}/e2e/bench/sandbox/compile-page.html?sources=${sources}`;
    const browser = await startBrowser("chromium", address);
    try {
      const { figures, failure } = (await reported) as {
        figures: CompileMetrics;
        failure: string | null;
      };
      if (failure !== null) throw new Error(failure);
      return await rowsOf(figures);
    } finally {
      await browser.close();
    }
  } finally {
    await servers.close();
  }
}

async function rowsOf(figures: CompileMetrics): Promise<BenchRow[]> {
  const { count, compiled, givenUp, slowest, longestBlock } = figures;
  const all = `${count.toLocaleString("en-US")} deep, long and odd sources up to 1 MB`;
  return [
    await timeAtMost(`${all}: longest block of the page's thread`, longestBlock, "ms", 100),
    await timeAtMost(`${all}: slowest answer`, slowest, "ms", longestCompileCallMs),
    figure(`${all}: compiled`, compiled, "sources"),
    figure(`${all}: given up by the deadline`, givenUp, "sources"),
  ];
}
