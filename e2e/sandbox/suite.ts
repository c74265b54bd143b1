/** The suite in one browser: servers, browser, reports of its groups, and the servers' word on them. */
import { attacks } from "./attacks.ts";
import { type BrowserName, type RunningBrowser, startBrowser } from "./browsers.ts";
import { type SuiteServers, startServers } from "./servers.ts";
import { type Mode, modes, type SuiteReport } from "./targets.ts";

export type Group = "capability" | "protocol" | "denial" | "crash" | "policy";

/** Milliseconds. Ends a page that hangs; the slowest group takes a tenth of it on an idle machine. */
const longestRun = 900_000;

/** A browser that runs groups of the suite one after the other, and the servers that listen meanwhile. */
export class SuiteBrowser {
  readonly #name: BrowserName;
  readonly #servers: SuiteServers;
  #running: RunningBrowser | null = null;

  private constructor(name: BrowserName, servers: SuiteServers) {
    this.#name = name;
    this.#servers = servers;
  }

  static async open(name: BrowserName): Promise<SuiteBrowser> {
    return new SuiteBrowser(name, await startServers());
  }

  /** @throws Error when the page did not report, or the suite itself failed. */
  async run(group: Group): Promise<SuiteReport> {
    const { origin, ports, nextReport, sendOn } = this.#servers;
    const parameters = new URLSearchParams({ group, ports: JSON.stringify(ports) });
    const address = `${origin}/e2e/sandbox/suite.html?${parameters}`;
    const reported = nextReport();
    if (this.#running) sendOn(address);
    else this.#running = await startBrowser(this.#name, address);
    const report = (await withLimit(reported, this.#name)) as SuiteReport;
    if (report.failure !== null) throw new Error(`The suite failed in ${this.#name}: ${report.failure}`);
    return this.withHits(report);
  }

  /** The report with what has arrived at the servers by now: on a busy machine a request may come after the report. */
  withHits(report: SuiteReport): SuiteReport {
    return withHits(report, this.#servers);
  }

  async close(): Promise<void> {
    await this.#running?.close();
    await this.#servers.close();
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

/** A request that reached a server counts as an escape, whatever the attempt says. */
function withHits(report: SuiteReport, { hits, datagrams, ports }: SuiteServers): SuiteReport {
  const arrived = (mode: Mode, name: string): string | undefined => {
    const quic = name === "webtransport" ? ports.quic[mode] : 0;
    const port = name === "webrtc-stun" ? ports.stun[mode] : quic;
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
