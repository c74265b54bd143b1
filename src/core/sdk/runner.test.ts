import { beforeEach, describe, expect, test } from "vitest";
import { type Action, InvalidActionError } from "./action.ts";
import type { ModEvent } from "./event.ts";
import { mod } from "./mod.ts";
import { getConversation, requestState } from "./request-scope.ts";
import { createModRunner } from "./runner.ts";
import { letterTokenizer } from "./testing/letter-tokenizer.ts";
import { sampleWireEvents } from "./testing/wire-events.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { WireEvent } from "./wire-event.ts";

const run = (exports: Record<string, unknown>, tokenizer: Tokenizer = letterTokenizer) =>
  createModRunner(exports, { tokenizer });

/** The event that a handler sees when the runner gets this plain event. */
async function seen(wire: WireEvent, options: { topK?: number } = {}): Promise<ModEvent> {
  const events: ModEvent[] = [];
  const all = mod((event) => void events.push(event) as undefined, options);
  await run({ default: all }).handle(wire);
  return events[0] as ModEvent;
}

describe("what a mod declares", () => {
  test("handlers, in the order a request meets them", () => {
    const made = mod({ finished: () => null, prefilled: () => null, topK: 9, logits: true, name: "x" });
    expect(made).toMatchObject({ name: "x", handles: ["prefilled", "finished"] });
    expect(made.needs).toEqual({ topK: 0, logits: false });
    expect(Object.isFrozen(made) && Object.isFrozen(made.handles) && Object.isFrozen(made.needs)).toBe(true);
  });
  test("what must be sent with a forward pass", () => {
    expect(mod({ forwardPass: () => null }).needs).toEqual({ topK: 64, logits: false });
    expect(mod({ forwardPass: () => null, topK: 1024, logits: true }).needs).toEqual({
      topK: 1024,
      logits: true,
    });
    expect(mod(() => null, { topK: 3 }).needs).toEqual({ topK: 3, logits: false });
    expect(mod(() => null).handles).toHaveLength(6);
  });

  const wrong: readonly [string, unknown, string][] = [
    [
      "a misspelled event",
      { forwardpass: () => null },
      'no handler "forwardpass". Did you mean "forwardPass"?',
    ],
    [
      "an unknown event",
      { zebra: () => null },
      'no handler "zebra". The known names are added, backtracked, finished',
    ],
    ["no handler", {}, "was given no handler"],
    ["a handler that is none", { added: 4 }, '"added" is 4: give a function'],
    ["nothing", undefined, "was given undefined"],
    ["too many alternatives", { added: () => null, topK: 1025 }, '"topK" is 1025'],
    ["a negative way back", { added: () => null, maxBacktrack: -1 }, '"maxBacktrack" is -1'],
    ["a part of an alternative", { added: () => null, topK: 1.5 }, '"topK" is 1.5'],
    ["a name that is none", { added: () => null, name: 4 }, '"name" is 4'],
    ["logits that are neither", { added: () => null, logits: 1 }, '"logits" is 1'],
  ];
  test.each(wrong)("%s is refused", (_, definition, sentence) => {
    expect(() => mod(definition as Parameters<typeof mod>[0])).toThrow(sentence);
  });
  test("an unknown option of the function form is refused", () => {
    expect(() => mod(() => null, { topk: 4 } as object)).toThrow('no option "topk"');
  });
});

describe("which export runs", () => {
  const exports = {
    default: mod({ added: () => null }),
    other: mod({ name: "n", sampled: () => null }),
    x: 4,
  };
  test("the default one, or the named one", () => {
    expect(run(exports).name).toBe("mod");
    const named = createModRunner(exports, { tokenizer: letterTokenizer, entry: "other" });
    expect(named.name).toBe("n");
    expect(named.handles).toContain("sampled");
  });
  test.each([
    [{ x: 4 }, undefined, "The file has no default mod. It exports no mod. Write: export default mod"],
    [exports, "third", 'has no mod "third". It exports default, other. Write: export const third'],
    [{ default: { handles: [], needs: {}, handler: () => null } }, undefined, "It exports no mod"],
  ])("a missing one is named: %#", (given, entry, sentence) => {
    expect(() => createModRunner(given, { tokenizer: letterTokenizer, ...(entry && { entry }) })).toThrow(
      sentence,
    );
  });
});

describe("events as a handler sees them", () => {
  test.each([
    ["prefilled", { text: "hi", tokens: [8, 9], maxTokens: 16, responseFormat: null }],
    ["sampled", { text: "b", token: 2, logprob: -0.5 }],
    ["added", { text: "ab", forced: false, source: "sampled", mod: null, isEos: false }],
    ["backtracked", { text: "ab", removed: [1, 2], mod: "m", step: 1 }],
    ["finished", { text: "abc", reason: "stop" }],
  ] as const)("%s", async (type, expected) => {
    const event = await seen(sampleWireEvents[type]);
    expect(event).toMatchObject({ type, requestId: "r1", ...expected });
    expect(Object.isFrozen(event)).toBe(true);
    for (const value of Object.values(event)) {
      if (typeof value === "object" && value !== null) expect(Object.isFrozen(value)).toBe(true);
    }
  });

  test("the prompt's text shows special tokens", async () => {
    expect(await seen({ ...sampleWireEvents.prefilled, tokens: [8, 0] })).toMatchObject({ text: "h<end>" });
  });

  test.each(["forced", "reinjected"] as const)("%s tokens are forced", async (source) => {
    expect(await seen({ ...sampleWireEvents.added, source, mod: "m" })).toMatchObject({
      forced: true,
      mod: "m",
    });
  });

  test("the prompt's text is decoded when it is asked for, once", async () => {
    let decoded = 0;
    const counting: Tokenizer = {
      ...letterTokenizer,
      decode: (tokens) => {
        decoded += 1;
        return letterTokenizer.decode(tokens);
      },
    };
    const reading = mod((event) => {
      if (event.type === "prefilled") expect(event.text + event.text).toBe("hihi");
      return null;
    });
    const runner = run({ default: reading }, counting);
    await runner.handle(sampleWireEvents.added);
    expect(decoded).toBe(0);
    await runner.handle(sampleWireEvents.prefilled);
    expect(decoded).toBe(1);
  });

  test("the caller's lists stay as they were", async () => {
    await seen(sampleWireEvents.prefilled);
    expect(Object.isFrozen(sampleWireEvents.prefilled.tokens)).toBe(false);
    expect(Object.isFrozen(sampleWireEvents.prefilled.messages[0]?.content)).toBe(false);
  });
});

describe("what was not sent cannot be read", () => {
  const forwardPass = async (wire: WireEvent, topK?: number) => {
    const event = await seen(wire, topK === undefined ? {} : { topK });
    if (event.type !== "forwardPass") throw new Error("wrong event");
    return event;
  };

  test("alternatives are sorted, sliced and frozen", async () => {
    const event = await forwardPass(sampleWireEvents.forwardPass, 3);
    expect(event.topK(2)).toEqual([
      { token: 2, logprob: -0.5 },
      { token: 1, logprob: -1.5 },
    ]);
    expect(event.topK(0)).toEqual([]);
    expect(Object.isFrozen(event.topK(1)) && Object.isFrozen(event.topK(1)[0])).toBe(true);
  });
  test.each([
    [4, 3, "topK(4): only 3 tokens are sent; declare more with mod({ topK: 4"],
    [1025, 1024, "at most 1024 tokens can be sent; read event.logits"],
    [-1, 3, "give a whole number"],
    [1.5, 3, "give a whole number"],
  ])("topK(%d) of %d declared", async (k, declared, sentence) => {
    const event = await forwardPass(sampleWireEvents.forwardPass, declared);
    expect(() => event.topK(k)).toThrow(sentence);
  });
  test("what is left where mods before it left less than it asks for", async () => {
    expect((await forwardPass(sampleWireEvents.forwardPass, 64)).topK(10)).toHaveLength(3);
  });
  test("a vocabulary smaller than what was declared gives all of it", async () => {
    const tokens = Array.from({ length: 29 }, (_, token) => token);
    const event = await forwardPass({
      ...sampleWireEvents.forwardPass,
      type: "forwardPass",
      top: { tokens, logprobs: tokens.map(() => -3) },
    });
    expect(event.topK(64)).toHaveLength(29);
  });
  test("a source that never names topK is sent none, and told how to get them", async () => {
    const reads = { logits: false, topK: false, hiddenState: false, conversation: false };
    const reading = mod({ forwardPass: (event) => void event.topK(3) });
    const runner = createModRunner({ default: reading }, { tokenizer: letterTokenizer, reads });
    expect(runner.needs).toEqual({ topK: 0, logits: false });
    await expect(
      runner.handle({ ...sampleWireEvents.forwardPass, top: { tokens: [], logprobs: [] } } as WireEvent),
    ).rejects.toThrow("topK(3): only 0 tokens are sent; declare more with mod({ topK: 3");
  });
  test("a copy of an event reads no logits that were not sent, and has those that were", async () => {
    const event = await forwardPass(sampleWireEvents.forwardPass);
    expect({ ...event }).toMatchObject({ type: "forwardPass" });
    expect(JSON.parse(JSON.stringify(event))).toMatchObject({ type: "forwardPass" });
    const logits = new Float32Array(29);
    const sent = await forwardPass({ ...sampleWireEvents.forwardPass, type: "forwardPass", logits });
    expect({ ...sent }.logits).toBe(logits);
  });
  test("logits", async () => {
    const without = await forwardPass(sampleWireEvents.forwardPass);
    expect(() => without.logits).toThrow("event.logits was not sent: declare it with mod({ logits: true");
    const logits = new Float32Array(29);
    expect((await forwardPass({ ...sampleWireEvents.forwardPass, type: "forwardPass", logits })).logits).toBe(
      logits,
    );
  });
});

describe("answers", () => {
  const answerOf = (handler: Parameters<typeof mod>[0]) =>
    run({ default: mod(handler) }).handle(sampleWireEvents.added);

  test.each([
    ["undefined", () => undefined],
    ["null", () => null],
    ["a promise of nothing", async () => undefined],
  ])("%s is noop", async (_, handler) => {
    expect(await answerOf(handler)).toEqual({ action: { type: "noop" }, builtAt: null });
  });
  test("a promise of an action", async () => {
    const { action, builtAt } = await answerOf(async (_, actions) => {
      await Promise.resolve();
      return actions.forceTokens("z");
    });
    expect(action).toEqual({ type: "forceTokens", tokens: [26], heal: true });
    expect(builtAt?.stack).toContain("runner.test.ts");
  });
  test("what a handler throws comes out", async () => {
    const thrown = new RangeError("mine");
    await expect(
      answerOf(() => {
        throw thrown;
      }),
    ).rejects.toBe(thrown);
  });
  test("an action that the event does not allow", async () => {
    await expect(answerOf((_, actions) => actions.adjustPrefill("a"))).rejects.toThrow(
      '"adjustPrefill" is not allowed at "added"',
    );
  });
  test.each([
    ["a forged action", { type: "forceTokens", tokens: [1] }, "forceTokens"],
    ["a text", "abc", '"abc"'],
    ["a number", 4, "4"],
  ])("%s is refused", async (_, forged, named) => {
    const answer = answerOf(() => forged as unknown as Action);
    await expect(answer).rejects.toThrow(InvalidActionError);
    await expect(answer).rejects.toThrow(
      `"${named}" at "added": the handler returned a value that is not an action`,
    );
  });
  test("an action of another event is refused, whatever the event allows", async () => {
    let kept: Action | undefined;
    const keeping = mod((event, actions) => {
      kept ??= event.type === "sampled" ? actions.forceTokens("a") : undefined;
      return event.type === "added" ? kept : null;
    });
    const runner = run({ default: keeping });
    await runner.handle(sampleWireEvents.sampled);
    await expect(runner.handle(sampleWireEvents.added)).rejects.toThrow('built at "sampled"');
  });
  test("a handler sees its own object as this", async () => {
    const handlers = {
      added(this: unknown) {
        expect(this).toBe(handlers);
        return null;
      },
    };
    await answerOf(handlers);
  });
});

describe("state and conversation", () => {
  const count = requestState(() => 0);
  let after: number[] = [];
  const counting = mod({
    async added() {
      count.current += 1;
      await Promise.resolve();
      after.push(count.current);
      return null;
    },
  });
  beforeEach(() => {
    after = [];
  });

  test("each request has its own value, dropped when it finished", async () => {
    const runner = run({ default: counting });
    expect(runner.handles).toEqual(["prefilled", "added", "finished"]);
    const added = (requestId: string) => runner.handle({ ...sampleWireEvents.added, requestId });
    await Promise.all([added("a"), added("b"), added("a"), added("b"), added("a")]);
    expect(after).toEqual([1, 1, 2, 2, 3]);
    await runner.handle({ ...sampleWireEvents.finished, requestId: "a" });
    await added("a");
    await added("b");
    expect(after.slice(5)).toEqual([1, 3]);
  });
  test("a handler that throws does not take the next one's request", async () => {
    const failing = mod({
      added(event) {
        if (event.step === 9) throw new Error("once");
        count.current += 1;
        after.push(count.current);
        return null;
      },
    });
    const runner = run({ default: failing });
    const bad = runner.handle({ ...sampleWireEvents.added, requestId: "c", step: 9 });
    const good = runner.handle({ ...sampleWireEvents.added, requestId: "d" });
    await expect(bad).rejects.toThrow("once");
    await good;
    expect(after).toEqual([1]);
  });
  test("state is dropped even where the finished handler throws", async () => {
    const failing = mod({
      added() {
        count.current += 1;
        after.push(count.current);
        return null;
      },
      finished() {
        throw new Error("late");
      },
    });
    const runner = run({ default: failing });
    await runner.handle({ ...sampleWireEvents.added, requestId: "e" });
    await expect(runner.handle({ ...sampleWireEvents.finished, requestId: "e" })).rejects.toThrow("late");
    await runner.handle({ ...sampleWireEvents.added, requestId: "e" });
    expect(after).toEqual([1, 1]);
  });
  test("outside of a handler both say where to read them", () => {
    expect(() => count.current).toThrow("read it inside a handler");
    expect(() => {
      count.current = 1;
    }).toThrow("read it inside a handler");
    expect(() => getConversation()).toThrow("read it inside a handler");
    expect(() => requestState(3 as unknown as () => number)).toThrow("needs a function");
  });
  test("requestState inside a handler is refused", async () => {
    const late = mod(() => {
      requestState(() => 0);
      return null;
    });
    await expect(run({ default: late }).handle(sampleWireEvents.added)).rejects.toThrow(
      "at the top of the file",
    );
  });

  const telling = mod({
    added: (_, actions) => actions.error(JSON.stringify(getConversation())),
  });
  test("the conversation of the request, as it was sent", async () => {
    const runner = run({ default: telling });
    await runner.handle({ ...sampleWireEvents.prefilled, requestId: "f" });
    const { action } = await runner.handle({ ...sampleWireEvents.added, requestId: "f" });
    expect(action).toEqual({ type: "error", message: JSON.stringify(sampleWireEvents.prefilled.messages) });
    await runner.handle({ ...sampleWireEvents.finished, requestId: "f" });
    await expect(runner.handle({ ...sampleWireEvents.added, requestId: "f" })).rejects.toThrow(
      "has no value",
    );
  });
  test("a source that does not read it is not sent the prompt", () => {
    const runner = createModRunner(
      { default: telling },
      {
        tokenizer: letterTokenizer,
        reads: { logits: true, topK: true, hiddenState: false, conversation: false },
      },
    );
    expect(runner.handles).not.toContain("prefilled");
    expect(runner.needs.logits).toBe(false);
  });
});
