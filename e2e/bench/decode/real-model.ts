/**
 * Figures on a real model, a folder with an expected.json: on WebAssembly, or with `--device gpu` on WebGPU, where the same weights run
 * in 4 bits.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { WebGpuDevice } from "../../../scripts/chromium-switches.ts";
import { ensureGeneratedModel } from "../../../scripts/models/generated.ts";
import { smolLm2Gguf } from "../../peer/wllama/smollm2-gguf.ts";
import { deviceNames, isOnProcessor } from "../device-option.ts";
import { atLeast, atMost, type BenchRow, exactly, figure, missingRows, onAdapter } from "../machine.ts";
import { mean, median } from "../statistics.ts";
import { servedFolder } from "./browser.ts";
import type { ContestResult } from "./contest.ts";
import { entrantsOf, overBounds, perToken, ratio, threadWords, timesOf } from "./contest-rows.ts";
import type { ExpectedCase } from "./engine-worker.ts";
import { contestRows, type ShapeTiming } from "./real-shapes.ts";
import type { Subject } from "./rival.ts";
import { contestOn, onPage, rivalsOnWasm, threadCounts } from "./sections.ts";

export function casesOf(folder: string): ExpectedCase[] {
  const { cases } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as {
    cases: ExpectedCase[];
  };
  return cases;
}

/** Every answer of expected.json through the whole loop. */
export async function answers(folder: string): Promise<BenchRow[]> {
  const cases = casesOf(folder);
  const found = await onPage(
    (page) =>
      page.evaluate(([s, c]) => window.decodeBench.engine.answers(s, c), [subjectOf(folder), cases] as const),
    { folders: [folder] },
  );
  const isRight = found.map(({ isExact, difference }) => isExact || isNearTie(difference));
  const ties = found
    .filter(({ isExact }) => !isExact)
    .map(({ text, difference }) => `${JSON.stringify(text.slice(0, 30))} ${JSON.stringify(difference)}`);
  const name = `answers as in expected.json, token for token${ties.length > 0 ? ` (but ${ties.join("; ")})` : ""}`;
  return [exactly(name, isRight.filter(Boolean).length, `of ${cases.length}`, cases.length)];
}

/** Best logits that lie closer than this may change places on another machine. */
const nearTie = 0.01;

function isNearTie(difference: { readonly gap: number } | null): boolean {
  return difference !== null && difference.gap < nearTie;
}

const onCard: ShapeTiming = { timedTokens: 32, warmUps: 2, rounds: 6 };
/** Software that poses as a card takes seconds for a token of 30 layers. */
const onProcessor: ShapeTiming = { timedTokens: 4, warmUps: 1, rounds: 1 };

/**
 * Time per token against the bounds and against generate(): on WebAssembly with one thread and with two, or on the card that
 * `--device gpu` names.
 */
export async function realModel(folder: string, gpu: WebGpuDevice): Promise<BenchRow[]> {
  if (gpu === "software") return realModelOnWasm(folder);
  const { subject, folder: made } = fourBitOnWebGpu(gpu);
  return contestRows(subject, made, isOnProcessor(gpu) ? onProcessor : onCard, gpu);
}

function fourBitOnWebGpu(gpu: WebGpuDevice): { readonly subject: Subject; readonly folder: string } {
  const folder = ensureGeneratedModel("smollm2-135m", ["q4"]);
  const id = `${deviceNames[gpu]}, SmolLM2 4-bit`;
  return { subject: { id, folder: servedFolder(folder), dtype: "q4", content: question }, folder };
}

async function realModelOnWasm(folder: string): Promise<BenchRow[]> {
  const subject = longestAnswer(folder);
  const timing = { timedTokens: subject.tokens - 1, warmUps: 3, rounds: 10 };
  const rows = await answers(folder);
  for (const threads of threadCounts) {
    const entrants = entrantsOf(rivalsOnWasm, threads);
    const result = await contestOn({ subject, device: "wasm", entrants, ...timing }, { folders: [folder] });
    const where = `${subject.id}, ${threadWords(threads)}`;
    rows.push(
      ...perToken(where, result, { entrants, ...timing }),
      ...overBounds(where, result, { bound: 1.05, peer: 1 }),
    );
  }
  return rows;
}

/** Two threads against one, taking turns. */
export async function twoThreads(folder: string): Promise<BenchRow[]> {
  const subject = longestAnswer(folder);
  const entrants = [
    { name: "one", kind: "ours", threads: 1 },
    { name: "two", kind: "ours", threads: 2 },
  ] as const;
  const timing = { timedTokens: Math.min(64, subject.tokens - 1), warmUps: 2, rounds: 8 };
  const result = await contestOn({ subject, device: "wasm", entrants, ...timing }, { folders: [folder] });
  const expected = { one: "WebAssembly, 1 thread", two: "WebAssembly, 2 threads" };
  if (JSON.stringify(result.adapters) !== JSON.stringify(expected))
    throw new Error(`The threads are not those that were asked for: ${JSON.stringify(result.adapters)}.`);
  const [one, two] = [timesOf(result, "one"), timesOf(result, "two")];
  const name = `${subject.id}: per token, of ${timing.rounds} rounds of ${timing.timedTokens}, mean`;
  return [
    figure(`${name}, 1 thread`, mean(one), "ms"),
    figure(`${name}, 2 threads`, mean(two), "ms"),
    atLeast(`${subject.id}: 1 thread over 2 threads, the same tokens`, ratio(one, two), "×", 1.45),
  ];
}

/** SmolLM2 from 4-bit weights, against wllama on a GGUF file of the same blocks. @param source its folder, of which both are made. */
export async function againstWllama(source: string): Promise<BenchRow[]> {
  const [folder, gguf] = [ensureGeneratedModel("smollm2-135m", ["q4"]), await smolLm2Gguf(source)];
  const subject = { id: "SmolLM2 4-bit", folder: servedFolder(folder), dtype: "q4", content: question };
  const timing = { timedTokens: 32, warmUps: 2, rounds: 6 };
  const rows: BenchRow[] = [];
  for (const threads of threadCounts) {
    const entrants = entrantsOf(["ours", "wllama"], threads);
    const result = await contestOn(
      { subject, device: "wasm", entrants, gguf: `/bench-files/${basename(gguf)}`, ...timing },
      { folders: [folder], files: dirname(gguf) },
    );
    const where = `${subject.id}, ${threadWords(threads)}`;
    rows.push(
      ...perToken(where, result, { entrants, ...timing }),
      figure(`${where}: wllama's text is ours from its start on for`, result.agreement ?? 0, "characters"),
      atLeast(
        `${where}: wllama over decode()`,
        ratio(timesOf(result, "wllama"), timesOf(result, "ours")),
        "×",
        2.5,
      ),
    );
  }
  return rows;
}

const question = "Tell me a story about a fox.";

/**
 * Time to the first token of a prompt of 1,000 tokens and a few with two threads, against generate(). Each takes half a minute.
 */
async function longPrompt(folder: string): Promise<BenchRow[]> {
  const subject = { ...subjectOf(folder), content: longText };
  const entrants = entrantsOf(["ours", "peer"], 2);
  const options = { subject, device: "wasm", entrants, ...longTiming } as const;
  const result = await contestOn(options, { folders: [folder] });
  return firstTokenRows(`${subject.id}, ${threadWords(2)}`, result);
}

/** The same on the card that `--device gpu` names, or with 2 threads. */
export async function longPromptOn(folder: string, gpu: WebGpuDevice): Promise<BenchRow[]> {
  if (gpu === "software") return longPrompt(folder);
  if (isOnProcessor(gpu))
    return missingRows(
      "a prompt of 1,000 tokens on WebGPU",
      "--device gpu on a machine with a graphics card",
    );
  const { subject, folder: made } = fourBitOnWebGpu(gpu);
  const entrants = entrantsOf(["ours", "peer"], 1);
  const options = {
    subject: { ...subject, content: longText },
    device: "webgpu",
    entrants,
    ...longTiming,
  } as const;
  const result = await contestOn(options, { folders: [made], gpu });
  return onAdapter(result.adapter, firstTokenRows(subject.id, result));
}

const longText = `${"The fox went over the hill to see what was there, and came home before the rain. ".repeat(51)}${question}`;
const longTiming = { timedTokens: 1, warmUps: 1, rounds: 5 };

function firstTokenRows(who: string, { times, promptTokens }: ContestResult): BenchRow[] {
  const [ours = [], peer = []] = ["ours", "peer"].map((name) => times[name]?.firstTokenMs);
  const where = `${who}, a prompt of ${promptTokens} tokens: time to the first token`;
  return [
    figure(`${where}, decode(), median of ${longTiming.rounds}`, median(ours), "ms"),
    figure(`${where}, generate(), median of ${longTiming.rounds}`, median(peer), "ms"),
    atMost(`${where}, decode() over generate()`, ratio(ours, peer), "×", 1.1),
  ];
}

/** The longest answer to a single message. */
function longestAnswer(folder: string): Subject & { readonly tokens: number } {
  const longest = casesOf(folder).reduce((a, b) => (b.greedy.length > a.greedy.length ? b : a));
  const content = longest.messages.at(-1)?.content;
  if (typeof content !== "string" || longest.messages.length !== 1)
    throw new Error("The longest answer of expected.json is not to one message of text.");
  return { ...subjectOf(folder), content, tokens: longest.greedy.length };
}

/** The one graph of a folder. @throws Error when there is none or a choice to make. */
export function subjectOf(folder: string): Subject {
  const [subject, ...others] = subjectsOf(folder);
  if (subject && others.length === 0) return subject;
  const dtypes = subjectsOf(folder).map(({ dtype }) => dtype);
  throw new Error(`${folder}/onnx has ${dtypes.length} graphs (${dtypes.join(", ")}); one is needed.`);
}

/** Every whole graph of a folder. */
export function subjectsOf(folder: string): Subject[] {
  const files = readdirSync(join(folder, "onnx")).filter((file) => /^model.*\.onnx$/.test(file));
  const served = servedFolder(folder);
  return files.map((file) => ({
    id: served.split("/").at(-2) ?? folder,
    folder: served,
    dtype: file.replace(/^model_?|\.onnx$/g, "") || "fp32",
    content: "",
  }));
}
