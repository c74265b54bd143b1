/** Runs one group of the suite in one browser: servers, browser, report, and the servers' word on it. */
import { attacks } from "./attacks.ts";
import { type BrowserName, startBrowser } from "./browsers.ts";
import { type SuiteServers, startServers } from "./servers.ts";
import { type Mode, modes, type SuiteReport } from "./targets.ts";

export type Group = "capability" | "protocol" | "denial" | "policy";

const longestRun = 200_000;

/** @throws Error when the page did not report, or the suite itself failed. */
export async function runSuite(browser: BrowserName, group: Group): Promise<SuiteReport> {
  const servers = await startServers();
  try {
    const ports = encodeURIComponent(JSON.stringify(servers.ports));
    const reported = servers.nextReport();
    const running = await startBrowser(
      browser,
      `${servers.origin}/e2e/sandbox/suite.html?group=${group}&ports=${ports}`,
    );
    try {
      const report = (await withLimit(reported, browser)) as SuiteReport;
      if (report.failure !== null) throw new Error(`The suite failed in ${browser}: ${report.failure}`);
      return withHits(report, servers);
    } finally {
      await running.close();
    }
  } finally {
    await servers.close();
  }
}

async function withLimit<Value>(promise: Promise<Value>, browser: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `${browser} reported nothing within ${longestRun / 1000} s: the page hangs, crashed or did not load.`;
    timer = setTimeout(() => reject(new Error(message)), longestRun);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Whatever arrived at a server got out, whoever was to judge it. */
function withHits(report: SuiteReport, { hits, datagrams, ports }: SuiteServers): SuiteReport {
  const arrived = (mode: Mode, name: string): string | undefined => {
    const port = name === "webrtc-stun" ? ports.stun[mode] : name === "webtransport" ? ports.quic[mode] : 0;
    const packets = datagrams.get(port) ?? 0;
    return hits.get(`${mode}-${name}`) ?? (packets > 0 ? `${packets} datagrams` : undefined);
  };
  const outcomes = report.outcomes.map((outcome) => ({
    ...outcome,
    leak: arrived(outcome.mode, outcome.name) ?? outcome.leak,
  }));
  const known = new Set(attacks.flatMap(({ name }) => modes.map((mode) => `${mode}-${name}`)));
  const unknown = [...hits.keys()].filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw new Error(`Requests came from attempts that the suite does not know: ${unknown}.`);
  return { ...report, outcomes };
}
