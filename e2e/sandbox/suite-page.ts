/** A page that runs one group of attempts by itself and posts what it found, in whatever browser it was opened. */
import { attacks } from "./attacks.ts";
import { createHarness } from "./harness.ts";
import { denialAttempts, protocolAttempts } from "./hostile.ts";
import { runAttacks } from "./run-attacks.ts";
import { runHostile } from "./run-hostile.ts";
import { modes, type Outcome, type Ports, type SuiteReport } from "./targets.ts";

const parameters = new URLSearchParams(location.search);

async function run(): Promise<readonly Outcome[]> {
  const harness = createHarness();
  const ports = JSON.parse(parameters.get("ports") ?? "") as Ports;
  const outcomes: Outcome[] = [];
  switch (parameters.get("group")) {
    case "capability":
      for (const mode of modes) outcomes.push(...(await runAttacks(mode, harness, ports)));
      return outcomes;
    case "protocol":
      return runHostile(protocolAttempts, harness);
    case "denial":
      return runHostile(denialAttempts, harness);
    default:
      throw new Error(`There is no group "${parameters.get("group")}".`);
  }
}

/** Names that neither the page nor a worker of it has. */
async function absentFeatures(): Promise<SuiteReport["absent"]> {
  const wanted = attacks.flatMap(({ name, feature }) => (feature ? [{ name, feature }] : []));
  const has = `(path) => path.split(".").reduce((value, key) => value?.[key], globalThis) !== undefined`;
  const text = `const has = ${has}; onmessage = ({ data }) => postMessage(data.map(({ feature }) => has(feature)));`;
  const worker = new Worker(URL.createObjectURL(new Blob([text])));
  worker.postMessage(wanted);
  const inWorker = await new Promise<boolean[]>((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
  });
  const inPage = (path: string) =>
    path
      .split(".")
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], window) !==
    undefined;
  return wanted.filter(({ feature }, index) => !inWorker[index] && !inPage(feature));
}

const { userAgent } = navigator;
const report: SuiteReport = await Promise.all([run(), absentFeatures()]).then(
  ([outcomes, absent]) => ({ userAgent, outcomes, absent, failure: null }),
  (error: Error) => ({ userAgent, outcomes: [], absent: [], failure: `${error.message}\n${error.stack}` }),
);
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
document.title = "Done";
