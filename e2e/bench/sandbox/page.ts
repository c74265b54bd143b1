/** The bench's page: mods in real sandboxes, asked by a worker as in the product; posts its figures. */
import { compileMod } from "../../../src/runtime/sandbox/compile.ts";
import { createSandboxPool } from "../../../src/runtime/sandbox/frame.ts";
import type { SerializedTokenizer } from "../../../src/runtime/sandbox/protocol.ts";
import type { Guest } from "../../../src/runtime/sandbox/sandbox-pool.ts";
import { median } from "../statistics.ts";
import { createEchoPool } from "./echo.ts";
import type { BenchTask } from "./engine.ts";
import { type HandlerName, handlers, type SandboxMetrics, threeMods } from "./figures.ts";
import type { TokenOfMods } from "./token-of-mods.ts";

const engine = new Worker(new URL("./engine.ts", import.meta.url), { type: "module" });
let settle: { resolve(value: unknown): void; reject(error: Error): void } | null = null;
/** Guests of the connected mods; the last guest is the busy one. */
const guests: Guest[] = [];
const removals: number[] = [];

engine.onmessage = ({ data }) => {
  if (data.type === "kill") removeGuest();
  else if (data.type === "failed") settle?.reject(new Error(data.message));
  else settle?.resolve(data.value);
};

function removeGuest(): void {
  const start = performance.now();
  guests.pop()?.kill();
  removals.push(performance.now() - start);
}

function tell<Value>(task: BenchTask, transfer: Transferable[] = []): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    settle = { resolve: resolve as (value: unknown) => void, reject };
    engine.postMessage(task, transfer);
  });
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

const pool = createSandboxPool({ document });

const busyHandler = "added() { for (;;) {} }";

async function load(handler: string): Promise<void> {
  await loadFile(`export default mod({ ${handler} });`, handler === busyHandler);
}

async function loadFile(text: string, isBusy = false): Promise<void> {
  const guest = await pool.spawn(compiled(text));
  guests.push(guest);
  const { port, pingPort, about } = guest;
  await tell({ type: "connect", port, pingPort, about, isBusy }, [port, pingPort]);
}

function compiled(text: string) {
  const result = compileMod(`// @ts-nocheck\nimport { mod } from "midtoken/mod";\n${text}`, "bench");
  if (!result.ok) throw new Error(result.problems[0]?.message);
  return result;
}

async function tokenOfThree(): Promise<TokenOfMods> {
  const echoes = createEchoPool(document);
  const echoPorts: MessagePort[] = [];
  for (const text of threeMods) {
    await loadFile(text);
    echoPorts.push((await echoes.spawn(compiled(text))).port);
  }
  const figures = await tell<TokenOfMods>({ type: "tokenOfMods", echoPorts }, echoPorts);
  await tell({ type: "dispose" });
  echoes.dispose();
  await sleep(300);
  return figures;
}

async function roundTrip(name: HandlerName): Promise<number> {
  await load(handlers[name]);
  const time = await tell<number>({ type: "ask", event: name === "added" ? "added" : "forwardPass" });
  await tell({ type: "dispose" });
  await sleep(300);
  return time;
}

const rounds = 7;

/** A busy loop is killed, and the next mod loaded: times of each part, over several rounds. */
async function killAndRestart() {
  const times: Record<"late" | "spare" | "cold", number[]> = { late: [], spare: [], cold: [] };
  for (let round = 0; round < rounds; round++) {
    await load(busyHandler);
    // The next spare has time to wake, as between requests.
    await sleep(1_500);
    times.late.push(await tell<number>({ type: "askBusy" }));
    for (const kind of ["spare", "cold"] as const) {
      const start = performance.now();
      await load(handlers.added);
      times[kind].push(performance.now() - start);
    }
  }
  return { late: median(times.late), spare: median(times.spare), cold: median(times.cold) };
}

async function measure(): Promise<SandboxMetrics> {
  const parameters = new URLSearchParams(location.search);
  const folder = parameters.get("tokenizer") ?? "";
  const entries = Number(parameters.get("vocabulary"));
  const read = async (file: string) => (await fetch(`${folder}/${file}`)).json();
  const data = {
    tokenizerJson: await read("tokenizer.json"),
    tokenizerConfig: await read("tokenizer_config.json"),
    vocabSize: 1,
    eosTokenIds: [0],
  };
  pool.prepare(await tell<SerializedTokenizer>({ type: "tokenizer", data, vocabulary: entries }));
  await sleep(1_500);
  if (parameters.get("only") === "threeMods") {
    const none = { top64: 0, wholeLogits: 0, wholeLogitsEdited: 0, added: 0 };
    const rest = { topSelection: 0, killAfterDeadline: 0, removeFrame: 0, readyFromSpare: 0, readyCold: 0 };
    return { roundTrips: none, ...rest, threeMods: await tokenOfThree() };
  }
  const topSelection = await tell<number>({ type: "selection" });
  const roundTrips = {
    top64: await roundTrip("top64"),
    wholeLogits: await roundTrip("wholeLogits"),
    wholeLogitsEdited: await roundTrip("wholeLogitsEdited"),
    added: await roundTrip("added"),
  };
  const three = await tokenOfThree();
  removals.length = 0;
  const { late, spare, cold } = await killAndRestart();
  return {
    roundTrips,
    topSelection,
    killAfterDeadline: late,
    removeFrame: median(removals),
    readyFromSpare: spare,
    readyCold: cold,
    threeMods: three,
  };
}

const report = await measure().then(
  (figures) => ({ figures, failure: null }),
  (error: Error) => ({ figures: null, failure: `${error.message}\n${error.stack}` }),
);
await fetch("/report", { method: "POST", body: JSON.stringify(report) });
