/** The packed `midtoken run` and `midtoken serve`: from a signal until the process has ended. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import {
  type EndlessKind,
  endlessAtLoad,
  endlessAtPrompt,
  endlessKinds,
} from "../../../src/runtime/engine/testing/endless-models.ts";
import { type ClientFolder, installClient } from "../../package/clients/set-up.ts";
import type { BenchRow } from "../machine.ts";
import { type EndlessFolders, prompt, stopRow, story } from "./folders.ts";

export function openPackage(tarball: string): ClientFolder {
  return installClient({}, tarball);
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** The text that the process has written so far. */
  out(): string;
  /** Resolves once it has written this text. */
  written(text: string): Promise<void>;
}

function start({ path }: ClientFolder, words: readonly string[]): Started {
  const program = "node_modules/midtoken/dist/cli.js";
  const child = spawn(process.execPath, [program, ...words], {
    cwd: path,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let out = "";
  const ended = new Promise<number | null>((done) => child.once("exit", done));
  const written = (text: string) =>
    new Promise<void>((found, fail) => {
      const look = () => out.includes(text) && found();
      child.stdout?.on("data", look);
      void ended.then(() => fail(new Error(`midtoken ${words[0]} ended before it wrote "${text}": ${out}`)));
      look();
    });
  child.stdout?.on("data", (bytes) => {
    out += String(bytes);
  });
  return { child, ended, out: () => out, written };
}

/** Milliseconds between two looks. */
const lookMs = 250;
/** Milliseconds of processor time after which a process counts as in endless work. */
const endlessMs = 800;

/**
 * Resolves once one thread has taken most of the process's time for `endlessMs`, and the main one little of it: before that, a busy
 * machine has not even read the command. Reads Linux's /proc. @throws Error for a process that ends: a prompt ends by itself
 * after 15 s, a load after 30 s, and a machine that has no time for the process until then is too busy for this bench.
 */
async function inEndlessWork({ child }: Started): Promise<void> {
  const process = child.pid ?? 0;
  let before = threadTimes(process);
  let alone = 0;
  while (alone < endlessMs) {
    if (child.exitCode !== null) throw new Error("The command ended by itself: the machine is too busy.");
    await new Promise((done) => setTimeout(done, lookMs));
    const after = threadTimes(process);
    const taken = [...after].map(([thread, ms]) => ({ thread, ms: ms - (before.get(thread) ?? 0) }));
    const all = taken.reduce((sum, { ms }) => sum + ms, 0);
    const mainMs = taken.find(({ thread }) => thread === process)?.ms ?? 0;
    // The rest is that of the threads which collect the garbage.
    const longestMs = Math.max(0, ...taken.filter(({ thread }) => thread !== process).map(({ ms }) => ms));
    const isAlone = longestMs >= 0.5 * all && mainMs <= 0.2 * all;
    if (all > 0) alone = isAlone ? alone + all : 0;
    before = after;
  }
}

/** Milliseconds of processor time, in steps of 10, by the numbers of the process's threads. */
function threadTimes(process: number): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const thread of threadsOf(process)) {
    try {
      const fields = readFileSync(`/proc/${process}/task/${thread}/stat`, "utf8").split(") ")[1]?.split(" ");
      times.set(Number(thread), 10 * (Number(fields?.[11]) + Number(fields?.[12])));
    } catch {
      // The thread has ended meanwhile.
    }
  }
  return times;
}

function threadsOf(process: number): readonly string[] {
  try {
    return readdirSync(`/proc/${process}/task`);
  } catch {
    return [];
  }
}

/** Milliseconds. */
async function signalled({ child, ended }: Started, signal: NodeJS.Signals): Promise<number> {
  const from = performance.now();
  child.kill(signal);
  await ended;
  return performance.now() - from;
}

export async function runRows(folder: ClientFolder, models: EndlessFolders): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const words = (model: string, tokens: number) => [
    ...["run", "--model", model, "--prompt", prompt, "--no-link", "--temperature", "0"],
    ...["--max-tokens", String(tokens)],
  ];
  for (const kind of endlessKinds) {
    const run = start(folder, words(models.of(kind), 400));
    await inEndlessWork(run);
    const ms = await signalled(run, "SIGINT");
    const next = start(folder, words(models.working, 20));
    const code = await next.ended;
    const works = code === 0 && next.out().startsWith(story);
    rows.push(stopRow(`midtoken run, Ctrl-C: ${kind}`, ms, works));
  }
  return rows;
}

export async function serveRows(folder: ClientFolder, models: EndlessFolders): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const add = (kind: EndlessKind, ms: number, works: boolean) =>
    rows.push(stopRow(`midtoken serve, SIGTERM: ${kind}`, ms, works));
  const serve = (...names: readonly string[]) =>
    start(folder, ["serve", ...names.flatMap((name) => ["--model", name]), "--port", "0", "--log", "off"]);
  for (const kind of endlessAtLoad) {
    const loading = serve(models.of(kind));
    await inEndlessWork(loading);
    const ms = await signalled(loading, "SIGTERM");
    const next = serve(models.working);
    await next.written("Models:");
    add(kind, ms, await works(addressOf(next)));
    await signalled(next, "SIGTERM");
  }
  for (const kind of endlessAtPrompt) {
    const serving = serve(models.of(kind), models.working);
    await serving.written("Models:");
    const address = addressOf(serving);
    const leaving = new AbortController();
    const left = answerOf(address, kind.replaceAll(" ", "-"), 400, leaving.signal).catch(() => null);
    await inEndlessWork(serving);
    leaving.abort();
    await left;
    const next = await works(address);
    void answerOf(address, kind.replaceAll(" ", "-"), 400).catch(() => null);
    await inEndlessWork(serving);
    add(kind, await signalled(serving, "SIGTERM"), next);
  }
  return rows;
}

const addressOf = (serving: Started): string => /http:\S+/.exec(serving.out())?.[0] ?? "";

async function works(address: string): Promise<boolean> {
  return (await answerOf(address, "stories260k", 20)).includes(story);
}

async function answerOf(address: string, model: string, tokens: number, signal?: AbortSignal) {
  const response = await fetch(`${address}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model,
      messages: [{ role: "user", content: prompt }],
      max_tokens: tokens,
      temperature: 0,
    }),
    ...(signal && { signal }),
  });
  return response.text();
}
