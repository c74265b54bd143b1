/** Several mods on one request, mods at fault, budgets and cancelling. */
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../sdk/request.ts";
import type { ModCallRecord } from "../../trace/format/format.ts";
import type { KvCache } from "../kv-cache/kv-cache.ts";
import { topKOf } from "../logits/top-k.ts";
import { type ModHost, type ModReply, requireAllLogits } from "../ports/mod-host.ts";
import { alphabetLogits, byteTokenizer, END } from "../testing/byte-tokenizer.ts";
import { type Handlers, inProcessMod } from "../testing/in-process-mod.ts";
import { type RunOptions, runDecode } from "../testing/run-decode.ts";
import { checkTrace, traceLog } from "../testing/trace-log.ts";

const encode = byteTokenizer.encode;
const force = (text: string) => ({ type: "forceTokens", tokens: encode(text) });
const back = (count: number, text = "") => ({ type: "backtrack", count, tokens: encode(text) });
const at =
  (step: number, action: unknown) =>
  (event: { step: number }): unknown =>
    event.step === step ? action : undefined;

interface Row extends Omit<RunOptions, "mods"> {
  readonly mods: readonly Handlers[];
  readonly log: string;
}

async function check({ mods, log, ...options }: Row) {
  const hosts = mods.map((handlers, index) => inProcessMod(`mod${index}`, handlers));
  const result = await runDecode({ ...options, mods: hosts });
  expect(traceLog(result.records)).toBe(log);
  checkTrace(result.records);
  const calls = result.records.filter((record): record is ModCallRecord => record.type === "modCall");
  return { ...result, hosts, calls };
}

describe("several mods", () => {
  const rows: Record<string, Row> = {
    "of two changes at one event the first wins": {
      mods: [{ sampled: at(1, force("x")) }, { sampled: at(1, force("y")) }],
      request: { maxTokens: 3 },
      log: "e ?1 !x y length:exy",
    },
    "a mod that does not change the course leaves it to the next": {
      mods: [{ sampled: () => undefined }, { sampled: at(1, force("y")) }],
      request: { maxTokens: 2 },
      log: "e !y length:ey",
    },
    "at different events both count": {
      mods: [{ added: at(1, force("k")) }, { sampled: at(2, force("p")) }],
      request: { maxTokens: 4 },
      log: "e !k !p q length:ekpq",
    },
    "the first of three; two are superseded": {
      mods: [
        { added: at(1, { type: "error", message: "stop here" }) },
        { added: at(1, back(1)) },
        { added: at(1, { type: "toolCalls", calls: [{ name: "f" }] }) },
      ],
      log: "e ?1 ?2 error:e",
    },
    "an edit is not superseded by a change": {
      mods: [
        { forwardPass: at(1, force("x")) },
        { forwardPass: at(1, { type: "adjustLogits", logits: {} }) },
      ],
      request: { maxTokens: 2 },
      log: "e !x length:ex",
    },
    "a change at prefilled leaves the prompt to the next mod": {
      mods: [
        { prefilled: () => ({ type: "forceOutput", tokens: encode("no") }) },
        { prefilled: () => ({ type: "adjustPrefill", tokens: encode("x") }) },
      ],
      log: "!no forced:no",
    },
  };
  test.each(Object.entries(rows))("%s", async (_, row) => void (await check(row)));

  test("each call is recorded with its mod and what it answered", async () => {
    const { calls } = await check(rows["the first of three; two are superseded"] as Row);
    expect(
      calls.map(({ mod, event, step, superseded, action }) => ({ mod, event, step, superseded, action })),
    ).toEqual([
      { mod: 0, event: "added", step: 1, superseded: false, action: { type: "error", message: "stop here" } },
      {
        mod: 1,
        event: "added",
        step: 1,
        superseded: true,
        action: { type: "backtrack", count: 1, tokens: [], text: "", cut: 0 },
      },
      {
        mod: 2,
        event: "added",
        step: 1,
        superseded: true,
        action: expect.objectContaining({ type: "toolCalls" }),
      },
    ]);
  });

  test("a mod is sent the events it handles, and no other", async () => {
    const { hosts } = await check({
      mods: [{ added: () => null }, { prefilled: () => null, finished: () => null }],
      request: { maxTokens: 1 },
      log: "e length:e",
    });
    expect(hosts.map(({ events }) => events.map(({ type }) => type))).toEqual([
      ["added"],
      ["prefilled", "finished"],
    ]);
  });
});

describe("events carry what the table says", () => {
  test("in the order of the request", async () => {
    const log: Handlers = Object.fromEntries(
      ["prefilled", "forwardPass", "sampled", "added", "backtracked", "finished"].map((type) => [
        type,
        () => null,
      ]),
    );
    const { hosts } = await check({
      mods: [log, { added: (event) => (event.tokens[0] === 102 ? back(1, "X") : null) }],
      request: { maxTokens: 2 },
      log: "e f <1 ^X length:eX",
    });
    const base = { requestId: "request-1" };
    const row = { logits: new Float32Array(), hidden: false };
    expect(hosts[0]?.events).toEqual([
      {
        ...base,
        type: "prefilled",
        step: 0,
        tokens: encode("abcd"),
        messages: [{ role: "user", content: "abcd" }],
        tools: [],
        responseFormat: null,
        maxTokens: 2,
      },
      { ...base, type: "forwardPass", step: 0, ...row },
      {
        ...base,
        type: "sampled",
        step: 0,
        token: 101,
        text: "e",
        hidden: false,
        logprob: expect.closeTo(-0.3217, 3),
      },
      {
        ...base,
        type: "added",
        step: 1,
        tokens: [101],
        text: "e",
        source: "sampled",
        mod: null,
        isEos: false,
        hidden: false,
      },
      { ...base, type: "forwardPass", step: 1, ...row },
      {
        ...base,
        type: "sampled",
        step: 1,
        token: 102,
        text: "f",
        hidden: false,
        logprob: expect.closeTo(-0.3217, 3),
      },
      {
        ...base,
        type: "added",
        step: 2,
        tokens: [102],
        text: "f",
        source: "sampled",
        mod: null,
        isEos: false,
        hidden: false,
      },
      { ...base, type: "backtracked", step: 1, removed: [102], text: "f", hidden: false, mod: "mod1" },
      {
        ...base,
        type: "added",
        step: 2,
        tokens: [88],
        text: "X",
        source: "reinjected",
        mod: "mod1",
        isEos: false,
        hidden: false,
      },
      {
        ...base,
        type: "finished",
        step: 2,
        reason: "length",
        text: "eX",
        tokens: [101, 88],
        usage: { promptTokens: 4, completionTokens: 2, hiddenTokens: 0, reusedTokens: 0, forwardPasses: 2 },
      },
    ]);
  });

  test("forwardPass has the logits as the mod before left them", async () => {
    const seen: unknown[] = [];
    const look: Handlers = {
      forwardPass: (event) => {
        seen.push(
          event.logits?.[101],
          event.logits?.[7],
          JSON.stringify(event.top?.(9)) === JSON.stringify(topKOf(requireAllLogits(event), 9)),
        );
      },
    };
    await check({
      mods: [look, { forwardPass: () => ({ type: "adjustLogits", logits: { add: { 7: 3 } } }) }, look],
      request: { maxTokens: 1 },
      log: "e length:e",
    });
    expect(seen).toEqual([10, 0, true, 10, 3, true]);
  });
});

describe("a mod at fault", () => {
  const vocabulary = byteTokenizer.vocabSize;
  const logits = (edit: (logits: Float32Array) => void, length = vocabulary) => {
    const row = new Float32Array(length);
    edit(row);
    return { type: "adjustLogits", logits: row };
  };
  const faults: Record<string, [event: keyof Handlers, answer: unknown, message: string]> = {
    "an action that the event does not allow": [
      "added",
      { type: "adjustLogits", logits: {} },
      '"adjustLogits" is not allowed at "added": return one of noop, forceTokens, backtrack, forceOutput, toolCalls, steer, patch, error.',
    ],
    "adjustPrefill after the prompt": ["sampled", { type: "adjustPrefill", tokens: [1] }, "is not allowed"],
    "an action of no kind": ["added", { type: "explode" }, '"explode" is not allowed at "added"'],
    "no action at all": ["added", 7, "7"],
    "a backtrack into the prompt": [
      "added",
      { type: "backtrack", count: 2 },
      "count is 2, but the output has only 1 token, and",
    ],
    "half a backtrack": ["added", { type: "backtrack", count: 0.5 }, "count is 0.5"],
    "a negative backtrack": ["added", { type: "backtrack", count: -1 }, "count is -1"],
    "a backtrack without a count": ["added", { type: "backtrack", tokens: [1] }, "count is undefined"],
    "a token outside the vocabulary": [
      "added",
      { type: "forceTokens", tokens: [1, vocabulary] },
      "tokens[1] is 257",
    ],
    "a token that is no number": ["added", { type: "forceTokens", tokens: ["a"] }, 'tokens[0] is "a"'],
    "tokens that are no list": [
      "added",
      { type: "forceTokens", tokens: { length: 1 } },
      "tokens is an object",
    ],
    "no tokens to force": ["added", { type: "forceTokens", tokens: [] }, "there are no tokens"],
    "a backtrack to a token outside": [
      "added",
      { type: "backtrack", count: 1, tokens: [-1] },
      "tokens[0] is -1",
    ],
    "logits of the wrong length": ["forwardPass", logits(() => {}, 12), "there are 12 logits"],
    "logits with NaN": ["forwardPass", logits((row) => (row[3] = Number.NaN)), "The logit of token 3 is NaN"],
    "logits with +Infinity": [
      "forwardPass",
      logits((row) => (row[3] = Number.POSITIVE_INFINITY)),
      "token 3 is Infinity",
    ],
    "no finite logit": [
      "forwardPass",
      logits((row) => row.fill(Number.NEGATIVE_INFINITY)),
      "No token is left",
    ],
    "only nothing": ["forwardPass", { type: "adjustLogits", logits: { only: [] } }, "No token is left"],
    "a mask of nothing": [
      "forwardPass",
      { type: "adjustLogits", logits: { mask: new Uint32Array(9) } },
      "No token is left",
    ],
    "a mask beyond the vocabulary alone": [
      "forwardPass",
      { type: "adjustLogits", logits: { mask: new Uint32Array(9).fill(0xfffffffe, 8) } },
      "No token is left",
    ],
    "a mask of too few words": [
      "forwardPass",
      { type: "adjustLogits", logits: { mask: new Uint32Array(8).fill(1) } },
      "the mask is a Uint32Array of length 8: give a Uint32Array of length 9",
    ],
    "a mask that is a list": [
      "forwardPass",
      { type: "adjustLogits", logits: { mask: [1] } },
      "the mask is a list of 1",
    ],
    "only what is banned": [
      "forwardPass",
      { type: "adjustLogits", logits: { only: [5], ban: [5] } },
      "No token is left",
    ],
    "a ban outside the vocabulary": [
      "forwardPass",
      { type: "adjustLogits", logits: { ban: [vocabulary] } },
      "ban[0] is 257",
    ],
    "an addition of NaN": [
      "forwardPass",
      { type: "adjustLogits", logits: { add: { 3: Number.NaN } } },
      "add[3] is NaN",
    ],
    "an addition to no token": [
      "forwardPass",
      { type: "adjustLogits", logits: { add: { x: 1 } } },
      "add[0] is NaN",
    ],
    "an edit of another name": ["forwardPass", { type: "adjustLogits", logits: { bann: [1] } }, 'no "bann"'],
    "logits as a list": ["forwardPass", { type: "adjustLogits", logits: [1, 2] }, "logits is a list of 2"],
    "a negative temperature": [
      "forwardPass",
      { type: "adjustLogits", logits: {}, temperature: -1 },
      "temperature is -1",
    ],
    "a temperature above the largest": [
      "forwardPass",
      { type: "adjustLogits", logits: {}, temperature: 1001 },
      "temperature is 1001: give a number from 0 (always the most likely token) to 1000.",
    ],
    "a tool call without a name": [
      "added",
      { type: "toolCalls", calls: [{ arguments: {} }] },
      "Tool call 1 has no name",
    ],
    "no tool calls": ["added", { type: "toolCalls", calls: [] }, "at least one call"],
    "an error that is no text": ["added", { type: "error", message: 5 }, "the message is 5"],
    "a prompt without tokens": [
      "prefilled",
      { type: "adjustPrefill", tokens: [] },
      "a prompt needs at least one",
    ],
    "a prompt above the context": [
      "prefilled",
      { type: "adjustPrefill", tokens: new Array(5000).fill(1) },
      "5,000 tokens, but the context holds 4,096",
    ],
    "half a limit": ["prefilled", { type: "adjustPrefill", tokens: [1], maxSteps: 1.5 }, "maxSteps is 1.5"],
  };

  test.each(Object.entries(faults))("%s", async (_, [event, answer, message]) => {
    const mods: Handlers[] = [{ [event]: () => answer }, { finished: () => null }];
    const { finished, calls, hosts } = await check({
      mods,
      log: event === "added" ? "e x0:invalid-action error:e" : "x0:invalid-action error:",
    });
    const call = calls.find(({ fault }) => fault !== null);
    expect(call).toMatchObject({ mod: 0, event, step: event === "added" ? 1 : 0, action: { type: "noop" } });
    expect(call?.fault).toMatchObject({ kind: "invalid-action", message: expect.stringContaining(message) });
    const error = { message: expect.stringContaining(message), mod: 0, code: "mod_failed" };
    expect(finished.error).toEqual(error);
    expect(finished.error?.message).toContain(`The mod "mod0" failed in ${event}(), step`);
    expect(hosts.map(({ isDisposed }) => isDisposed)).toEqual([true, false]);
    expect(hosts[1]?.events).toMatchObject([{ type: "finished", reason: "error" }]);
  });

  test("several mods that leave no token are all named, in order", async () => {
    const banHalf = (first: number): Handlers => ({
      forwardPass: () => ({
        type: "adjustLogits",
        logits: { ban: Array.from({ length: 129 }, (_, place) => first + place) },
      }),
    });
    const mods = [
      banHalf(0),
      { forwardPass: () => ({ type: "noop" }) } as Handlers,
      banHalf(64),
      banHalf(128),
    ];
    const { finished } = await check({ mods, log: "x3:invalid-action error:" });
    expect(finished.error).toMatchObject({ mod: 3 });
    expect(finished.error?.message).toContain(
      'No token is left: every logit is -Infinity. Mods that changed these logits before, in order: "mod0", "mod2".',
    );
  });

  const boom = () => {
    throw new TypeError("x is not a function");
  };
  const rows: Record<string, Row> = {
    "throws: the request ends with the text so far": {
      mods: [{ added: (event) => (event.step === 2 ? boom() : null) }],
      log: "e f x0:threw error:ef",
    },
    "throws, and the request goes on without it": {
      mods: [{ added: boom }, { added: at(2, force("k")) }],
      request: { onModError: "continue", maxTokens: 4 },
      log: "e x0:threw f !k l length:efkl",
    },
    "a fault ends the request whatever a mod before answered": {
      mods: [{ added: at(1, force("k")) }, { added: boom }],
      log: "e x1:threw error:e",
    },
    "a fault of the first leaves the change to the second": {
      mods: [{ added: at(1, back(9)) }, { added: at(1, force("k")) }],
      request: { onModError: "continue", maxTokens: 3 },
      log: "e x0:invalid-action !k l length:ekl",
    },
    "at backtracked: nothing is put in place": {
      mods: [{ sampled: at(2, back(1, "X")), backtracked: () => force("k") }],
      log: "e f <1 x0:invalid-action error:e",
    },
    "at backtracked, going on": {
      mods: [{ sampled: at(2, back(1, "X")), backtracked: () => force("k") }],
      request: { onModError: "continue", maxTokens: 3 },
      log: "e f <1 x0:invalid-action ^X Y length:eXY",
    },
    "after forceOutput": {
      mods: [{ sampled: at(1, { type: "forceOutput", tokens: encode("ok") }) }, { added: at(2, 5) }],
      log: "e <1 !ok x1:invalid-action error:ok",
    },
    "at finished, which has its reason already": {
      mods: [{ finished: boom }],
      request: { maxTokens: 1 },
      log: "e x0:threw length:e",
    },
    "its edit does not count": {
      mods: [{ forwardPass: () => ({ type: "adjustLogits", logits: { ban: [101], add: { 300: 1 } } }) }],
      request: { onModError: "continue", maxTokens: 1 },
      log: "x0:invalid-action e length:e",
    },
    "the edit that leaves nothing is the one at fault": {
      mods: [
        { forwardPass: () => ({ type: "adjustLogits", logits: { only: [120] } }) },
        { forwardPass: () => ({ type: "adjustLogits", logits: { ban: [120] } }) },
      ],
      request: { onModError: "continue", maxTokens: 1 },
      log: "x1:invalid-action x length:x",
    },
  };
  test.each(Object.entries(rows))("%s", async (_, row) => void (await check(row)));

  test("what the host reports stands in the trace: kind, line, column, stack, console", async () => {
    const reply: ModReply = {
      action: { type: "noop" },
      fault: { kind: "threw", message: "RangeError: no", stack: "at handler", line: 12, column: 3 },
      console: [{ level: "warn", text: "slow" }],
    };
    const host: ModHost = { ...inProcessMod("slow", { added: () => null }), ask: async () => reply };
    const { records, finished } = await runDecode({ mods: [host] });
    expect(records.find(({ type }) => type === "modCall")).toMatchObject({
      console: reply.console,
      fault: reply.fault,
    });
    expect(finished.error?.message).toBe('The mod "slow" failed in added(), step 1, line 12: RangeError: no');
  });

  test.each(["timeout", "crashed"] as const)(
    "what the sandbox says of a mod that was stopped (%s) is not said twice",
    async (kind) => {
      const reply: ModReply = {
        action: { type: "noop" },
        fault: { kind, message: 'The mod "slow" did not answer added within 250 ms and was stopped.' },
        console: [],
      };
      const host: ModHost = { ...inProcessMod("slow", { added: () => null }), ask: async () => reply };
      const { finished } = await runDecode({ mods: [host] });
      expect(finished.error?.message).toBe(
        'The mod "slow" did not answer added within 250 ms and was stopped (step 1).',
      );
    },
  );

  test("an invalid action has the line that built it", async () => {
    const reply = { action: { type: "backtrack", count: 9 }, fault: null, console: [], line: 4 } as const;
    const host: ModHost = { ...inProcessMod("m", { added: () => null }), ask: async () => reply };
    const { records } = await runDecode({ mods: [host] });
    expect(records.find(({ type }) => type === "modCall")).toMatchObject({ line: 4, fault: { line: 4 } });
  });
});

describe("a mod that loops the engine ends with budget", () => {
  const rows: Record<string, Handlers> = {
    "takes every token back": { added: () => back(1) },
    "takes every token back before it is emitted": { sampled: () => back(0) },
    "replaces every token": { added: () => back(1, "k") },
    "replaces one token, over and over": { forwardPass: (event) => (event.step === 1 ? back(1) : null) },
    "goes back and forces, by turns": { added: (event) => (event.step > 3 ? back(2, "k") : force("q")) },
    "never lets it end": { added: (event) => (event.isEos ? back(1) : null) },
  };
  test.each(Object.entries(rows))("%s", async (_, handlers) => {
    const { finished, records } = await runDecode({
      mods: [inProcessMod("m", handlers)],
      request: { maxTokens: 20 },
      prompt: "tuvw",
    });
    checkTrace(records);
    expect(finished.reason).toBe("budget");
    expect(finished.usage.forwardPasses).toBeLessThanOrEqual(4 * 20 + 64);
  });

  test("a budget may be set", async () => {
    const mods = [inProcessMod("m", { sampled: (event) => (event.step === 1 ? back(1) : null) })];
    const { finished, records } = await runDecode({ mods, request: { budget: 5 } });
    expect(traceLog(records)).toBe("e <1 e <1 e <1 e <1 budget:");
    expect(finished.usage.forwardPasses).toBe(5);
  });

  test("a new limit has its own budget", async () => {
    const logits = () => alphabetLogits([96]);
    const { finished } = await runDecode({
      mods: [
        inProcessMod("m", { prefilled: () => ({ type: "adjustPrefill", tokens: [97], maxSteps: 100 }) }),
      ],
      request: { maxTokens: 1 },
      model: { logits },
    });
    expect([finished.reason, finished.step]).toEqual(["length", 100]);
  });

  test("a budget is spent alike whether the prompt was in the cache or not", async () => {
    const run = (kvCache?: KvCache) =>
      runDecode({
        mods: [inProcessMod("m", { sampled: (event) => (event.step === 1 ? back(1) : null) })],
        request: { budget: 5 },
        ...(kvCache && { kvCache }),
      });
    const cold = await run();
    expect(traceLog((await run(cold.kvCache)).records)).toBe(traceLog(cold.records));
  });

  test("a budget of passes is not spent by a request that keeps to its limit", async () => {
    const { finished } = await runDecode({ request: { maxTokens: 20, budget: 20 } });
    expect(finished.reason).toBe("length");
  });
});

describe("cancelling", () => {
  test.each(["sampled", "added", "forwardPass", "modCall"] as const)(
    "during %s keeps the trace",
    async (type) => {
      const controller = new AbortController();
      const { finished, records } = await runDecode({
        mods: [
          inProcessMod("m", {
            added: (event) => (event.step === 2 ? force("k") : null),
            finished: () => null,
          }),
        ],
        signal: controller.signal,
        onRecord: (record) => {
          if (record.type === type && "step" in record && record.step >= 2) controller.abort();
        },
      });
      checkTrace(records);
      expect(finished.reason).toBe("cancelled");
      expect(finished.text.startsWith("ef")).toBe(true);
    },
  );

  test("among changes that mods answer to one another", async () => {
    const controller = new AbortController();
    const { finished, records } = await runDecode({
      mods: [inProcessMod("m", { added: () => back(1, "k") })],
      signal: controller.signal,
      onRecord: (record) => {
        if (record.type === "added" && record.index === 5) controller.abort();
      },
    });
    expect(finished.reason).toBe("cancelled");
    expect(records.filter(({ type }) => type === "added")).toHaveLength(6);
  });

  test("before the first step", async () => {
    const { finished, model } = await runDecode({ signal: AbortSignal.abort() });
    expect([finished.reason, model.passes.length]).toEqual(["cancelled", 0]);
  });

  test("at a pause point that never opens", async () => {
    const controller = new AbortController();
    const pausePoint = () => new Promise<void>(() => queueMicrotask(() => controller.abort()));
    const { finished } = await runDecode({ signal: controller.signal, pausePoint });
    expect(finished.reason).toBe("cancelled");
  });

  test("between two passes of a long prompt, by a message", async () => {
    const controller = new AbortController();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => controller.abort();
    const { finished, model, records } = await runDecode({
      prompt: "a".repeat(2000),
      signal: controller.signal,
      pausePoint: () => new Promise((resolve) => setTimeout(resolve)),
      onRecord: ({ type }) => type === "forwardPass" && port2.postMessage("stop"),
    });
    port1.close();
    expect([finished.reason, model.length]).toEqual(["cancelled", 512]);
    // The trace has the passes that read the prompt: it is the progress that the page shows.
    expect(records.filter(({ type }) => type === "forwardPass")).toMatchObject([{ contextLength: 512 }]);
  });

  test("the pause point is awaited before each step, and before each pass of the prompt", async () => {
    const passed: string[] = [];
    await runDecode({
      pausePoint: async (before) => void (before !== "event" && passed.push(before)),
      prompt: "a".repeat(600),
      request: { maxTokens: 3 },
    });
    expect(passed).toEqual(["step", "pass", "pass", "step", "step"]);
  });
});

describe("the model fails", () => {
  const cause = new Error("device lost");
  test("the request ends with an error, the trace is kept", async () => {
    const { finished, records } = await runDecode({ model: { dies: { pass: 2, cause } } });
    checkTrace(records);
    expect(traceLog(records)).toBe("e f error:ef");
    expect(finished.error).toEqual({
      message: "The model failed: The scripted model died: load it again.",
      mod: null,
    });
  });

  test("a dead model fails the next request as well", async () => {
    const { kvCache } = await runDecode({ model: { dies: { pass: 0, cause } } });
    const { finished } = await runDecode({ kvCache });
    expect([finished.reason, finished.error?.mod]).toEqual(["error", null]);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("logits of %s are no answer", async (logit) => {
    let isBroken = true;
    const logits = (context: readonly number[]) =>
      isBroken ? new Float32Array(257).fill(logit) : alphabetLogits(context);
    const { finished, kvCache } = await runDecode({ model: { logits } });
    expect(finished.error?.message).toContain(`The logit of token 0 is ${logit}.`);
    isBroken = false;
    const again = await runDecode({ kvCache });
    expect([again.finished.text, again.finished.usage.reusedTokens]).toEqual(["efghijkl", 0]);
  });
});

test("a request that cannot be decoded is refused at the door", async () => {
  const refused = (request: RunOptions["request"]) =>
    expect(runDecode({ request: { ...request } })).rejects.toThrow(RangeError);
  await refused({ prompt: [] });
  await refused({ prompt: [END + 1] });
  await refused({ maxTokens: -1 });
  await refused({ seed: 0.5 });
  await refused({ stop: [""] });
  await refused({ modSources: [{ source: "one too many" }] });
  const sampling = defaultSampling;
  await refused({ sampling: { ...sampling, temperature: -1 } });
  await refused({ sampling: { ...sampling, topP: Number.NaN } });
  await refused({ sampling: { ...sampling, repetitionPenalty: 0 } });
  await refused({ sampling: { ...sampling, topK: 2.5 } });
  await refused({ sampling: { ...sampling, logitBias: { 3: Number.POSITIVE_INFINITY } } });
});

const blindNeeds = { needs: { topK: 0, logits: false } };

describe("mods are asked at once, where none of them changes what the next one sees", () => {
  /** Two mods that meet: each answers only when both were asked, or says that it waited in vain. */
  async function together(event: "sampled" | "added" | "forwardPass", readsLogits = true) {
    let waiting = 0;
    let resolve = (): void => undefined;
    const promise = new Promise<void>((done) => {
      resolve = done;
    });
    const meet = async (_: unknown, log: (text: string) => void) => {
      waiting += 1;
      if (waiting === 2) resolve();
      const inVain = new Promise((done) => setTimeout(done, 50, "alone"));
      log(String(await Promise.race([promise.then(() => "together"), inVain])));
    };
    const hosts = [0, 1].map((index) => ({
      ...inProcessMod(`mod${index}`, { [event]: meet }),
      needs: { topK: 0, logits: readsLogits },
    }));
    const { records } = await runDecode({ mods: hosts, request: { maxTokens: 1 } });
    return records.flatMap((record) => (record.type === "modCall" ? record.console[0]?.text : []));
  }

  test.each<["sampled" | "added" | "forwardPass", boolean, string[]]>([
    ["sampled", true, ["together", "together"]],
    ["added", true, ["together", "together"]],
    ["forwardPass", true, ["alone", "together"]],
    ["forwardPass", false, ["together", "together"]],
  ])("%s, reading logits: %s", async (event, readsLogits, expected) => {
    expect(await together(event, readsLogits)).toEqual(expected);
  });

  test("edits compose in the mods' order, whoever is asked first", async () => {
    const edit = (delay: number, logits: object, temperature: number) => async () => {
      await new Promise((done) => setTimeout(done, delay));
      return { type: "adjustLogits", logits, temperature };
    };
    const [e, f] = [101, 102];
    const seen: number[] = [];
    const hosts: ModHost[] = [
      inProcessMod("slow", { forwardPass: edit(20, { only: [e, f] }, 0.5) }),
      { ...inProcessMod("blind", { forwardPass: edit(0, { add: { [f]: 8 } }, 0.25) }), ...blindNeeds },
      {
        ...inProcessMod("reader", {}),
        handles: new Set(["forwardPass"]),
        ask: async (event) => {
          if (event.type === "forwardPass") seen.push(...requireAllLogits(event).slice(e - 1, f + 1));
          return { action: { type: "noop" }, fault: null, console: [] };
        },
      },
    ];
    const { records } = await runDecode({ mods: hosts, request: { maxTokens: 1 } });
    expect(seen).toEqual([Number.NEGATIVE_INFINITY, 10, 9 + 8]);
    expect(records.find(({ type }) => type === "adjusted")).toMatchObject({ temperature: 0.25 });
    const caughtUp = records.flatMap((record) => (record.type === "modCall" ? record.mod : []));
    expect(caughtUp).toEqual([0, 1, 2]);
  });

  test("a mod that was not asked yet when one fails is not asked; one that was is told", async () => {
    const [reads, blind] = ["reads", "blind"].map((name) => inProcessMod(name, { forwardPass: () => null }));
    const failing = inProcessMod("fails", {
      forwardPass: () => {
        throw new Error("no");
      },
    });
    const hosts = [failing, reads, { ...blind, ...blindNeeds }] as ModHost[];
    const { finished, records } = await runDecode({ mods: hosts, request: { maxTokens: 3 } });
    expect(finished.reason).toBe("error");
    expect(records.flatMap((record) => (record.type === "modCall" ? record.mod : []))).toEqual([0, 2]);
  });

  test("of two that fail at one event the first one's error ends the request, and both are told", async () => {
    const fails = (message: string) => ({
      added: () => {
        throw new Error(message);
      },
    });
    const hosts = [fails("one"), fails("two")].map((mod, index) => inProcessMod(`mod${index}`, mod));
    const { finished, records } = await runDecode({ mods: hosts, request: { maxTokens: 3 } });
    expect(finished.error?.message).toBe('The mod "mod0" failed in added(), step 1: one');
    const faults = records.flatMap((record) => (record.type === "modCall" ? record.fault?.message : []));
    expect(faults).toEqual(["one", "two"]);
  });
});
