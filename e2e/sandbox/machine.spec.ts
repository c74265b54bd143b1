/** A mod's view of the machine: the same in two zones and languages, in both browsers, and the ways past the wall. */
import { expect, test } from "@playwright/test";
import { type BrowserName, differentMachines, startBrowserOn, testedBrowsers } from "./browsers.ts";
import { type SuiteServers, startServers } from "./servers.ts";
import type { SuiteReport } from "./targets.ts";

let servers: SuiteServers;
test.beforeAll(async () => {
  servers = await startServers();
});
test.afterAll(() => servers.close());

async function viewsOf(name: BrowserName): Promise<SuiteReport[]> {
  const { origin, ports, nextReport } = servers;
  const parameters = new URLSearchParams({ group: "machine", ports: JSON.stringify(ports) });
  const reports: SuiteReport[] = [];
  for (const machine of differentMachines[name]) {
    const reported = nextReport() as Promise<SuiteReport>;
    const running = await startBrowserOn(machine, name, `${origin}/e2e/sandbox/suite.html?${parameters}`);
    const report = await reported.finally(() => running.close());
    if (report.failure !== null) throw new Error(`The suite failed in ${name}: ${report.failure}`);
    reports.push(report);
  }
  return reports;
}

const namesOf = ({ outcomes }: SuiteReport, mode: "sandbox" | "control") =>
  outcomes.filter((outcome) => outcome.mode === mode && outcome.leak !== null);

for (const name of testedBrowsers) {
  test(`${name}: a mod learns no clock, no zone and no language of the machine`, async () => {
    const [first, second] = (await viewsOf(name)) as [SuiteReport, SuiteReport];
    for (const report of [first, second]) {
      expect(namesOf(report, "sandbox").map(({ name, leak }) => `${name}: ${leak}`)).toEqual([]);
      expect(namesOf(report, "control").length).toBeGreaterThan(25);
    }
    const differing = (mode: "sandbox" | "control") =>
      (first.uses?.[mode] ?? []).filter((line, place) => line !== second.uses?.[mode][place]);
    expect(first.uses?.sandbox).toHaveLength(1000);
    expect(differing("sandbox")).toEqual([]);
    expect(differing("control").length).toBeGreaterThan(100);
    const ways = namesOf(first, "control").length;
    console.log(
      `  ${name}: 1,000 uses equal (${differing("control").length} differ without a sandbox); no way past the wall (${ways} lead to the machine without one)`,
    );
  });
}
