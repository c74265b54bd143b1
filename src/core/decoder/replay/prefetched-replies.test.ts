/** Mods that are asked about a record ahead of the loop: how many questions are open, and what is left when it ends early. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TraceRecord } from "../../trace/format/format.ts";
import type { ModHost } from "../ports/mod-host.ts";
import { byteTokenizer } from "../testing/byte-tokenizer.ts";
import { type Handlers, type InProcessMod, inProcessMod } from "../testing/in-process-mod.ts";
import {
  comparableRecords,
  emptyCache,
  type RandomRequest,
  randomRequests,
  runRandomRequest,
} from "../testing/random-requests.ts";
import { decodeRequest, runDecode } from "../testing/run-decode.ts";
import { verifyReplay } from "./verify.ts";

interface Asked extends ModHost {
  readonly asked: InProcessMod;
  /** The most questions that it had at once. */
  readonly mostOpen: () => number;
}

/** Answers after a while, and notes how many questions it has. @throws Error when they are more than it takes. */
function slowMod(name: string, handlers: Handlers, pipelineDepth: number): Asked {
  const asked = inProcessMod(name, handlers);
  let open = 0;
  let most = 0;
  return {
    ...asked,
    asked,
    needs: { topK: 0, logits: false },
    pipelineDepth,
    mostOpen: () => most,
    async ask(event) {
      open += 1;
      most = Math.max(most, open);
      if (open > pipelineDepth) throw new Error(`It has ${open} questions.`);
      const reply = await asked.ask(event);
      for (let turn = 0; turn < 20; turn += 1) await null;
      open -= 1;
      return reply;
    },
    dispose: () => asked.dispose(),
  };
}

const quiet: Handlers = { forwardPass: () => null, added: () => null, finished: () => null };
const request = { maxTokens: 20, modSources: [{ source: "m" }] };

async function recorded(handlers: Handlers = quiet, names: readonly string[] = ["m"]) {
  const mods = names.map((name) => {
    const host = inProcessMod(name, handlers);
    return { ...host, needs: { topK: 0, logits: false } };
  });
  return (
    await runDecode({
      prompt: "a",
      mods,
      request: { ...request, modSources: names.map((source) => ({ source })) },
    })
  ).records;
}

const verifying = (records: readonly TraceRecord[], mods: readonly ModHost[], signal?: AbortSignal) =>
  verifyReplay(
    decodeRequest("a", { ...request, modSources: mods.map(({ name }) => ({ source: name })) }),
    records,
    {
      tokenizer: byteTokenizer,
      mods,
      now: () => 0,
      signal,
    },
  );

test.each([1, 2, 5, 64])(
  "a mod that takes %i questions at once is asked so many, and no more",
  async (depth) => {
    const records = await recorded();
    const mod = slowMod("m", quiet, depth);
    expect(await verifying(records, [mod])).toEqual({ calls: 41, difference: null, missing: null });
    expect(mod.mostOpen()).toBe(Math.min(depth, 40));
    // The request's end is not known ahead.
    expect(mod.asked.events.map(({ type }) => type)).toEqual([
      ...Array(20).fill(["forwardPass", "added"]).flat(),
      "finished",
    ]);
  },
);

test("of two mods, the one that takes one question at a time keeps the other from more", async () => {
  const records = await recorded(quiet, ["a", "b"]);
  const mods = [slowMod("a", quiet, 64), slowMod("b", quiet, 1)];
  expect(await verifying(records, mods)).toMatchObject({ calls: 82, difference: null });
  expect(mods.map((mod) => mod.mostOpen())).toEqual([1, 1]);
});

test("of two mods that are asked at once, the one that hears of more events has no more questions than it takes", async () => {
  const some = (name: string): Handlers => (name === "a" ? quiet : { added: () => null });
  const hosts = ["a", "b"].map((name) => ({
    ...inProcessMod(name, some(name)),
    needs: { topK: 0, logits: false },
  }));
  const { records } = await runDecode({
    prompt: "a",
    mods: hosts,
    request: { ...request, modSources: [{ source: "a" }, { source: "b" }] },
  });
  const mods = ["a", "b"].map((name) => slowMod(name, some(name), 4));
  expect(await verifying(records, mods)).toEqual({ calls: 61, difference: null, missing: null });
  expect(mods.map((mod) => mod.mostOpen())).toEqual([4, 2]);
});

test("a mod that was told of more than happened is stopped at the difference, and asked nothing more", async () => {
  const records = await recorded();
  const other: Handlers = {
    ...quiet,
    added: ({ step }) => (step === 7 ? { type: "forceTokens", tokens: [65] } : null),
  };
  const slow = slowMod("m", other, 16);
  const found = await verifying(records, [slow]);
  expect(found).toMatchObject({ calls: 13, difference: { where: "at step 7", event: "added" } });
  expect(found).toEqual(await verifying(records, [slowMod("m", other, 1)]));
  expect(slow.asked.isDisposed).toBe(true);
  expect(slow.asked.events.length).toBeGreaterThan(14);
  expect(slow.asked.events.length).toBeLessThan(32);
  expect(slow.asked.events.map(({ type }) => type)).not.toContain("finished");
});

test("so is one whose verification is cancelled", async () => {
  const records = await recorded();
  const controller = new AbortController();
  const stopping: Handlers = {
    ...quiet,
    added({ step }) {
      if (step === 7) controller.abort(new Error("enough"));
    },
  };
  const slow = slowMod("m", stopping, 16);
  await expect(verifying(records, [slow], controller.signal)).rejects.toThrow("enough");
  expect(slow.asked.isDisposed).toBe(true);
  expect(slow.asked.events.length).toBeLessThan(32);
});

test("where the prompt is another one already, no mod is asked about the record", async () => {
  const mod = slowMod("m", quiet, 16);
  const request = decodeRequest("b", { maxTokens: 20, modSources: [{ source: "m" }] });
  const records = await recorded();
  const { calls, difference } = await verifyReplay(request, records, {
    tokenizer: byteTokenizer,
    mods: [mod],
    now: () => 0,
  });
  expect({ calls, where: difference?.where }).toEqual({ calls: 0, where: "at the start" });
  expect(mod.asked.events.map(({ type }) => type)).toEqual(["finished"]);
});

test("a mod that was not asked any more, since the one before it had failed, is not asked ahead either", async () => {
  const failing: Handlers = {
    ...quiet,
    forwardPass({ step }) {
      if (step === 3) throw new Error("no");
    },
  };
  const mods = () => [slowMod("a", failing, 16), slowMod("b", quiet, 16)];
  // Each is shown what the ones before it edited, so that they are asked one after the other.
  const reading = mods().map((mod) => ({ ...mod, ask: mod.ask, needs: { topK: 5, logits: false } }));
  const { records } = await runDecode({
    prompt: "a",
    mods: reading,
    request: { ...request, modSources: [{ source: "a" }, { source: "b" }] },
  });
  const again = mods().map((mod) => ({ ...mod, ask: mod.ask, needs: { topK: 5, logits: false } }));
  expect(await verifying(records, again)).toMatchObject({ difference: null, missing: null });
  expect(again[1]?.asked.events.at(-1)?.type).toBe("finished");
});

/** The same mods, of which one answers this in place of what it would at one of its calls. */
function withOther(
  given: RandomRequest,
  [mod, type, call]: readonly [number, string, number],
): RandomRequest {
  const other = { type: "forceTokens", tokens: [66], hidden: call % 2 === 1 };
  const mods = given.mods.map((each, index) =>
    index === mod && type in each
      ? { ...each, [type]: { ...each[type as keyof typeof each], [String(call)]: other } }
      : each,
  );
  return { ...given, mods } as RandomRequest;
}

test("whatever mods answer otherwise, the report is the one of a question at a time", async () => {
  const change = fc.tuple(
    fc.nat({ max: 2 }),
    fc.constantFrom("forwardPass", "sampled", "added"),
    fc.nat({ max: 12 }),
  );
  let differences = 0;
  await fc.assert(
    fc.asyncProperty(randomRequests, change, fc.constantFrom(2, 64), async (given, other, depth) => {
      const { records } = await runRandomRequest(given);
      const changed = withOther(given, other);
      const [slow, fast] = await Promise.all(
        [1, depth].map((each) =>
          runRandomRequest(changed, {
            kvCache: emptyCache(),
            pipelineDepth: each,
            branchPoint: { records, at: records.length, token: null },
          }),
        ),
      );
      const caughtUp = (result: typeof slow) =>
        comparableRecords(result?.records ?? []).filter(
          (record) => (record as TraceRecord).type !== "modCall",
        );
      const difference = slow?.finished.error ?? null;
      expect(fast?.finished.error ?? null).toEqual(difference);
      expect(caughtUp(fast)).toEqual(caughtUp(slow));
      if (difference) differences += 1;
    }),
    { numRuns: 160 },
  );
  expect(differences).toBeGreaterThan(50);
});

test("a record whose events are not what its tokens make of them is another one", async () => {
  // A recorded action is not the mod's present reply: the record says that the drawn token was hidden by an edit that hid nothing.
  const edits: Handlers = {
    forwardPass: ({ step }) => (step === 2 ? { type: "adjustLogits", logits: { ban: [66] } } : null),
    sampled: () => null,
  };
  const records = await recorded(edits);
  const place = records.findIndex((record) => record.type === "added" && record.index === 2);
  const forged = records.map((record, at) => (at === place ? { ...record, hidden: true } : record));
  const { difference } = await verifying(forged as TraceRecord[], [slowMod("m", edits, 8)]);
  expect(difference).toMatchObject({
    now: 'the mod "m" received a different "sampled" event',
    where: "at step 2",
    event: "sampled",
  });
});

test("nothing is asked ahead where no mod is there, or where the model computes each step again", async () => {
  const records = await recorded();
  expect(await verifying(records, [])).toMatchObject({ calls: 0 });
  const reads = { ...slowMod("m", quiet, 64), needs: { topK: 0, logits: true } };
  await runDecode({
    prompt: "a",
    mods: [reads],
    request,
    branchPoint: { records, at: records.length, token: null },
  });
  expect(reads.mostOpen()).toBe(1);
});
