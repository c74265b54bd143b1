/** Records of steered requests, handed on: in files and links, verified, and gone on from. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTraceFile, encodeTraceFile } from "../../trace/codec/codec.ts";
import { TRACE_VERSION, type TraceRecord } from "../../trace/format/format.ts";
import {
  type ActivationRequest,
  activationRequests,
  cacheWith,
  modsOf,
  runActivationRequest,
  settingsOf,
} from "../testing/activation-requests.ts";
import { byteTokenizer } from "../testing/byte-tokenizer.ts";
import { comparableRecords, placesOfStepPasses } from "../testing/random-requests.ts";
import { decodeRequest } from "../testing/run-decode.ts";
import { verifyReplay } from "./verify.ts";

const prompt = "one prompt of a few words";

function fromFile(records: readonly TraceRecord[]): readonly TraceRecord[] {
  return decodeTraceFile(encodeTraceFile({ version: TRACE_VERSION, records })).trace.records;
}

function verifyWith(request: ActivationRequest, records: readonly TraceRecord[], pipelineDepth: number) {
  const mods = modsOf(request, { states: [], lens: [] }).map(({ ask, dispose, ...host }) => ({
    ...host,
    ask,
    dispose,
    pipelineDepth,
  }));
  const about = decodeRequest(prompt, settingsOf(request));
  return verifyReplay(about, records, { tokenizer: byteTokenizer, mods, now: () => 0 });
}

/** The same mods, the first of which steers by something else from the prompt on. */
function changed(request: ActivationRequest): ActivationRequest {
  const other = { type: "steer", vectors: [{ layer: 1, vector: Float32Array.of(0, 0, 1, 1), scale: 1 }] };
  const [first, ...others] = request.mods;
  return { ...request, mods: [{ ...first, prefilled: { 0: other } } as never, ...others] };
}

const steered = activationRequests.map((request) => ({ ...request, reads: "nothing" as const }));

test("a steered request is verified without the model, whatever is asked ahead, and so is a branch of it with changed mods", async () => {
  const met = { whole: 0, branch: 0, steers: 0 };
  await fc.assert(
    fc.asyncProperty(steered, fc.nat(), async (request, pick) => {
      const kvCache = cacheWith(100_000);
      const { records, finished } = await runActivationRequest(request, { kvCache, prompt });
      for (const depth of [1, 2, 16]) {
        expect(await verifyWith(request, records, depth)).toMatchObject({ difference: null, missing: null });
        met.whole += 1;
      }
      const places = placesOfStepPasses(records);
      const at = places[pick % places.length];
      if (at === undefined || finished.reason === "budget") return;
      const follows = request.mods.map((_, place) => place);
      const branch = await runActivationRequest(changed(request), {
        kvCache,
        prompt,
        branchPoint: { records, at, token: null, follows },
      });
      met.steers += branch.records.some(
        (record, place) => place > at && record.type === "modCall" && record.action.type === "steer",
      )
        ? 1
        : 0;
      for (const depth of [1, 2, 16]) {
        const found = await verifyWith(changed(request), branch.records, depth);
        expect(found).toMatchObject({ difference: null, missing: null });
        met.branch += 1;
      }
    }),
    { numRuns: 40 },
  );
  for (const count of Object.values(met)) expect(count).toBeGreaterThan(10);
});

test("a branch of a record that went through a file is that of the record", async () => {
  let branches = 0;
  await fc.assert(
    fc.asyncProperty(activationRequests, fc.nat(), async (request, pick) => {
      const { records, finished } = await runActivationRequest(request, { kvCache: cacheWith(0), prompt });
      const places = placesOfStepPasses(records);
      const at = places[pick % places.length];
      if (at === undefined || finished.reason === "budget") return;
      const follows = request.mods.map((_, place) => place);
      const goOn = (from: readonly TraceRecord[]) =>
        runActivationRequest(changed(request), {
          kvCache: cacheWith(0),
          prompt,
          branchPoint: { records: from, at, token: null, follows },
        });
      const [kept, opened] = [await goOn(records), await goOn(fromFile(records))];
      expect(opened.finished.error).toEqual(kept.finished.error);
      expect(comparableRecords(opened.records)).toEqual(comparableRecords(kept.records));
      branches += 1;
    }),
    { numRuns: 40 },
  );
  expect(branches).toBeGreaterThan(20);
});

test("where a record lacks the numbers of its vectors, a branch of it ends with a sentence, and the next request is as ever", async () => {
  const request: ActivationRequest = {
    reads: "nothing",
    maxTokens: 6,
    seed: 1,
    temperature: 0,
    mods: [
      {
        prefilled: {
          0: { type: "steer", vectors: [{ layer: 1, vector: Float32Array.of(1, 1, 1, 1), scale: 1 }] },
        },
        forwardPass: {},
        sampled: {},
        added: {},
      } as never,
    ],
  };
  const { records } = await runActivationRequest(request, { kvCache: cacheWith(0), prompt });
  const without = records.map((record) =>
    record.type === "modCall" && record.action.type === "steer"
      ? {
          ...record,
          action: {
            ...record.action,
            vectors: record.action.vectors.map((each) => ({
              ...each,
              vector: { ...each.vector, numbers: null },
            })),
          },
        }
      : record,
  );
  const at = placesOfStepPasses(records)[3] as number;
  const kvCache = cacheWith(0);
  const branch = runActivationRequest(
    { ...request, mods: [] },
    {
      kvCache,
      prompt,
      branchPoint: { records: without, at, token: null, follows: [] },
    },
  );
  const { finished } = await branch;
  expect(finished.error?.message).toMatch(/links leave vectors out/);
  const again = await runActivationRequest(request, { kvCache, prompt });
  expect(comparableRecords(again.records)).toEqual(comparableRecords(records));
});
