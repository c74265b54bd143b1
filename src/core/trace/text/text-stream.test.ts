/** The pieces of the stream add up to the request's text, whatever the mods do, and no piece splits a character. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModHost } from "../../decoder/ports/mod-host.ts";
import { inProcessMod } from "../../decoder/testing/in-process-mod.ts";
import { randomRequests, runRandomRequest } from "../../decoder/testing/random-requests.ts";
import { runDecode } from "../../decoder/testing/run-decode.ts";
import { wordTokenizer } from "../../decoder/testing/word-tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../format/format.ts";
import { TextStream, TextTakenBackError } from "./text-stream.ts";
import type { StreamedToken, TextStreamOptions } from "./text-stream-events.ts";
import { lengthBeforeCalls, lengthBeforeStop } from "./text-stream-holds.ts";

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
    } else if (event.type === "text") {
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

/** The deepest removal: how far from the output's end, in tokens that are not hidden, tokens were removed. */
function deepestRemoval(records: readonly TraceRecord[]): number {
  let output: { readonly isHidden: boolean; longest: number }[] = [];
  let deepest = 0;
  for (const record of records) {
    if (record.type === "added") {
      for (const _ of record.tokens) output.push({ isHidden: record.hidden, longest: 0 });
      const length = output.filter(({ isHidden }) => !isHidden).length;
      for (const token of output) token.longest = Math.max(token.longest, length);
    }
    if (record.type !== "backtracked") continue;
    const length = output.length - record.removed.length;
    for (const [place, { isHidden, longest }] of output.entries())
      if (place >= length && !isHidden) deepest = Math.max(deepest, longest - place);
    output = output.slice(0, length);
  }
  return deepest;
}

/** A request from `requests`, whose first mod may also replace the whole output. */
const ended = fc.record({
  request: randomRequests,
  at: fc.integer({ min: 0, max: 60 }),
  output: fc.boolean(),
});

async function recordsOf({ request, at, output }: typeof ended extends fc.Arbitrary<infer V> ? V : never) {
  if (!output) return (await runRandomRequest(request)).records;
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
      const holdback = deepestRemoval(records);
      expect(receive(records, { holdback, logprobs })).toMatchObject({ text, retractions: 0 });
      try {
        expect(receive(records, { holdback: 2, logprobs }).text).toBe(text);
      } catch (error) {
        expect(error).toBeInstanceOf(TextTakenBackError);
        expect(holdback).toBeGreaterThan(2);
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
    /removed "[a-z]+" after the stream had sent this text/,
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
  return (await import("../../sdk/request.ts")).defaultSampling;
}

test.each([
  ["abc", [], 3],
  ["abc", ["bc"], 1],
  ["abc", ["cd"], 2],
  ["abc", ["cde", "bcx"], 1],
  ["aab", ["aaba"], 0],
  ["", ["x"], 0],
])("of %j before the stop sequences %j, %i characters are certain", (text, stops, length) => {
  expect(lengthBeforeStop(text, stops)).toBe(length);
});

test.each([
  ["It rains.", 9],
  ["Let me look. <tool_call>", 12],
  ['{"name": "weather"}', 0],
  ["Yes \n", 3],
])("of %j, where tools are offered, %i characters are no call", (text, length) => {
  expect(lengthBeforeCalls(text)).toBe(length);
});

test("what is hidden is never sent, not even for a while", async () => {
  const mod = inProcessMod("asks", {
    added: ({ step, hidden }) => {
      if (hidden) return { type: "backtrack", count: 2 };
      return step === 2 && calls++ === 0
        ? { type: "forceTokens", tokens: [88, 89], hidden: true }
        : undefined;
    },
  });
  let calls = 0;
  const { records } = await runDecode({ mods: [mod], request: { maxTokens: 6 } });
  expect(records.some((record) => record.type === "added" && record.hidden)).toBe(true);
  expect(receive(records, { holdback: 0, retract: true })).toMatchObject({ text: "efghij", retractions: 0 });
});

test("of a stop sequence, and of what may become one, nothing is sent", async () => {
  const { records } = await runDecode({ request: { maxTokens: 20, stop: ["hij", "xy"] } });
  expect(finalText(records)).toBe("efg");
  expect(receive(records, { holdback: 0 }).text).toBe("efg");
});

/** Records of a request with only the fields that the stream reads. */
function written(texts: readonly string[], last: Partial<FinishedRecord>, isEos = false): TraceRecord[] {
  const tokens = texts.map((text, token) => ({ token, text }));
  return [
    { type: "request", stop: [], tools: [], toolChoice: "auto" },
    { type: "added", index: 0, tokens, source: "sampled", mod: null, isEos, hidden: false },
    { type: "finished", text: texts.join(""), toolCalls: [], ...last },
  ] as unknown as TraceRecord[];
}

test("an end of sequence adds nothing, also where its token has a text", () => {
  const records = written(["Yes", "</s>"], { text: "Yes" }, true);
  const { text, tokens } = receive(records, { holdback: 0 });
  expect([text, tokens.length]).toEqual(["Yes", 1]);
});

test("a retraction leaves no half character", () => {
  // Both characters begin with the same UTF-16 unit.
  const records = written(["a", "😀"], { text: "a😁" });
  expect(receive(records, { holdback: 0, retract: true })).toMatchObject({ text: "a😁", retractions: 1 });
});

test("what a mod calls in place of the text takes the text back; what the model calls leaves what it said before", () => {
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } } as const;
  const records = written(["Let me look. "], { text: "", toolCalls: [call] });
  expect(receive(records, { holdback: 0, retract: true }).text).toBe("");
  expect(() => receive(records, { holdback: 0 })).toThrow(TextTakenBackError);
  const [request, ...rest] = records;
  const offered = { ...request, tools: ["{}"] } as TraceRecord;
  expect(receive([offered, ...rest], { holdback: 0 }).text).toBe("Let me look.");
});

describe("a forced text whose end is healed", () => {
  const words = [" is", " Fr", "an", " France", " Paris", ".", "It"];
  const tokenizer = wordTokenizer(words);
  const end = words.length;
  /** After " is" the model writes " France", then " Paris", and after each name ".". */
  const logits = (context: readonly number[]) => {
    const row = new Float32Array(end + 1);
    const last = words[context.at(-1) ?? -1];
    const afterName = last === "." ? [] : ["."];
    const next = last === " is" ? [" France", " Paris"] : afterName;
    for (const [place, word] of next.entries()) row[words.indexOf(word)] = 10 - place;
    if (next.length === 0) row[end] = 10;
    return row;
  };
  const forces = () =>
    inProcessMod("forces", {
      forwardPass: ({ step }) =>
        step === 0 ? { type: "forceTokens", tokens: tokenizer.encode(" is Fran"), heal: true } : undefined,
    });
  const declaring = (mod: ModHost, maxBacktrack: number): ModHost => ({
    ...mod,
    needs: { ...mod.needs, maxBacktrack },
  });
  const replaces = inProcessMod("replaces", {
    sampled: ({ token }) =>
      token === words.indexOf(" France")
        ? { type: "forceTokens", tokens: [words.indexOf(" Paris")] }
        : undefined,
  });
  const goesBack = () => {
    let isDone = false;
    return inProcessMod("goes back", {
      added({ source }) {
        if (isDone || source !== "sampled") return;
        isDone = true;
        return { type: "backtrack", count: 1, tokens: tokenizer.encode(" Paris") };
      },
    });
  };

  test.each<[string, () => readonly ModHost[], string]>([
    ["and stays", () => [declaring(forces(), 0)], " is France."],
    [
      "by a token that another mod replaces",
      () => [declaring(forces(), 0), declaring(replaces, 0)],
      " is Paris.",
    ],
    [
      "by a token that a mod takes back",
      () => [declaring(forces(), 0), declaring(goesBack(), 1)],
      " is Paris.",
    ],
  ])("%s: the streamed text is the final text", async (_, mods, text) => {
    const { records, finished } = await runDecode({
      mods: mods(),
      tokenizer,
      request: { prompt: tokenizer.encode("It") },
      model: { vocabularySize: end + 1, endOfSequence: [end], logits },
    });
    expect(records.some((record) => record.type === "sampled" && record.healed)).toBe(true);
    expect(finished.text).toBe(text);
    expect(receive(records, { holdback: "auto" })).toMatchObject({ text, retractions: 0 });
  });
});
