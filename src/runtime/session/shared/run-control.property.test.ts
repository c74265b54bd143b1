/** Pausing a request anywhere does not change it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mix32, randomBits } from "../../../core/base/random.ts";
import { KvCache } from "../../../core/decoder/kv-cache/kv-cache.ts";
import { END } from "../../../core/decoder/testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../../../core/decoder/testing/in-process-mod.ts";
import { runDecode } from "../../../core/decoder/testing/run-decode.ts";
import { scriptedModel } from "../../../core/decoder/testing/scripted-model.ts";
import { checkTrace, withoutTimes } from "../../../core/decoder/testing/trace-log.ts";
import { defaultSampling } from "../../../core/sdk/request.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { Breakpoint, Pause } from "./breakpoint.ts";
import { createRunControl, type RunControl } from "./run-control.ts";

/** Logits that depend on every token of the context. */
function randomLogits(context: readonly number[]): Float32Array {
  const key = context.reduce((hash, token) => mix32(hash + token), context.length);
  return Float32Array.from({ length: 257 }, (_, token) =>
    token === END ? -2 : (randomBits(key, token) % 1000) / 200,
  );
}

const known = fc.array(fc.constantFrom(65, 66), { minLength: 1, maxLength: 3 });
const change = fc.oneof(
  fc.record({ type: fc.constant("forceTokens"), tokens: known, hidden: fc.boolean() }),
  fc.record({ type: fc.constant("backtrack"), count: fc.integer({ min: 0, max: 4 }), tokens: known }),
);
const answers = fc.dictionary(fc.integer({ min: 0, max: 20 }).map(String), change, { maxKeys: 4 });
const mod = fc.record({
  forwardPass: fc.option(answers, { nil: undefined }),
  sampled: fc.option(answers, { nil: undefined }),
  added: fc.option(answers, { nil: undefined }),
  backtracked: fc.constant({}),
});
const requests = fc.record({
  mods: fc.array(mod, { maxLength: 3 }),
  maxTokens: fc.integer({ min: 3, max: 20 }),
  seed: fc.integer(),
  stop: fc.constantFrom([], ["AB"]),
});
type Request = typeof requests extends fc.Arbitrary<infer Value> ? Value : never;

const breakpoints: readonly Breakpoint[] = [
  { id: "event", enabled: true, type: "event", event: "sampled" },
  { id: "text", enabled: true, type: "text", text: "A" },
  { id: "rare", enabled: true, type: "probability", below: 0.01 },
  { id: "action", enabled: true, type: "action", action: "any", mod: "mod0" },
];
/** The action of the user at each pause. */
const moves = fc.array(fc.constantFrom("resume" as const, "stepOnce" as const, "stepEvent" as const), {
  minLength: 1,
  maxLength: 12,
});

function modsOf(request: Request) {
  return request.mods.map((handlers, index) => {
    const asked = Object.entries(handlers).flatMap(([type, given]) => {
      let next = 0;
      return given ? [[type, () => (given as Record<string, unknown>)[String(next++)]] as const] : [];
    });
    return inProcessMod(`mod${index}`, Object.fromEntries(asked) as Handlers);
  });
}

function run(request: Request, control?: RunControl, now?: () => number) {
  const { maxTokens, seed, stop } = request;
  const model = { vocabularySize: 257, endOfSequence: [END], logits: randomLogits, promptPassTokens: 2 };
  return runDecode({
    prompt: "seed",
    mods: modsOf(request),
    kvCache: new KvCache(scriptedModel(model)),
    request: { maxTokens, seed, stop, budget: 60, sampling: { ...defaultSampling, temperature: 1 } },
    ...(now && { now }),
    ...(control && {
      pausePoint: (at) => control.pausePoint(at),
      pausedMs: () => control.pausedMs(),
      signal: control.signal,
      onRecord: (record: TraceRecord) => control.see(record),
    }),
  });
}

interface Held {
  readonly pause: Pause;
  readonly written: number;
}

/** Runs the request, waits at each pause for ten milliseconds of its clock, and then moves it on. */
async function held(request: Request, given: readonly ("resume" | "stepOnce" | "stepEvent")[]) {
  const pauses: Held[] = [];
  let clock = 0;
  const now = () => clock;
  const control = createRunControl({
    turn: () => Promise.resolve(),
    now,
    onTurn() {},
    onPaused(pause) {
      pauses.push({ pause, written: pause.records });
      queueMicrotask(() => {
        clock += 10;
        control[given[pauses.length % given.length] ?? "resume"]();
      });
    },
  });
  control.setBreakpoints(breakpoints);
  control.stepEvent();
  const { records } = await run(request, control, now);
  return { records, pauses, pausedMs: control.pausedMs() };
}

test("tokens and trace are those of a request that nobody held", async () => {
  let count = 0;
  let inTheMiddle = 0;
  await fc.assert(
    fc.asyncProperty(requests, moves, async (request, given) => {
      const free = await run(request);
      const { records, pauses, pausedMs } = await held(request, given);
      expect(withoutTimes(records)).toEqual(withoutTimes(free.records));
      checkTrace(records);
      expect(pausedMs).toBe(10 * pauses.length);
      count += pauses.length;
      inTheMiddle += pauses.filter(({ pause }) => !pause.isBetweenSteps).length;
    }),
    { numRuns: 55 },
  );
  expect(inTheMiddle).toBeGreaterThan(160);
  expect(count).toBeGreaterThan(inTheMiddle);
});

test("event by event, it is held once after each thing that it waits for", async () => {
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { records, pauses } = await held(request, ["stepEvent"]);
      const places = pauses.map(({ written }) => written);
      expect(new Set(places).size).toBe(places.length);
      const stops = new Set(places.map((place) => records[place - 1]?.type));
      // Two records that are written together need only one pause.
      for (const [index, record] of records.entries()) {
        const together = ["request", "adjusted", "scored", "finished"].includes(record.type);
        const isPromptPass = record.type === "forwardPass" && record.before === null;
        const isLast = record.type === "modCall" && record.event === "finished";
        const next = records[index + 1]?.type;
        if (together || isPromptPass || isLast || next === "scored" || next === "finished") continue;
        if (!places.includes(index + 1)) throw new Error(`never held after record ${index}, ${record.type}`);
      }
      expect(stops.has("finished")).toBe(false);
    }),
    { numRuns: 30 },
  );
});

test("the times of a trace go on as if it had never been held", async () => {
  let clock = 0;
  const control = createRunControl({
    turn: () => Promise.resolve(),
    now: () => clock,
    onTurn() {},
    onPaused: () =>
      queueMicrotask(() => {
        clock += 60_000;
        control.stepEvent();
      }),
  });
  control.stepEvent();
  const { records } = await runDecode({
    mods: [inProcessMod("watch", { sampled: () => undefined })],
    request: { maxTokens: 6 },
    pausePoint: (at) => control.pausePoint(at),
    pausedMs: () => control.pausedMs(),
    now: () => clock,
    onRecord: (record) => control.see(record),
  });
  expect(control.pausedMs()).toBeGreaterThan(600_000);
  const finished = records.at(-1);
  expect(finished).toMatchObject({ type: "finished", timeUs: 0, decodeUs: 0 });
});

test("a stop ends a request that is held in the middle of a step", async () => {
  const kinds = new Set<string>();
  for (let at = 1; at < 12; at += 1) {
    let seen = 0;
    const control = createRunControl({
      turn: () => Promise.resolve(),
      now: () => 0,
      onTurn() {},
      onPaused: () => queueMicrotask(() => (++seen === at ? control.stop() : control.stepEvent())),
    });
    control.stepEvent();
    const { finished, records } = await runDecode({
      mods: [inProcessMod("a", { sampled: () => undefined, added: () => undefined })],
      pausePoint: (at) => control.pausePoint(at),
      signal: control.signal,
      request: { maxTokens: 20 },
      onRecord: (record) => control.see(record),
    });
    kinds.add(records.at(-2)?.type ?? "");
    expect(finished.reason).toBe("cancelled");
  }
  expect([...kinds].sort()).toEqual(["added", "forwardPass", "modCall", "prefilled", "sampled"]);
});
