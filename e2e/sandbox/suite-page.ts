/** A page that runs one group of attempts by itself and posts what it found, in whatever browser it was opened; then it goes on to the next. */
import { attacks } from "./attacks.ts";
import { createHarness, type Harness } from "./harness.ts";
import { denialAttempts, protocolAttempts } from "./hostile.ts";
import { runAttacks } from "./run-attacks.ts";
import { runCrash, runHostile, stillWorks } from "./run-hostile.ts";
import { type MachineView, runMachine } from "./run-machine.ts";
import { subtleDenialAttempts, subtleProtocolAttempts } from "./subtle-hostile.ts";
import { modes, type Outcome, type Ports, type SuiteReport } from "./targets.ts";

const parameters = new URLSearchParams(location.search);

async function run(): Promise<MachineView> {
  const harness = createHarness();
  if (parameters.get("group") === "machine") return runMachine(harness);
  return { outcomes: await runGroup(harness), uses: null };
}

async function runGroup(harness: Harness): Promise<readonly Outcome[]> {
  const ports = JSON.parse(parameters.get("ports") ?? "") as Ports;
  const outcomes: Outcome[] = [];
  switch (parameters.get("group")) {
    case "capability":
      for (const mode of modes) outcomes.push(...(await runAttacks(mode, harness, ports)));
      return outcomes;
    case "protocol":
      return runHostile([...protocolAttempts, ...subtleProtocolAttempts], harness);
    case "denial":
      return runHostile([...denialAttempts, ...subtleDenialAttempts], harness);
    case "crash":
      return runCrash(harness);
    case "policy": {
      const leak = await stillWorks(harness);
      return [{ name: "starts under the page's policy", mode: "sandbox", leak, note: "" }];
    }
    default:
      throw new Error(`There is no group "${parameters.get("group")}".`);
  }
}

/** Attempts whose names neither the page nor a worker of it has. */
async function absentFeatures(): Promise<SuiteReport["absent"]> {
  const wanted = attacks.flatMap(({ name, feature }) => (feature ? [{ name, feature }] : []));
  const worker = new Worker(
    URL.createObjectURL(new Blob([`onmessage = ({ data }) => postMessage(data.map(${hasFeature}));`])),
  );
  worker.postMessage(wanted.map(({ feature }) => feature));
  const inWorker = await new Promise<boolean[]>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
  });
  return wanted.filter(({ feature }, index) => !inWorker[index] && !hasFeature(feature));
}

/** Also runs in a worker, as text: needs nothing from outside. */
function hasFeature(feature: string): boolean {
  const read = (value: unknown, key: string) => (value as Record<string, unknown> | undefined)?.[key];
  return feature.split("|").some((path) => path.split(".").reduce<unknown>(read, globalThis) !== undefined);
}

const { userAgent } = navigator;
const report: SuiteReport = await Promise.all([run(), absentFeatures()]).then(
  ([view, absent]) => ({ userAgent, ...view, absent, failure: null }),
  (error: Error) => ({
    userAgent,
    outcomes: [],
    uses: null,
    absent: [],
    failure: `${error.message}\n${error.stack}`,
  }),
);
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
location.href = await (await fetch("/next")).text();
