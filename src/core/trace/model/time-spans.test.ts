import { expect, test, vi } from "vitest";
import { KvCache } from "../../decoder/kv-cache/kv-cache.ts";
import type { ModHost } from "../../decoder/ports/mod-host.ts";
import { alphabetLogits, byteTokenizer, END } from "../../decoder/testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../../decoder/testing/in-process-mod.ts";
import { runDecode } from "../../decoder/testing/run-decode.ts";
import { scriptedModel } from "../../decoder/testing/scripted-model.ts";
import type { TraceRecord } from "../format/format.ts";
import { sampleTrace } from "../testing/sample-trace.ts";
import { requestRecord } from "../testing/trace-builder.ts";
import { timeByPart } from "./time-by-part.ts";
import { type TimeSpanTable, timeSpansOf } from "./time-spans.ts";
import { runDurationUs, timeOfRange, timeOfToken, tokenAtTime } from "./token-times.ts";
import { createTraceModel } from "./trace-model.ts";

const pass = (timeUs: number, durationUs: number, tokenCount = 1): TraceRecord => ({
  type: "forwardPass",
  timeUs,
  step: 0,
  durationUs,
  tokenCount,
  contextLength: 9,
  before: null,
  likeliest: null,
});
const called = (
  event: "prefilled" | "forwardPass" | "sampled" | "added",
  mod: number,
  timeUs: number,
  durationUs: number,
): TraceRecord => ({
  type: "modCall",
  timeUs,
  step: 0,
  durationUs,
  mod,
  event,
  action: { type: "noop" },
  given: null,
  superseded: false,
  console: [],
  fault: null,
  line: null,
});
const sampled = (timeUs: number): TraceRecord => ({
  type: "sampled",
  timeUs,
  step: 0,
  token: 1,
  text: "a",
  draw: 0,
  logprobBefore: 0,
  logprobAfter: 0,
  probability: 1,
  candidates: 1,
  counterfactual: null,
});
const added = (timeUs: number, index: number, count = 1): TraceRecord => ({
  type: "added",
  timeUs,
  step: index + count,
  index,
  source: "sampled",
  mod: null,
  isEos: false,
  hidden: false,
  counterfactual: null,
  tokens: Array.from({ length: count }, () => ({ token: 1, text: "a" })),
});

/** Each span as "token: start–end". */
const spansText = ({ startUs, endUs, token }: TimeSpanTable) =>
  token.map((index, place) => `${index}: ${startUs[place]}–${endUs[place]}`);

test.each<{
  what: string;
  records: TraceRecord[];
  passes?: string[];
  sampling?: string[];
  mods?: string[][];
}>([
  {
    what: "a pass ends where its record is",
    records: [pass(100, 80, 4), sampled(110), added(112, 0), pass(200, 70)],
    passes: ["0: 20–100", "1: 130–200"],
    sampling: ["0: 100–110"],
  },
  {
    what: "a pass of no tokens is none: the odds were at hand, and are drawn from",
    records: [pass(100, 0, 0), sampled(130)],
    passes: [],
    sampling: ["0: 100–130"],
  },
  {
    what: "the draw begins once the mods have changed the odds",
    records: [pass(100, 50), called("forwardPass", 0, 160, 50), sampled(180)],
    sampling: ["0: 160–180"],
    mods: [["0: 110–160"]],
  },
  {
    what: "mods that see what those before them did are asked one after the other",
    records: [pass(100, 50), called("forwardPass", 0, 160, 50), called("forwardPass", 1, 200, 42)],
    mods: [["0: 110–160"], ["0: 158–200"]],
  },
  {
    what: "mods that were asked at once begin at once, in whichever order they answer",
    records: [called("sampled", 0, 600, 500), called("sampled", 1, 605, 90), called("sampled", 2, 900, 800)],
    mods: [["0: 100–600"], ["0: 100–190"], ["0: 100–900"]],
  },
  {
    what: "what is asked about added tokens belongs to the last of them",
    records: [pass(50, 50), sampled(60), added(70, 0, 3), called("added", 0, 100, 20), pass(200, 80)],
    passes: ["0: 0–50", "3: 120–200"],
    mods: [["2: 80–100"]],
  },
  {
    what: "a pass that ran ahead began when the token was added; what the mod still took is after it",
    records: [added(100, 0), called("added", 0, 310, 8), pass(312, 200)],
    passes: ["1: 100–300"],
    mods: [["0: 302–310"]],
  },
  {
    what: "a pass that ran ahead for longer than the mod thought",
    records: [added(100, 0), called("added", 0, 150, 48), pass(301, 200)],
    passes: ["1: 101–301"],
    mods: [["0: 102–150"]],
  },
  {
    what: "a trace without times",
    records: [pass(0, 0), called("forwardPass", 1, 0, 0), sampled(0), added(0, 0), called("added", 1, 0, 0)],
    passes: ["0: 0–0"],
    sampling: ["0: 0–0"],
    mods: [[], ["0: 0–0", "0: 0–0"]],
  },
  {
    what: "times that cannot be are cut to the beginning",
    records: [pass(10, 500), called("sampled", 0, 5, 100)],
    passes: ["0: 0–500"],
    mods: [["0: 0–100"]],
  },
])("$what", ({ records, passes, sampling, mods }) => {
  const spans = timeSpansOf({ records });
  if (passes) expect(spansText(spans.passes)).toEqual(passes);
  if (sampling) expect(spansText(spans.sampling)).toEqual(sampling);
  if (mods) expect(spans.mods.map(spansText)).toEqual(mods);
});

/**
 * A real run on a clock that stands still while the loop works. The durations of its mods and its model are noted as they
 * happen.
 */
async function timedRun(
  mods: readonly { readonly event: string; readonly ms: number; readonly reads: boolean }[],
) {
  vi.useFakeTimers();
  const start = performance.now();
  const us = () => Math.round((performance.now() - start) * 1000);
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const truth: Record<string, string[]> = { passes: [] };
  const noted = async <Result>(who: string, ms: number, work: () => Promise<Result>) => {
    const from = us();
    await wait(ms);
    truth[who]?.push(`${from}–${us()}`);
    return work();
  };
  const hosts = mods.map(({ event, ms, reads }, number): ModHost => {
    const host = inProcessMod(`mod${number}`, { [event]: () => null } as Handlers);
    truth[number] = [];
    const ask: ModHost["ask"] = (asked) => noted(String(number), ms, () => host.ask(asked));
    return { ...host, needs: { topK: 0, logits: reads }, ask };
  });
  const model = scriptedModel({
    vocabularySize: byteTokenizer.vocabSize,
    endOfSequence: [END],
    logits: alphabetLogits,
  });
  const { forward } = model;
  const kvCache = new KvCache(
    Object.assign(model, {
      forward: (...pass: Parameters<typeof forward>) => noted("passes", 5, () => forward(...pass)),
    }),
  );
  const run = runDecode({ mods: hosts, kvCache, now: () => performance.now(), request: { maxTokens: 14 } });
  await vi.runAllTimersAsync();
  const { records } = await run;
  vi.useRealTimers();
  const trace = createTraceModel();
  trace.append(records);
  return { trace, truth };
}

test.each([
  ["one mod", [{ event: "forwardPass", ms: 2, reads: true }]],
  [
    "two mods, the second after the first",
    [
      { event: "forwardPass", ms: 3, reads: true },
      { event: "forwardPass", ms: 2, reads: true },
    ],
  ],
  [
    "two mods, the second at the same time and faster",
    [
      { event: "forwardPass", ms: 3, reads: true },
      { event: "forwardPass", ms: 1, reads: false },
    ],
  ],
  [
    "three mods at the same time",
    [
      { event: "sampled", ms: 3, reads: false },
      { event: "sampled", ms: 1, reads: false },
      { event: "sampled", ms: 8, reads: false },
    ],
  ],
  ["a silent mod, beside whose answers passes run ahead", [{ event: "added", ms: 2, reads: false }]],
])("spans of a real run are what happened: %s", async (_what, mods) => {
  const { trace, truth } = await timedRun(mods);
  const { passes, mods: calls } = timeSpansOf(trace);
  const text = ({ startUs, endUs }: TimeSpanTable) =>
    startUs.map((start, place) => `${start}–${endUs[place]}`);
  expect(text(passes)).toEqual(truth.passes);
  expect(calls.map(text)).toEqual(mods.map((_mod, number) => truth[number]));
});

test("spans are the same whether records come at once or one by one", () => {
  const { records } = sampleTrace({ tokens: 120 });
  const whole = createTraceModel();
  whole.append(records);
  const grown = createTraceModel();
  for (const record of records) {
    grown.append([record]);
    timeSpansOf(grown);
  }
  expect(JSON.stringify(timeSpansOf(grown))).toBe(JSON.stringify(timeSpansOf(whole)));
});

test("the parts of a run add up to what its records say", () => {
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 120 }).records);
  const count = trace.tokens.text.length;
  const sum = (kind: "prompt" | "passes" | "mods", first: number, end: number) =>
    timeByPart(trace, { first, end })
      .filter(({ part }) => (kind === "mods" ? typeof part === "object" : part === kind))
      .reduce((total, { totalUs }) => total + (totalUs ?? 0), 0);
  const all = { first: 0, end: count + 1 };
  expect(sum("prompt", all.first, all.end) + sum("passes", all.first, all.end)).toBe(trace.totals.forwardUs);
  expect(sum("mods", all.first, all.end)).toBe(trace.totals.modUs);
  for (const cut of [1, 40, 90])
    expect(sum("passes", 0, cut) + sum("passes", cut, all.end)).toBe(sum("passes", 0, all.end));
});

test("the longest span of a part is told with its token; without times, only how many there are", () => {
  const records = [
    requestRecord(),
    pass(50, 50),
    sampled(60),
    added(70, 0),
    pass(200, 80),
    sampled(210),
    added(211, 1),
    pass(230, 9),
  ];
  const trace = createTraceModel();
  trace.append(records);
  const [, passes] = timeByPart(trace, { first: 0, end: 9 });
  expect(passes).toEqual({ part: "passes", count: 2, totalUs: 89, longestUs: 80, longestToken: 1 });
  const untimed = createTraceModel(["timings"]);
  untimed.append(records);
  expect(timeByPart(untimed, { first: 0, end: 9 })[1]).toMatchObject({
    count: 2,
    totalUs: null,
    longestUs: null,
  });
});

test("tokens and times: each token from the one before it, those of one record in equal shares", () => {
  const trace = createTraceModel();
  trace.append([requestRecord(), pass(90, 80), added(100, 0), added(160, 1, 3), added(200, 4)]);
  expect([0, 1, 2, 3, 4].map((index) => timeOfToken(trace, index))).toEqual([
    { fromUs: 0, toUs: 100 },
    { fromUs: 100, toUs: 120 },
    { fromUs: 120, toUs: 140 },
    { fromUs: 140, toUs: 160 },
    { fromUs: 160, toUs: 200 },
  ]);
  expect(timeOfRange(trace, { first: 1, end: 4 })).toEqual({ fromUs: 100, toUs: 160 });
  expect([0, 50, 101, 119, 121, 150, 161, 200, 999].map((timeUs) => tokenAtTime(trace, timeUs))).toEqual([
    0, 0, 1, 1, 2, 3, 4, 4, 4,
  ]);
  expect(runDurationUs(trace)).toBe(200);
  expect(tokenAtTime(createTraceModel(), 10)).toBe(0);
});
