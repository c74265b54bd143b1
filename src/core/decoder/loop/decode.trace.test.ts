/** The contents of the trace: probabilities before and after mods, counterfactuals, scores, the plan of passes; and that it repeats. */
import { describe, expect, test } from "vitest";
import { uniformRandom } from "../../base/random.ts";
import { defaultSampling } from "../../sdk/request.ts";
import type { FinishedRecord, TraceRecord } from "../../trace/format/format.ts";
import { alphabetLogits, byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { type RunOptions, runDecode } from "../testing/run-decode.ts";
import { checkTrace, passSizes, traceLog, withoutTimes } from "../testing/trace-log.ts";
import { SeededDraws } from "./draws.ts";

const encode = byteTokenizer.encode;
const force = (text: string) => ({ type: "forceTokens", tokens: encode(text) });
const at =
  (step: number, action: unknown) =>
  (event: { step: number }): unknown =>
    event.step === step ? action : undefined;

type RecordOf<Type extends TraceRecord["type"]> = Extract<TraceRecord, { type: Type }>;

async function recordsOf<Type extends TraceRecord["type"]>(
  type: Type,
  mods: readonly Handlers[],
  options: RunOptions = {},
): Promise<RecordOf<Type>[]> {
  const hosts = mods.map((handlers, index) => inProcessMod(`mod${index}`, handlers));
  const { records } = await runDecode({ ...options, mods: hosts });
  checkTrace(records);
  return records.filter((record): record is RecordOf<Type> => record.type === type);
}

/** Σ exp of the alphabet model's logits: one of 10, one of 9, 255 of 0. */
const sum = Math.exp(10) + Math.exp(9) + 255;

/** A mask over the byte tokenizer's 257 tokens. */
function maskOf(...tokens: readonly number[]): Uint32Array {
  const mask = new Uint32Array(9);
  for (const token of tokens) (mask[token >> 5] as number) |= 1 << (token & 31);
  return mask;
}

describe("records", () => {
  test("request: all that a reader has to know", async () => {
    const tool = { type: "function", function: { name: "feed", parameters: { type: "object" } } } as const;
    const toolChoice = { type: "function", function: { name: "feed" } } as const;
    const responseFormat = { type: "json_object" } as const;
    const [record] = await recordsOf("request", [{ added: () => null }], {
      request: { maxTokens: 5, stop: ["x"], seed: 7, tools: [tool], toolChoice, responseFormat },
    });
    expect(record).toEqual({
      type: "request",
      requestId: "request-1",
      createdAt: 0,
      model: expect.objectContaining({ id: "scripted" }),
      messages: [{ role: "user", content: "abcd" }],
      tools: ['{"type":"function","function":{"name":"feed","parameters":{"type":"object"}}}'],
      toolChoice,
      parallelToolCalls: true,
      responseFormat: '{"type":"json_object"}',
      sampling: { ...defaultSampling, temperature: 0 },
      seed: 7,
      maxTokens: 5,
      stop: ["x"],
      budget: 84,
      onModError: "stop",
      deadlines: null,
      mods: [{ name: "mod0", source: "source of mod0" }],
      branch: null,
    });
  });

  test("prefilled: the prompt that was computed, and how long it was before", async () => {
    const replace = { prefilled: () => ({ type: "adjustPrefill", tokens: encode("xy") }) };
    const tokens = [...encode("xy")].map((token) => ({ token, text: String.fromCharCode(token) }));
    expect(await recordsOf("prefilled", [replace])).toMatchObject([{ tokens, originalLength: 4 }]);
    expect(await recordsOf("prefilled", [])).toMatchObject([{ originalLength: null }]);
  });

  test("prefilled: a prompt that is longer than the context is not recorded, unless a mod writes the output", async () => {
    const request = { prompt: "a".repeat(100_000) };
    const hears = { prefilled: () => undefined };
    expect(await recordsOf("prefilled", [hears], request)).toEqual([]);
    const code = "context_length_exceeded";
    const message = expect.stringContaining("100,000 tokens");
    expect(await recordsOf("finished", [hears], request)).toMatchObject([
      { reason: "error", error: { code, message } },
    ]);
    const fails = () => {
      throw new Error("no");
    };
    expect(await recordsOf("prefilled", [{ prefilled: fails }], request)).toEqual([]);
    const writes = () => ({ type: "forceOutput", tokens: encode("b") });
    expect(await recordsOf("prefilled", [{ prefilled: writes }], request)).toHaveLength(1);
  });

  test("prefilled: the places of special tokens, told from texts with their names", async () => {
    const [a = 0] = encode("a");
    const replace = { prefilled: () => ({ type: "adjustPrefill", tokens: [END, a, END] }) };
    expect(await recordsOf("prefilled", [replace])).toMatchObject([{ special: [0, 2] }]);
    const [plain] = await recordsOf("prefilled", [], { prompt: byteTokenizer.tokenText(END) });
    expect(plain).not.toHaveProperty("special");
  });

  test("forwardPass: only the last pass of a prompt has logits, and only it has a distribution", async () => {
    const passes = await recordsOf("forwardPass", [], {
      prompt: "a".repeat(1100),
      request: { maxTokens: 2 },
      model: { capacity: 2000 },
    });
    expect(passes.map(({ tokenCount }) => tokenCount)).toEqual([512, 512, 76, 1]);
    expect(passes.map(({ before }) => before?.top.length ?? null)).toEqual([null, null, 10, 10]);
  });

  test.each<[FinishedRecord["lengthLimit"], readonly Handlers[], RunOptions]>([
    ["maxTokens", [], { request: { maxTokens: 3 } }],
    ["maxSteps", [{ prefilled: () => ({ type: "adjustPrefill", tokens: encode("ab"), maxSteps: 3 }) }], {}],
    ["context", [], { model: { capacity: 6 } }],
    [null, [], { request: { stop: ["g"] } }],
  ])("finished: the length was limited by %s", async (lengthLimit, mods, options) => {
    const [finished] = await recordsOf("finished", mods, options);
    expect(finished).toMatchObject({ reason: lengthLimit === null ? "stop" : "length", lengthLimit });
  });

  test("forwardPass: tokens, context, the ten most likely, entropy in bits", async () => {
    const [first, second] = await recordsOf("forwardPass", [], { request: { maxTokens: 2 } });
    expect(first).toMatchObject({ step: 0, tokenCount: 4, contextLength: 4, durationUs: 1000 });
    expect(second).toMatchObject({ step: 1, tokenCount: 1, contextLength: 5 });
    const { top = [], entropy = 0 } = first?.before ?? {};
    expect(top).toHaveLength(10);
    expect(top[0]).toEqual({ token: 101, text: "e", logprob: expect.closeTo(10 - Math.log(sum), 6) });
    expect(top[1]).toEqual({ token: 102, text: "f", logprob: expect.closeTo(9 - Math.log(sum), 6) });
    const bits = [Math.exp(10), Math.exp(9), ...new Array(255).fill(1)]
      .map((weight) => weight / sum)
      .reduce((total, share) => total - share * Math.log2(share), 0);
    expect(entropy).toBeCloseTo(bits, 6);
  });

  test("sampled: before and after the mods, the draw, the distribution it came from", async () => {
    const sampling = { ...defaultSampling, topK: 2 };
    const [record] = await recordsOf("sampled", [], { request: { maxTokens: 1, sampling, seed: 3 } });
    const likely = Math.E / (Math.E + 1);
    const isFirst = uniformRandom(3, 0) < likely;
    expect(record).toMatchObject({
      step: 0,
      token: isFirst ? 101 : 102,
      text: isFirst ? "e" : "f",
      draw: uniformRandom(3, 0),
      probability: expect.closeTo(isFirst ? likely : 1 - likely, 6),
      candidates: 2,
      counterfactual: null,
    });
    expect(record?.logprobBefore).toBe(record?.logprobAfter);
  });

  test("sampled: a counterfactual is what the same draw gives without the edits", async () => {
    const ban = { forwardPass: () => ({ type: "adjustLogits", logits: { ban: [101] } }) };
    const [record] = await recordsOf("sampled", [ban], { request: { maxTokens: 1 } });
    expect(record).toMatchObject({ token: 102, counterfactual: { token: 101, text: "e" } });
    expect(record?.logprobBefore).toBeCloseTo(9 - Math.log(sum), 6);
    expect(record?.logprobAfter).toBeCloseTo(9 - Math.log(sum - Math.exp(10)), 6);
  });

  test("sampled: no counterfactual where the edit changed nothing about the choice", async () => {
    const ban = { forwardPass: () => ({ type: "adjustLogits", logits: { ban: [102] } }) };
    expect(await recordsOf("sampled", [ban], { request: { maxTokens: 1 } })).toMatchObject([
      { token: 101, counterfactual: null },
    ]);
  });

  test("sampled: a counterfactual has the request's temperature", async () => {
    const heat = { forwardPass: () => ({ type: "adjustLogits", logits: {}, temperature: 1000 }) };
    const [record] = await recordsOf("sampled", [heat], { request: { maxTokens: 1 } });
    expect(record?.token).toBe(Math.floor(257 * uniformRandom(1, 0)));
    expect(record?.counterfactual).toEqual({ token: 101, text: "e" });
  });

  test("adjusted: only where a mod changed the logits or the temperature", async () => {
    const mods = [
      { forwardPass: at(1, { type: "adjustLogits", logits: { only: [120] }, temperature: 0.5 }) },
    ];
    const records = await recordsOf("adjusted", mods, { request: { maxTokens: 3 } });
    expect(records).toMatchObject([
      { step: 1, temperature: 0.5, after: { entropy: 0, top: [{ token: 120, text: "x", logprob: 0 }] } },
    ]);
  });

  test.each([
    ["a mask", { mask: maskOf(101, 102, 256) }, 3],
    ["a mask with bits that name no token", { mask: maskOf(101, 257, 287) }, 1],
    ["a full mask", { mask: new Uint32Array(9).fill(0xffffffff) }, 257],
    ["a mask and a list: what both keep", { mask: maskOf(101, 102, 256), only: [102, 103] }, 1],
  ])("modCall: of %s the number of tokens that are kept", async (_, logits, only) => {
    const mod: Handlers = { forwardPass: () => ({ type: "adjustLogits", logits }) };
    const [edit] = await recordsOf("modCall", [mod], { request: { maxTokens: 1 } });
    expect(edit?.action).toEqual({
      type: "adjustLogits",
      ban: 0,
      only,
      add: 0,
      dense: false,
      digest: expect.any(Number),
      temperature: null,
    });
  });

  test("modCall: the action as it is kept, console, duration", async () => {
    const mod: Handlers = {
      forwardPass: (event, log) => {
        log(`step ${event.step}`);
        return { type: "adjustLogits", logits: { ban: [1, 2], add: { 5: 1 } }, temperature: 0 };
      },
      added: at(1, { type: "backtrack", count: 1, tokens: encode("hello") }),
    };
    const [edit, back] = await recordsOf("modCall", [mod], { request: { maxTokens: 3 } });
    expect(edit).toMatchObject({
      mod: 0,
      event: "forwardPass",
      durationUs: expect.any(Number),
      action: {
        type: "adjustLogits",
        ban: 2,
        only: 0,
        add: 1,
        dense: false,
        digest: expect.any(Number),
        temperature: 0,
      },
      console: [{ level: "log", text: "step 0" }],
      fault: null,
      line: null,
    });
    expect(back).toMatchObject({
      event: "added",
      action: { type: "backtrack", count: 1, tokens: encode("hel"), text: "hel", cut: 2 },
    });
  });

  test("added: texts hold back unfinished characters", async () => {
    const records = await recordsOf("added", [{ forwardPass: at(0, force("aé")) }], {
      request: { maxTokens: 3 },
    });
    expect(records).toMatchObject([
      {
        index: 0,
        step: 3,
        tokens: [
          { token: 97, text: "a" },
          { token: 0xc3, text: "" },
          { token: 0xa9, text: "é" },
        ],
      },
    ]);
  });

  test("added: indices go on where tokens were removed", async () => {
    const mods = [
      {
        added: (event: { tokens: readonly number[] }) =>
          event.tokens[0] === 102 ? { type: "backtrack", count: 2, tokens: encode("p") } : null,
      },
    ];
    const records = await recordsOf("added", mods, { request: { maxTokens: 3 } });
    expect(records.map(({ index, step, source, mod }) => [index, step, source, mod])).toEqual([
      [0, 1, "sampled", null],
      [1, 2, "sampled", null],
      [2, 1, "reinjected", 0],
      [3, 2, "sampled", null],
      [4, 3, "sampled", null],
    ]);
    expect(await recordsOf("backtracked", mods, { request: { maxTokens: 3 } })).toMatchObject([
      { step: 0, mod: 0, removed: [0, 1], replacement: 1 },
    ]);
  });

  test.each<[string, Handlers, string | null]>([
    ["forced at forwardPass", { forwardPass: at(1, force("x")) }, "f"],
    ["forced at sampled", { sampled: at(1, force("x")) }, "f"],
    ["forced after a token: not known", { added: at(1, force("x")) }, null],
    [
      "in place of a token just added",
      {
        added: (event) =>
          event.source === "sampled" && event.step === 2
            ? { type: "backtrack", count: 1, tokens: encode("x") }
            : null,
      },
      "f",
    ],
    [
      "in place of an older one: not known",
      {
        added: (event) =>
          event.source === "sampled" && event.step === 2
            ? { type: "backtrack", count: 2, tokens: encode("x") }
            : null,
      },
      null,
    ],
    [
      "after others were put in place: not known",
      {
        added: (event) => {
          if (event.source === "reinjected") return force("x");
          return event.step === 2 && event.source === "sampled"
            ? { type: "backtrack", count: 2, tokens: encode("k") }
            : null;
        },
      },
      null,
    ],
  ])("added: counterfactual of tokens %s", async (_, mod, counterfactual) => {
    const records = await recordsOf("added", [mod], { request: { maxTokens: 3 } });
    const forced = records.find(({ tokens }) => tokens[0]?.text === "x");
    expect(forced?.counterfactual?.text ?? null).toBe(counterfactual);
  });

  test("added: the counterfactual of a forced token is chosen from edited logits", async () => {
    const mods = [
      { forwardPass: at(1, force("x")) },
      { forwardPass: () => ({ type: "adjustLogits", logits: { ban: [102] } }) },
    ];
    const records = await recordsOf("added", mods, { request: { maxTokens: 2 } });
    expect(records[1]?.counterfactual?.text).toBe("g");
  });

  test("scored: what the model thought of forced tokens, from the pass that read them", async () => {
    const records = await recordsOf("scored", [{ sampled: at(1, force("fzg")) }], {
      request: { maxTokens: 6 },
    });
    const likely = 10 - Math.log(sum);
    expect(records).toHaveLength(1);
    expect(records[0]?.index).toBe(1);
    // "f" was to come after "e"; after "f" a "z" was not; after "z" the end was, not "g".
    expect(records[0]?.logprobs).toEqual(
      [likely, -Math.log(sum), -Math.log(sum)].map((logprob) => expect.closeTo(logprob, 6)),
    );
    expect(records[0]?.distributions.map(({ top }) => top[0]?.token)).toEqual([102, 103, END]);
  });

  test("scored: after a sampled token that the same pass read", async () => {
    const records = await recordsOf("scored", [{ added: at(1, force("fg")) }], { request: { maxTokens: 6 } });
    expect(records).toMatchObject([{ index: 1, logprobs: [expect.any(Number), expect.any(Number)] }]);
  });

  test("scored: tokens of two mods with a removed one between them", async () => {
    const mod: Handlers = {
      added: (event) => {
        if (event.step === 1) return force("klm");
        return event.step === 4 && event.tokens.length === 3
          ? { type: "backtrack", count: 1, tokens: encode("p") }
          : null;
      },
    };
    const records = await recordsOf("scored", [mod], { request: { maxTokens: 6 } });
    expect(records.map(({ index, logprobs }) => [index, logprobs.length])).toEqual([
      [1, 2],
      [4, 1],
    ]);
  });

  test.each<[string, RunOptions, number[][]]>([
    ["a model that gives one row scores the first alone", { model: { lastRowOnly: true } }, [[1, 1]]],
    ["so does a span above 64 tokens", { request: { maxTokens: 200 } }, [[1, 1]]],
  ])("scored: %s", async (_, options, expected) => {
    const span = "lastRowOnly" in (options.model ?? {}) ? "abc" : "abcde".repeat(13);
    const records = await recordsOf("scored", [{ sampled: at(1, force(span)) }], options);
    expect(records.slice(0, 1).map(({ index, logprobs }) => [index, logprobs.length])).toEqual(expected);
  });

  test("finished: usage and timings of prefill and decode", async () => {
    const [record] = await recordsOf("finished", [], { request: { maxTokens: 3 } });
    expect(record).toMatchObject({
      usage: { promptTokens: 4, completionTokens: 3, reusedTokens: 0, forwardPasses: 3 },
      prefillUs: 1000,
      toolCalls: [],
      error: null,
    });
    expect(record?.decodeUs).toBeGreaterThan(2000);
  });

  test("finished: an answer has no stop sequence, no end of sequence; beside tool calls it is empty", async () => {
    const reasons = async (mods: Handlers[], options: RunOptions) =>
      (await recordsOf("finished", mods, options)).map(({ reason, text, step }) => [reason, text, step]);
    expect(await reasons([], { request: { stop: ["fg"] } })).toEqual([["stop", "e", 3]]);
    expect(await reasons([], { prompt: "x" })).toEqual([["stop", "yz", 3]]);
    const call = { type: "toolCalls", calls: { name: "f", arguments: { a: [1] } } };
    expect(await reasons([{ added: at(2, call) }], {})).toEqual([["tool_calls", "", 2]]);
  });

  test("finished: an end of sequence that is a letter is not in the answer either", async () => {
    const records = await recordsOf("finished", [], { model: { endOfSequence: [103] } });
    expect(records).toMatchObject([{ reason: "stop", text: "ef", step: 3 }]);
  });

  test("finished: whatever ends the request after a part of a character, its bytes are in no text", async () => {
    const mods = (...tokens: number[]) => [{ sampled: at(0, { type: "forceTokens", tokens }) }];
    const finished = (tokens: number[], options: RunOptions) =>
      recordsOf("finished", mods(...tokens), options);
    const half = [97, 0xf0, 0x9f, 0x99];
    expect(await finished([...half, END], {})).toMatchObject([{ reason: "stop", text: "a", step: 5 }]);
    expect(await finished(half, { request: { maxTokens: 4 } })).toMatchObject([
      { reason: "length", text: "a", step: 4 },
    ]);
    expect(await finished(half, { model: { capacity: 6 } })).toMatchObject([{ reason: "length", text: "a" }]);
    expect(await finished([...half, 0x82], { request: { maxTokens: 5 } })).toMatchObject([{ text: "a🙂" }]);
  });

  test("times never go back", async () => {
    const { records } = await runDecode({});
    const times = records.flatMap((record) => ("timeUs" in record ? [record.timeUs] : []));
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(times.every(Number.isInteger)).toBe(true);
  });
});

describe("passes", () => {
  test("64 forced tokens are one", async () => {
    const { records, model } = await runDecode({
      mods: [inProcessMod("m", { added: at(1, force("k".repeat(64))) })],
      request: { maxTokens: 66 },
    });
    expect(passSizes(records)).toEqual([4, 65]);
    expect(model.passes.map(({ tokens }) => tokens.length)).toEqual([4, 65]);
  });

  test.each([20, 500])("a backtrack at %d tokens of context is one, of the new tokens", async (length) => {
    const { model } = await runDecode({
      prompt: "ab".repeat(length / 2),
      mods: [
        inProcessMod("m", {
          added: (event) =>
            event.source === "sampled" && event.step === 6
              ? { type: "backtrack", count: 4, tokens: encode("xyz") }
              : null,
        }),
      ],
      request: { maxTokens: 9 },
    });
    const [before, after] = [model.passes[5], model.passes[6]];
    expect(before).toEqual({ at: length + 4, tokens: [expect.any(Number)] });
    expect(after).toEqual({ at: length + 2, tokens: encode("xyz") });
  });

  test("a request that shares a prefix computes the rest", async () => {
    const { kvCache } = await runDecode({ prompt: "hello wor" });
    const { finished, model } = await runDecode({ prompt: "hello you", kvCache });
    expect(model.passes).toContainEqual({ at: 6, tokens: encode("you") });
    expect(finished.usage.reusedTokens).toBe(6);
  });

  test("the next turn of a chat computes what is new", async () => {
    const { kvCache, finished: first } = await runDecode({ prompt: "abcd" });
    expect(first.text).toBe("efghijkl");
    const { finished } = await runDecode({ prompt: "abcdefghijklmn", kvCache });
    // The last token of an answer is sampled and never read.
    expect(finished.usage.reusedTokens).toBe(11);
  });
});

describe("the same seed", () => {
  const sampling = {
    ...defaultSampling,
    temperature: 3,
    topK: 40,
    topP: 0.95,
    minP: 0.001,
    frequencyPenalty: 0.1,
  };
  /** Takes two tokens back, once at each fifth step. */
  const retryOnce = (): Handlers => {
    const done = new Set<number>();
    return {
      added: ({ source, step }) => {
        if (source !== "sampled" || step % 5 !== 4 || done.has(step)) return undefined;
        done.add(step);
        return { type: "backtrack", count: 2, tokens: encode("x") };
      },
    };
  };
  const mods = () => [
    inProcessMod("ban", {
      forwardPass: (event) =>
        event.step % 3 === 1 ? { type: "adjustLogits", logits: { ban: [101] } } : null,
    }),
    inProcessMod("retry", retryOnce()),
    inProcessMod("call", {
      added: (event) =>
        event.step >= 12 ? { type: "toolCalls", calls: [{ name: "f" }, { name: "g" }] } : null,
    }),
  ];
  const logits = (context: readonly number[]) =>
    alphabetLogits(context).map((logit, token) => logit / 2 + Math.sin(token * context.length));
  const run = (seed: number, options: RunOptions = {}) =>
    runDecode({ mods: mods(), request: { seed, sampling, maxTokens: 40 }, model: { logits }, ...options });

  test("the same trace, 100 of 100, on new contexts", async () => {
    const first = withoutTimes((await run(5)).records);
    expect(traceLog((await run(5)).records)).toContain("tool_calls");
    for (let round = 0; round < 99; round++) expect(withoutTimes((await run(5)).records)).toEqual(first);
  });

  test("the same trace, 100 of 100, on a context that served it before", async () => {
    const { kvCache, records: cold } = await run(5);
    const first = withoutTimes((await run(5, { kvCache })).records);
    for (let round = 0; round < 99; round++)
      expect(withoutTimes((await run(5, { kvCache })).records)).toEqual(first);
    // Against the cold one: the same but for the passes of the prompt.
    const output = (records: unknown[]) =>
      records.filter((record) => ["sampled", "added"].includes((record as TraceRecord).type));
    expect(output(first)).toEqual(output(withoutTimes(cold)));
  });

  test("another seed, another output", async () => {
    const texts = await Promise.all([1, 2, 3, 4].map(async (seed) => traceLog((await run(seed)).records)));
    expect(new Set(texts).size).toBe(4);
  });

  test("tool-call ids repeat, and differ between calls and between turns", async () => {
    const ids = async (options: RunOptions) => (await run(5, options)).finished.toolCalls.map(({ id }) => id);
    const [first = "", second = ""] = await ids({});
    expect(await ids({})).toEqual([first, second]);
    const [third = ""] = await ids({ prompt: "another turn" });
    expect(third).toMatch(/^call_/);
    expect([first, second]).not.toContain(third);
    expect(first).not.toBe(second);
    expect(first).toMatch(/^call_[a-z0-9]{24}$/);
  });

  test("a step that is taken back draws anew", async () => {
    let tries = 0;
    const mod = inProcessMod("m", {
      sampled: (event) => (event.step === 0 && tries++ < 3 ? { type: "backtrack", count: 0 } : null),
    });
    const { records } = await runDecode({ mods: [mod], request: { sampling, maxTokens: 1 } });
    const draws = records.flatMap((record) => (record.type === "sampled" ? [record.draw] : []));
    const expected = new SeededDraws(1);
    expect(draws).toEqual([0, 1, 2, 3].map(() => expected.take(0, false)));
    expect(draws[0]).toBe(uniformRandom(1, 0));
    expect(new Set(draws)).toHaveProperty("size", 4);
  });
});
