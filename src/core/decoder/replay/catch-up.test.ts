/** A request that goes on from the middle of another one with other mods: these are told what happened, and go on from there. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../sdk/request.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import type { RequestRecord } from "../../trace/format/format-request.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import {
  comparableRecords,
  emptyCache,
  placesOfStepPasses,
  randomRequests,
  runRandomRequest,
} from "../testing/random-requests.ts";
import { type RunOptions, runDecode } from "../testing/run-decode.ts";
import type { ScriptedModel } from "../testing/scripted-model.ts";
import { checkTrace, traceLog } from "../testing/trace-log.ts";
import { type BranchPoint, endsUnanswered } from "./branch-point.ts";

/** Places right after something that changed the output, where its calls of mods follow. */
function unansweredIn(records: readonly TraceRecord[]): number[] {
  return [...records.keys()].filter((place) => endsUnanswered(records, place));
}

const requestOf = (records: readonly TraceRecord[]) => records[0] as RequestRecord;

/** The same records, as if the mods of the branch had been there from the start. */
function asOwn(records: readonly TraceRecord[], own: number): TraceRecord[] {
  const parentMods = requestOf(records).mods.slice(own);
  return records.map((record) => {
    if (!("mod" in record) || record.mod === null || record.mod < own) return record;
    return { ...record, mod: Number(parentMods[record.mod - own]?.name.slice(3)) } as TraceRecord;
  });
}

test.each([
  ["recorded logits", { readsAll: false }],
  ["recorded logits, asked ahead", { readsAll: false, pipelineDepth: 4 }],
  ["logits computed again", { readsAll: true }],
])(
  "with %s: edited mods that answer as before go on as the request did, wherever they take over",
  async (_, way) => {
    const seen = { branches: 0, parentMods: 0, unanswered: 0 };
    await fc.assert(
      fc.asyncProperty(
        randomRequests,
        fc.nat(),
        fc.boolean(),
        fc.boolean(),
        async (request, pick, isWarm, isCut) => {
          const kvCache = emptyCache();
          const { records } = await runRandomRequest(request, { kvCache });
          const unanswered = unansweredIn(records);
          const places = [1, ...placesOfStepPasses(records), ...unanswered];
          const at = places[pick % places.length] as number;
          const used = isWarm ? kvCache : emptyCache();
          const branchPoint: BranchPoint = {
            // A paused request writes nothing more.
            records: isCut ? records.slice(0, at) : records,
            at,
            token: null,
            follows: request.mods.map((_, mod) => mod),
          };
          if (isCut && placesOfStepPasses(records).includes(at)) return;
          const branch = await runRandomRequest(request, {
            kvCache: used,
            ...way,
            branchPoint,
            isEdited: true,
          });
          checkTrace(branch.records);
          const { mods, branch: from } = requestOf(branch.records);
          expect(from).toMatchObject({
            requestId: "request-1",
            caughtUp: at,
            isChosen: false,
            difference: null,
          });
          expect(from?.parentMods).toBe(mods.length - request.mods.length);
          expect(branch.records.slice(1, at).map(withoutMod)).toEqual(records.slice(1, at).map(withoutMod));
          if (branch.finished.reason === "budget") return;
          const own = asOwn(branch.records, request.mods.length);
          expect(comparableRecords(withoutScores(own))).toEqual(comparableRecords(withoutScores(records)));
          expect([...scoredIn(own)]).toEqual(expect.arrayContaining([...scoredIn(records)]));
          seen.branches += 1;
          if (mods.length > request.mods.length) seen.parentMods += 1;
          if (unanswered.includes(at)) seen.unanswered += 1;
        },
      ),
      { numRuns: 75 },
    );
    expect(seen.branches).toBeGreaterThan(30);
    expect(seen.parentMods).toBeGreaterThan(18);
    expect(seen.unanswered).toBeGreaterThan(6);
  },
);

function withoutMod(record: TraceRecord): unknown {
  return { ...record, mod: null };
}

/** The logits at hand decide which scores the branch computes again. */
function withoutScores(records: readonly TraceRecord[]): TraceRecord[] {
  return records.filter(({ type }) => type !== "scored");
}

function scoredIn(records: readonly TraceRecord[]): ReadonlySet<number> {
  return new Set(
    records.flatMap((record) =>
      record.type === "scored" ? record.logprobs.map((_, place) => record.index + place) : [],
    ),
  );
}

/** The run that is branched off: the alphabet model says "efgh…", and the mod "m" puts "!" behind the third letter. */
const bang = [33];
const shout: Handlers = {
  forwardPass: () => null,
  sampled: () => null,
  added: ({ step }) => (step === 3 ? { type: "forceTokens", tokens: bang } : null),
};

async function original(handlers: Handlers = shout, options: Partial<RunOptions> = {}) {
  const run = await runDecode({
    mods: [inProcessMod("m", handlers)],
    ...options,
    request: { maxTokens: 8, modSources: [{ source: "m" }], ...options.request },
  });
  const pass = (number: number) => placesOfStepPasses(run.records)[number] as number;
  return { ...run, pass };
}

/** Goes on with these mods, the first of which follows on the recorded one unless `follows` says otherwise. */
function goOn(
  { records, kvCache }: { readonly records: readonly TraceRecord[]; readonly kvCache: RunOptions["kvCache"] },
  mods: readonly (readonly [name: string, handlers: Handlers])[],
  point: Partial<BranchPoint>,
  options: Partial<RunOptions> = {},
) {
  const follows = mods.map((_, place) => (place === 0 ? 0 : null));
  return runDecode({
    mods: mods.map(([name, handlers]) => inProcessMod(name, handlers)),
    ...(kvCache && { kvCache }),
    ...options,
    request: {
      maxTokens: 8,
      modSources: mods.map(([name]) => ({ source: `${name}, edited` })),
      ...options.request,
    },
    branchPoint: { records, at: records.length, token: null, follows, ...point },
  });
}

test("the first token that the branch puts in another one's place has that one as its counterfactual", async () => {
  const swap: Handlers = {
    ...shout,
    added: ({ step }) => (step === 2 ? { type: "backtrack", count: 1, tokens: [90] } : null),
  };
  const whole = await original(swap);
  const run = await original();
  const at = run.records.findIndex((record) => record.type === "added" && record.step === 2) + 1;
  const branch = await goOn(run, [["m", swap]], { at });
  const put = (records: readonly TraceRecord[]) =>
    records.find((record) => record.type === "added" && record.source === "reinjected");
  expect(put(branch.records)).toMatchObject({ index: 2, counterfactual: { text: "f" } });
  expect(put(whole.records)).toMatchObject({ index: 2, counterfactual: { text: "f" } });
});

test("the prefix keeps who forced what; the mod that was replaced is the last of the list", async () => {
  const run = await original();
  expect(traceLog(run.records)).toBe('e f g !! " # $ % length:efg!"#$%');
  const branch = await goOn(run, [["m", {}]], { at: run.pass(5) });
  expect(traceLog(branch.records)).toBe('e f g !! " # $ % length:efg!"#$%');
  const [request] = branch.records as [RequestRecord];
  expect(request.mods).toEqual([
    { name: "m", source: "m, edited" },
    { name: "m", source: "m" },
  ]);
  expect(request.branch).toMatchObject({ caughtUp: run.pass(5), parentMods: 1, index: 6 });
  const forced = branch.records.find((record) => record.type === "added" && record.source === "forced");
  expect(forced).toMatchObject({ mod: 1 });
});

test("a mod that counts is told of each event once, in its order, and then asked", async () => {
  const seen: string[] = [];
  const counting: Handlers = {
    sampled: ({ step }) => void seen.push(`sampled ${step}`),
    added: ({ step, text, mod }) => void seen.push(`added ${step} ${text} ${mod}`),
  };
  const run = await original();
  await goOn(run, [["m", counting]], { at: run.pass(4) }, { request: { maxTokens: 5 } });
  expect(seen).toEqual([
    ...["sampled 0", "added 1 e null", "sampled 1", "added 2 f null", "sampled 2", "added 3 g null"],
    ...["added 4 ! m", "sampled 4", 'added 5 " null'],
  ]);
});

describe("the first thing that a mod would do otherwise is said", () => {
  const says = (...texts: (readonly [step: number, text: number])[]): Handlers => ({
    added: ({ step }) => {
      const found = texts.find(([at]) => at === step);
      return found && { type: "forceTokens", tokens: [found[1]] };
    },
  });
  const at3 = { recorded: 'replied with forceTokens "!"' };
  test.each<[string, [string, Handlers][], (number | null)[], object | null]>([
    ["as before", [["m", says([3, 33])]], [0], null],
    ["nothing", [["m", {}]], [0], { ...at3, mod: 0, now: "did nothing" }],
    ["not there", [["n", {}]], [null], { ...at3, mod: 1, now: "is not part of the new run" }],
    ["another text", [["m", says([3, 63])]], [0], { ...at3, mod: 0, now: 'replied with forceTokens "?"' }],
    [
      "earlier",
      [["m", says([1, 63], [3, 33])]],
      [0],
      { mod: 0, now: 'replied with forceTokens "?"', recorded: "did nothing" },
    ],
    [
      "a new one beside it",
      [
        ["m", says([3, 33])],
        ["n", says([2, 63])],
      ],
      [0, null],
      { mod: 1, now: 'replied with forceTokens "?"', recorded: "gave no reply" },
    ],
    [
      "in another order",
      [
        ["n", {}],
        ["m", says([3, 33])],
      ],
      [null, 0],
      null,
    ],
  ])("%s", async (_, mods, follows, expected) => {
    const run = await original();
    const branch = await goOn(run, mods, { at: run.pass(5), follows });
    const { difference } = requestOf(branch.records).branch ?? {};
    if (expected === null) expect(difference).toBeNull();
    else {
      expect(difference).toMatchObject(expected);
      const place = difference?.record ?? 0;
      // It is the record of the event, which stands where it stood.
      expect(branch.records[place]).toMatchObject({ type: "added" });
      expect(branch.records[place]).toEqual(run.records[place]);
    }
    expect(traceLog(branch.records)).toMatch(/^e f g !! " /);
  });

  test("a long text is cut", async () => {
    const long = { type: "forceTokens", tokens: Array.from({ length: 500 }, () => 63) };
    const run = await original(shout, { request: { maxTokens: 600 }, model: { capacity: 1000 } });
    const branch = await goOn(
      run,
      [["m", { sampled: () => long }]],
      { at: run.pass(5) },
      { request: { maxTokens: 600 } },
    );
    expect(requestOf(branch.records).branch?.difference?.now).toHaveLength(201);
  });
});

describe("a mod that fails while it is told", () => {
  const failing: Handlers = {
    added({ step }) {
      if (step === 2) throw new Error("no two");
    },
  };
  test("ends the request, after all that was taken over", async () => {
    const run = await original();
    const { finished, records } = await goOn(run, [["m", failing]], { at: run.pass(5) });
    checkTrace(records);
    expect(finished).toMatchObject({ reason: "error", text: 'efg!"#', error: { mod: 0 } });
    expect(finished.error?.message).toMatch(
      /^The mod "m" failed in added\(\), step 2.*: no two, while the mod was catching up on the earlier events of the run\.$/,
    );
    expect(requestOf(records).branch?.difference).toMatchObject({ now: "failed (threw)" });
  });

  test("is left out where the request goes on without it", async () => {
    const run = await original();
    const { finished } = await goOn(
      run,
      [["m", failing]],
      { at: run.pass(5) },
      { request: { onModError: "continue" } },
    );
    expect(finished).toMatchObject({ reason: "length", text: 'efg!"#$%' });
  });
});

test("a mod that failed is mended and goes on where it did: the event is put to it in earnest", async () => {
  const broken: Handlers = {
    added({ step }) {
      if (step === 3) throw new Error("no three");
    },
  };
  const run = await original(broken);
  expect(run.finished.reason).toBe("error");
  const at = run.records.findLastIndex(({ type }) => type === "added") + 1;
  const branch = await goOn(run, [["m", shout]], { at });
  expect(traceLog(branch.records)).toBe('e f g !! " # $ % length:efg!"#$%');
  expect(requestOf(branch.records).branch).toMatchObject({ caughtUp: at, parentMods: 1, difference: null });
});

test("tokens of a forced span are kept up to the branch, and the event is the one of those that are kept", async () => {
  const four = { type: "forceTokens", tokens: [49, 50, 51, 52] };
  const run = await original({ added: ({ step }) => (step === 1 ? four : null) });
  const at = run.records.findIndex((record) => record.type === "added" && record.source === "forced");
  const seen: string[] = [];
  const branch = await goOn(
    run,
    [["m", { added: ({ step, text }) => void seen.push(`${step} ${text}`) }]],
    { at, kept: 2 },
    { request: { maxTokens: 4 } },
  );
  checkTrace(branch.records);
  expect(traceLog(branch.records)).toBe("e !12 3 length:e123");
  expect(seen).toEqual(["1 e", "3 12", "4 3"]);
  expect(requestOf(branch.records).branch).toMatchObject({ caughtUp: at + 1, index: 3, parentMods: 1 });
});

test("a branch of a branch has the mods of both before it", async () => {
  const late: Handlers = { added: ({ step }) => (step === 6 ? { type: "forceTokens", tokens: bang } : null) };
  const run = await original();
  const first = await goOn(run, [["m", late]], {
    at: run.pass(4),
  });
  expect(traceLog(first.records)).toBe('e f g !! " # !! " length:efg!"#!"');
  const at = placesOfStepPasses(first.records).at(-1) as number;
  const second = await goOn(first, [["m", {}]], { at }, { request: { modSources: [{ source: "third" }] } });
  checkTrace(second.records);
  expect(traceLog(second.records)).toBe('e f g !! " # !! " length:efg!"#!"');
  const { mods, branch } = requestOf(second.records);
  expect(mods.map(({ source }) => source)).toEqual(["third", "m", "m, edited"]);
  expect(branch).toMatchObject({ caughtUp: at, parentMods: 2, difference: { now: "did nothing" } });
  // Another token, in what was told of the first branch and behind it.
  for (const pass of [2, 6]) {
    const point = {
      records: first.records,
      at: placesOfStepPasses(first.records)[pass] as number,
      token: 90,
    };
    const other = await runDecode({
      mods: [inProcessMod("m", late)],
      kvCache: first.kvCache,
      branchPoint: point,
      request: { maxTokens: 8, modSources: [{ source: "m, edited" }] },
    });
    expect(other.finished).toMatchObject({ error: null });
    expect(other.finished.text).toContain("Z");
    checkTrace(other.records);
  }
});

test("what another mod had hidden is taken out, unless its follower would have hidden it too", async () => {
  const ask = { type: "forceTokens", tokens: [63], hidden: true };
  const asking = (end: number): Handlers => ({
    added: ({ step, hidden }) => {
      if (step === 2 && !hidden) return ask;
      return step === end ? { type: "backtrack", count: end - 2 } : null;
    },
  });
  const run = await original(asking(5));
  const at = run.pass(3);
  expect(run.records.slice(0, at).some((record) => record.type === "added" && record.hidden)).toBe(true);
  const other = await goOn(run, [["m", {}]], { at });
  checkTrace(other.records);
  expect(other.records.slice(at).find(({ type }) => type === "backtracked")).toMatchObject({
    mod: 1,
    step: 2,
  });
  const same = await goOn(run, [["m", asking(6)]], { at });
  expect(same.records.slice(at).find(({ type }) => type === "backtracked")).toMatchObject({ mod: 0 });
});

describe("what a request came to before the branch is what it goes on with", () => {
  const same = async (
    handlers: () => Handlers,
    at: (places: readonly number[]) => number,
    options: Partial<RunOptions>,
  ) => {
    const run = await original(handlers(), options);
    const place = at(placesOfStepPasses(run.records));
    const branch = await goOn(run, [["m", handlers()]], { at: place }, options);
    expect(traceLog(branch.records)).toBe(traceLog(run.records));
    expect(branch.finished).toMatchObject({
      reason: run.finished.reason,
      lengthLimit: run.finished.lengthLimit,
    });
    return run;
  };

  test("a draw of a hidden token that was never added counts as one", async () => {
    const hiding = (): Handlers => {
      let times = 0;
      return {
        forwardPass: ({ step, hidden }) =>
          step === 2 && !hidden && times < 3
            ? { type: "adjustLogits", logits: { ban: [0] }, hidden: true }
            : null,
        sampled: ({ step }) => (step === 2 && ++times < 3 ? { type: "backtrack", count: 0 } : null),
        added: ({ step, hidden }) => (hidden && step === 3 ? { type: "backtrack", count: 1 } : null),
      };
    };
    const sampling = { ...defaultSampling, temperature: 1 };
    const flat = { logits: () => new Float32Array(257) };
    const run = await same(hiding, (passes) => passes[4] as number, { request: { sampling }, model: flat });
    expect(run.records.some((record) => record.type === "added" && record.hidden)).toBe(true);
  });

  test("a limit that a mod set", async () => {
    const short = (): Handlers => ({
      prefilled: () => ({ type: "adjustPrefill", tokens: [97, 98], maxSteps: 5 }),
    });
    const run = await same(short, (passes) => passes[2] as number, {});
    expect(run.finished).toMatchObject({ reason: "length", lengthLimit: "maxSteps", step: 5 });
  });

  test("how many changes there were", async () => {
    const changing = (): Handlers => ({
      added: ({ source, tokens }) =>
        source === "sampled" || tokens[0] === 33
          ? { type: "forceTokens", tokens: [source === "sampled" ? 33 : 34] }
          : null,
    });
    const run = await same(changing, (passes) => passes[2] as number, {
      request: { budget: 6, maxTokens: 50 },
    });
    expect(run.finished.reason).toBe("budget");
  });
});

test.each([
  ["draws of which nothing came", "sampled"],
  ["hidden tokens that nobody drew", "added"],
] as const)("a record with many %s is told in proportion to its length", async (_, type) => {
  const run = await original();
  const one = run.records.find((record) => record.type === type) as TraceRecord;
  const at = run.pass(1);
  const many = Array.from({ length: 5_000 }, (_, place) =>
    one.type === "added" ? { ...one, hidden: true, index: 1 + place } : one,
  );
  const calls = Array.from({ length: 5_000 }, () => run.records.find((record) => record.type === "modCall"));
  const list = [...run.records.slice(0, at + 1), ...calls, ...many, run.records[at]] as TraceRecord[];
  let reads = 0;
  const records = new Proxy(list, {
    get(target, key, receiver) {
      reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const { finished } = await goOn({ records, kvCache: undefined }, [["m", {}]], { at: list.length - 1 });
  expect(finished.step).toBeGreaterThan(0);
  expect(reads).toBeLessThan(40 * list.length);
});

test("how much the mods know is said as they are told, and no record comes before they know all of it", async () => {
  const run = await original();
  const shares: number[] = [];
  let records = 0;
  await goOn(
    run,
    [["m", shout]],
    { at: run.pass(5) },
    {
      onCatchUp: (share) => {
        expect(records).toBe(0);
        shares.push(share);
      },
      onRecord: () => {
        records += 1;
      },
    },
  );
  expect(shares.length).toBeGreaterThan(10);
  expect(shares).toEqual([...shares].sort((one, other) => one - other));
  expect(shares.every((share) => share > 0 && share < 1)).toBe(true);
});

test("a stop while the mods are told leaves all that was taken over", async () => {
  const controller = new AbortController();
  const run = await original();
  const stopping: Handlers = {
    added({ step }) {
      if (step === 2) controller.abort("stop");
    },
  };
  const { finished, records } = await goOn(
    run,
    [["m", stopping]],
    { at: run.pass(5) },
    { signal: controller.signal },
  );
  checkTrace(records);
  expect(finished).toMatchObject({ reason: "cancelled", text: 'efg!"#' });
});

test.each([
  ["nothing of the logits", { topK: 0, logits: false }, 1],
  ["what the record has", { topK: 10, logits: false }, 1],
  ["all logits, which the model computes again", { topK: 0, logits: true }, 5],
])(
  "in the other request's cache, a mod that reads %s takes %o: %i passes to the first new token",
  async (_, needs, expected) => {
    const run = await original();
    const { passes } = run.kvCache.model as ScriptedModel;
    const before = passes.length;
    let first = 0;
    const host = inProcessMod("m", shout);
    await runDecode({
      mods: [{ ...host, ask: host.ask, dispose: host.dispose, needs }],
      kvCache: run.kvCache,
      request: { maxTokens: 8, modSources: [{ source: "other" }] },
      branchPoint: { records: run.records, at: run.pass(5), token: null, follows: [0] },
      onRecord(record) {
        if (record.type === "sampled" && record.step === 6) first = passes.length - before;
      },
    });
    expect(first).toBe(expected);
  },
);
