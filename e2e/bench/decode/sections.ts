/** The figures of the decode bench, each section a fresh page. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseModel } from "../../../src/engine/onnx/codec.ts";
import { inspectGraph } from "../../../src/engine/onnx/inspect.ts";
import { readExpected } from "../../../src/engine/testing/exported-models.ts";
import { exported, type ServedGraph } from "../../webgpu/graphs.ts";
import {
  atLeast,
  atMost,
  type BenchRow,
  calibrate,
  exactly,
  figure,
  missingRows,
  timeAtMost,
} from "../machine.ts";
import { median } from "../statistics.ts";
import { type BenchPage, openBenchPage, servedFolder } from "./browser.ts";
import type { DecodeBench, ExpectedCase } from "./page.ts";
import type { RaceOptions, RaceResult } from "./race.ts";
import type { Subject } from "./rival.ts";
import type { ForcedSpanResult } from "./spans.ts";

declare global {
  interface Window {
    decodeBench: DecodeBench;
  }
}

/** The bundled model tells 342 tokens from here, so that no end of sequence comes within the tokens that are timed. */
const story: Subject = {
  id: "stories260k",
  folder: "/models/stories260k/",
  dtype: "fp32",
  content: "Once upon a time",
};
/** From here it goes on for more than 500. */
const longStory: Subject = { ...story, content: "Ben" };

async function onPage<T>(
  work: (page: BenchPage["page"]) => Promise<T>,
  model: string | null = null,
): Promise<T> {
  const { page, close } = await openBenchPage(model);
  try {
    return await work(page);
  } finally {
    await close();
  }
}

/**
 * Each value is the mean over one round's tokens; of the rounds, the median counts. Rivals are compared round by round,
 * because they took turns there: what else the machine did meanwhile met both.
 */
function compare(a: readonly number[], b: readonly number[], by: (a: number, b: number) => number): number {
  return median(a.map((value, round) => by(value, b[round] ?? Number.NaN)));
}
const ratio = (a: readonly number[], b: readonly number[]) => compare(a, b, (x, y) => x / y);
const excess = (a: readonly number[], b: readonly number[]) => compare(a, b, (x, y) => x - y);

/** Against generate(), and the loop against the bare session, on WebAssembly. */
export async function onWasm(): Promise<BenchRow[]> {
  const options = { subject: story, device: "wasm", timedTokens: 256, warmUps: 2, rounds: 12 } as const;
  const before = calibrate();
  const times = await onPage((page) => page.evaluate((o) => window.decodeBench.race(o), options));
  const calibrations = [before, calibrate()];
  const overhead = excess(times.ours, times.bare);
  const ofLoop = excess(times.ours, times.forward);
  return [
    ...perToken("WebAssembly", times, options),
    atLeast("WebAssembly: generate() over ours", ratio(times.peer, times.ours), "×", 2),
    await timeAtMost(
      "WebAssembly: ours less the bare session.run, per token",
      overhead,
      "ms",
      0.15,
      calibrations,
    ),
    await timeAtMost("WebAssembly: ours less our own forward(), per token", ofLoop, "ms", 0.15, calibrations),
  ];
}

/** A software adapter is slow: rounds are short, so that there are enough of them to compare. Warmed up with 512 tokens, as on WebAssembly. */
export async function onWebGpu(): Promise<BenchRow[]> {
  const options = { subject: story, device: "webgpu", timedTokens: 32, warmUps: 16, rounds: 16 } as const;
  const times = await onPage((page) => page.evaluate((o) => window.decodeBench.race(o), options));
  return [
    ...perToken("software WebGPU", times, options),
    atLeast("software WebGPU: generate() over ours", ratio(times.peer, times.ours), "×", 1),
  ];
}

function perToken(
  where: string,
  { ours, peer, bare, forward }: RaceResult,
  { rounds, timedTokens }: Pick<RaceOptions, "rounds" | "timedTokens">,
): BenchRow[] {
  const all = { "decode()": ours, "generate()": peer, "bare session.run": bare, "our forward()": forward };
  return Object.entries(all)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) =>
      figure(
        `${where}: ${name}, per token, median of ${rounds} rounds of ${timedTokens}`,
        median(values),
        "ms",
      ),
    );
}

/** A prompt of 40 tokens in one pass, WebGPU against WebAssembly, on the exporters' graphs. */
export async function longPasses(): Promise<BenchRow[]> {
  const graphs = exported.filter(isFloat32Attention);
  if (graphs.length === 0) return missingRows("a prompt of 40 tokens in one pass, the exporters' graphs");
  return onPage(async (page) => {
    const rows: BenchRow[] = [];
    for (const graph of graphs) {
      const prompt = [...readExpected(graph).prompt].slice(0, 40);
      const { folder, file } = graph.address;
      const result = await page.evaluate(([a, b, c]) => window.decodeBench.longPass(a, b, c), [
        folder,
        file,
        prompt,
      ] as const);
      if (prompt.length !== 40 || result.passTokens < 40)
        throw new Error(`${graph.name} was not computed in one pass of 40 tokens: ${result.reason}`);
      const name = `${graph.name}: 40 tokens in one pass, WebGPU from WebAssembly (${result.rows} rows)`;
      rows.push(atMost(name, result.difference, "", 1e-3));
    }
    return rows;
  });
}

function isFloat32Attention({ folder, file }: ServedGraph): boolean {
  const summary = inspectGraph(parseModel(new Uint8Array(readFileSync(join(folder, file)))));
  const { products, embeddings } = summary.quantized;
  return summary.cache === "shared-cache" && !summary.float16 && products + embeddings === 0;
}

/**
 * On a GPU a pass costs its dispatches, whatever its length. WebAssembly has to compute every
 * token of the pass (this model: 8 of 11 ms in attention, 3 in products), and a step through our runner has next to no
 * overhead to save: 64 steps take as long as the pass. The limit names no device, so that row is held to it, and misses it.
 */
export async function forced(): Promise<BenchRow[]> {
  const onWebAssembly = { subject: story, device: "wasm", span: 64, warmUps: 10, rounds: 30 } as const;
  const onGpu = { subject: story, device: "webgpu", span: 64, warmUps: 2, rounds: 7 } as const;
  const [wasm, gpu] = await onPage(async (page) => [
    await page.evaluate((o) => window.decodeBench.forcedSpan(o), onWebAssembly),
    await page.evaluate((o) => window.decodeBench.forcedSpan(o), onGpu),
  ]);
  const times = (result: ForcedSpanResult) => ratio(result.stepsMs, result.forcedMs);
  return [
    ...forcedRows("WebAssembly", wasm),
    atLeast("WebAssembly: 64 steps over 64 forced tokens", times(wasm), "×", 10),
    ...forcedRows("software WebGPU", gpu),
    atLeast("software WebGPU: 64 steps over 64 forced tokens", times(gpu), "×", 10),
  ];
}

function forcedRows(where: string, result: ForcedSpanResult): BenchRow[] {
  const { passes, tokensComputed, forcedMs, stepsMs } = result;
  return [
    exactly(`${where}: 64 forced tokens, forward passes`, passes, "", 1),
    exactly(`${where}: 64 forced tokens, tokens in that pass`, tokensComputed, "", 64),
    figure(`${where}: 64 forced tokens, time, median of ${forcedMs.length} rounds`, median(forcedMs), "ms"),
    figure(`${where}: 64 steps, time, median of ${stepsMs.length} rounds`, median(stepsMs), "ms"),
  ];
}

export async function backtracks(): Promise<BenchRow[]> {
  const cases = [100, 500].flatMap((contextLength) =>
    [0, 8].map((replacement) => ({ contextLength, removed: 40, replacement })),
  );
  const results = await onPage((page) =>
    page.evaluate(([s, c]) => window.decodeBench.backtrack(s, c), [longStory, cases] as const),
  );
  return results.flatMap(({ contextLength, contextAfter, passes, tokensComputed }, i) => {
    const { removed, replacement } = cases[i] ?? { removed: 0, replacement: 0 };
    if (contextLength !== cases[i]?.contextLength || contextAfter !== contextLength - removed + replacement)
      throw new Error(`The backtrack went from ${contextLength} tokens to ${contextAfter}.`);
    const name = `backtrack ${removed}, then ${replacement}, at ${contextLength} tokens`;
    return [
      exactly(`${name}: forward passes`, passes, "", 1),
      // With nothing new, the last token that stays runs again: its logits are wanted.
      exactly(`${name}: tokens computed`, tokensComputed, "", Math.max(1, replacement)),
    ];
  });
}

export async function repeats(): Promise<BenchRow[]> {
  const runs = 100;
  const result = await onPage((page) =>
    page.evaluate(([s, n, m]) => window.decodeBench.sameSeed(s, n, m), [story, runs, 80] as const),
  );
  if (result.textsOfOtherSeeds < runs / 2 || result.changesByMod < 3)
    throw new Error(`The requests were too much alike to compare: ${JSON.stringify(result)}.`);
  return [
    exactly("same seed, a mod: runs with the same tokens and trace", result.fresh, `of ${runs}`, runs),
    exactly("same seed, a mod, after other requests: the same", result.reused, `of ${runs}`, runs),
  ];
}

/** A model folder with an expected.json, on WebAssembly. */
export async function realModel(folder: string): Promise<BenchRow[]> {
  const subject = subjectOf(folder);
  const { cases } = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8")) as {
    cases: ExpectedCase[];
  };
  const answers = await onPage(
    (page) => page.evaluate(([s, c]) => window.decodeBench.answers(s, c), [subject, cases] as const),
    folder,
  );
  const isRight = answers.map(({ isExact, difference }) => isExact || isNearTie(difference));
  const ties = answers
    .filter(({ isExact }) => !isExact)
    .map(({ text, difference }) => `${JSON.stringify(text.slice(0, 30))} ${JSON.stringify(difference)}`);
  const name = `answers as in expected.json, token for token${ties.length > 0 ? ` (but ${ties.join("; ")})` : ""}`;
  return [
    exactly(name, isRight.filter(Boolean).length, `of ${cases.length}`, cases.length),
    ...(await realModelTimes(folder, subject, cases)),
  ];
}

/** Best logits that lie closer than this may change places on another machine. */
const nearTie = 0.01;

function isNearTie(difference: { readonly gap: number } | null): boolean {
  return difference !== null && difference.gap < nearTie;
}

async function realModelTimes(
  folder: string,
  subject: Subject,
  cases: readonly ExpectedCase[],
): Promise<BenchRow[]> {
  const longest = cases.reduce((a, b) => (b.greedy.length > a.greedy.length ? b : a));
  const content = longest.messages.at(-1)?.content;
  if (typeof content !== "string" || longest.messages.length !== 1)
    throw new Error("The longest answer of expected.json is not to one message of text.");
  const options = {
    subject: { ...subject, content },
    device: "wasm",
    timedTokens: longest.greedy.length - 1,
    warmUps: 3,
    rounds: 10,
  } as const;
  const times = await onPage((page) => page.evaluate((o) => window.decodeBench.race(o), options), folder);
  return [
    ...perToken(subject.id, times, options),
    atMost(`${subject.id}: decode() over the bare session.run`, ratio(times.ours, times.bare), "×", 1.05),
    atMost(`${subject.id}: decode() over generate()`, ratio(times.ours, times.peer), "×", 1.02),
  ];
}

/** The one graph of a folder. @throws Error when there is none or a choice to make. */
function subjectOf(folder: string): Subject {
  const files = readdirSync(join(folder, "onnx")).filter((file) => /^model.*\.onnx$/.test(file));
  if (files.length !== 1)
    throw new Error(`${folder}/onnx has ${files.length} graphs (${files.join(", ")}); one is needed.`);
  const dtype = files[0]?.replace(/^model_?|\.onnx$/g, "") || "fp32";
  const served = servedFolder(folder);
  return { id: served.split("/").at(-2) ?? folder, folder: served, dtype, content: "" };
}
