/** What a receiver of the stream has in the end is the request's text, whatever its mods do; and nothing half. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { inProcessMod } from "../decoder/testing/in-process-mod.ts";
import { runDecode } from "../decoder/testing/run-decode.ts";
import { requests, run } from "../decoder/testing/tangled-requests.ts";
import type { TraceRecord } from "./format.ts";
import { TextStream, TextTakenBackError } from "./text-stream.ts";
import type { StreamedToken, TextStreamOptions } from "./text-stream-events.ts";
import { callsMayBegin, sharedStop } from "./text-stream-holds.ts";

interface Received {
  readonly text: string;
  readonly tokens: readonly StreamedToken[];
  readonly retractions: number;
}

function receive(records: readonly TraceRecord[], options: TextStreamOptions): Received {
  const stream = new TextStream(options);
  let text = "";
  let retractions = 0;
  const tokens: StreamedToken[] = [];
  for (const event of records.flatMap((record) => stream.push(record))) {
    if (event.type === "finished") continue;
    if (event.type === "retract") {
      text = text.slice(0, -event.length);
      retractions += 1;
    } else {
      text += event.text;
      tokens.push(...event.tokens);
    }
    expect(text).not.toMatch(/\p{Surrogate}/u);
  }
  return { text, tokens, retractions };
}

function finalText(records: readonly TraceRecord[]): string {
  const last = records.at(-1);
  return last?.type === "finished" ? last.text : "";
}

/** A request as `requests` has them, whose first mod may also make the output into something else. */
const ended = fc.record({ request: requests, at: fc.integer({ min: 0, max: 60 }), output: fc.boolean() });

async function recordsOf({ request, at, output }: typeof ended extends fc.Arbitrary<infer V> ? V : never) {
  if (!output) return (await run(request)).records;
  let calls = 0;
  const ending = inProcessMod("ending", {
    added: () => (calls++ === at % 8 ? { type: "forceOutput", tokens: [72, 0xc3, 0xa9, 33] } : undefined),
  });
  const { maxTokens, seed, stop } = request;
  return (await runDecode({ mods: [ending], request: { maxTokens, seed, stop, budget: 60 } })).records;
}

test("held back, the text is never taken back; with retractions it is mended; in the end it is the request's", async () => {
  await fc.assert(
    fc.asyncProperty(ended, fc.boolean(), async (given, logprobs) => {
      const records = await recordsOf(given);
      const text = finalText(records);
      expect(receive(records, { holdback: "all", logprobs }).text).toBe(text);
      const mended = receive(records, { holdback: 0, retract: true, logprobs });
      expect(mended.text).toBe(text);
      try {
        expect(receive(records, { holdback: 2, logprobs }).text).toBe(text);
      } catch (error) {
        expect(error).toBeInstanceOf(TextTakenBackError);
      }
    }),
    { numRuns: 300 },
  );
});

test("as many tokens held back as a mod takes are enough", async () => {
  const mod = () =>
    inProcessMod("three back", {
      added: () => (calls++ % 5 === 4 ? { type: "backtrack", count: 3, tokens: [88] } : undefined),
    });
  let calls = 0;
  const { records } = await runDecode({ mods: [mod()], request: { maxTokens: 20 } });
  expect(receive(records, { holdback: 3 })).toMatchObject({ text: finalText(records), retractions: 0 });
  expect(() => receive(records, { holdback: 1 })).toThrow(
    /took back "[a-z]+", which the stream had already sent/,
  );
  expect(receive(records, { holdback: 0, retract: true }).retractions).toBeGreaterThan(0);
});

test("tokens come with their text, once each, and with the odds that they were drawn with", async () => {
  const { records } = await runDecode({
    request: { maxTokens: 6, sampling: { ...(await defaults()), temperature: 1 } },
  });
  const { tokens, text } = receive(records, { holdback: 0, logprobs: true });
  expect(tokens.map((token) => token.text).join("")).toBe(text);
  expect(tokens.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
  const drawn = records.flatMap((record) => (record.type === "sampled" ? [record.logprobAfter] : []));
  expect(tokens.map(({ logprob }) => logprob)).toEqual(drawn);
  expect(tokens[0]?.distribution?.top[0]?.text).toBe("e");
});

test("forced tokens wait for their log-probability where it was asked for", async () => {
  const mod = () =>
    inProcessMod("force", {
      added: ({ step }) => (step === 2 ? { type: "forceTokens", tokens: [88, 89] } : undefined),
    });
  const { records } = await runDecode({ mods: [mod()], request: { maxTokens: 8 } });
  const { tokens, text } = receive(records, { holdback: 0, logprobs: true });
  expect(text).toBe(finalText(records));
  const forced = tokens.filter(({ source }) => source === "forced");
  expect(forced.map((token) => [token.text, token.mod, token.logprob !== null])).toEqual([
    ["X", 0, true],
    ["Y", 0, true],
  ]);
});

async function defaults() {
  return (await import("../sdk/request.ts")).defaultSampling;
}

test.each([
  ["abc", [], 3],
  ["abc", ["bc"], 1],
  ["abc", ["cd"], 2],
  ["abc", ["cde", "bcx"], 1],
  ["aab", ["aaba"], 0],
  ["", ["x"], 0],
])("of %j before the stop texts %j, %i characters are certain", (text, stops, length) => {
  expect(sharedStop(text, stops)).toBe(length);
});

test.each([
  ["It rains.", 9],
  ["Let me look. <tool_call>", 12],
  ['{"name": "weather"}', 0],
  ["Yes \n", 3],
])("of %j, where tools are offered, %i characters are no call", (text, length) => {
  expect(callsMayBegin(text)).toBe(length);
});
