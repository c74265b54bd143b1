/** The engine's side against guests that break the protocol, at the other end of a real port. */
import { expect, test, vi } from "vitest";
import type { LoopEvent } from "../../core/decoder/ports/mod-host.ts";
import {
  type HostileGuestBehaviour,
  type Post,
  readyMessage,
  startHostileGuest as start,
} from "./testing/hostile-guest.ts";
import { addedEvent, createForwardPassEvent, prefilledEvent } from "./testing/sample-events.ts";

const noRule = { kind: "rule", mask: null, ban: null, only: null, addTokens: null, addAmounts: null };
const forwardPass = createForwardPassEvent(29);
const row = forwardPass.logits;

/** A buffer whose owner can make it longer. */
function growing(bytes: number): ArrayBuffer {
  const Growing = ArrayBuffer as unknown as new (length: number, options: object) => ArrayBuffer;
  return new Growing(bytes, { maxByteLength: 2 * bytes });
}

test("a guest that behaves is believed", async () => {
  const { host, state } = await start({});
  expect(await host.ask(addedEvent)).toEqual({ action: { type: "noop" }, fault: null, console: [] });
  expect(state.kills).toBe(0);
});

test.each<[string, NonNullable<HostileGuestBehaviour["onEvent"]>]>([
  ["a stale sequence", (reply, post) => post({ ...reply, sequence: reply.sequence - 1 })],
  ["a future sequence", (reply, post) => post({ ...reply, sequence: reply.sequence + 1 })],
  ["another run", (reply, post) => post({ ...reply, run: reply.run ^ 1 })],
  ["no message at all", (_, post) => post("hello")],
  ["null", (_, post) => post(null)],
  ["another type", (reply, post) => post({ ...reply, type: "ready" })],
  ["a port", (reply, post) => post(reply, [new MessageChannel().port1])],
  ["no console", (reply, post) => post({ ...reply, console: undefined })],
  [
    "a console line of a megabyte",
    (reply, post) => post({ ...reply, console: [{ level: "log", text: "x".repeat(1e6) }] }),
  ],
  [
    "a console level of its own",
    (reply, post) => post({ ...reply, console: [{ level: "alert", text: "" }] }),
  ],
  [
    "too many console lines",
    (reply, post) => post({ ...reply, console: new Array(1e5).fill({ level: "log", text: "" }) }),
  ],
  [
    "a fault of another kind",
    (reply, post) => post({ ...reply, fault: { kind: "timeout", message: "", stack: "", position: null } }),
  ],
  [
    "a fault with an endless message",
    (reply, post) =>
      post({ ...reply, fault: { kind: "threw", message: "x".repeat(1e6), stack: "", position: null } }),
  ],
  ["a place that is none", (reply, post) => post({ ...reply, builtAt: { line: 1.5, column: 1 } })],
])("%s stops it", async (_, onEvent) => {
  const { host, state } = await start({ onEvent });
  expect((await host.ask(addedEvent)).fault).toMatchObject({
    kind: "protocol",
    message: expect.stringMatching(/\.$/),
  });
  expect((await host.ask(addedEvent)).fault?.kind).toBe("protocol");
  expect(state.kills).toBe(1);
});

test("two answers to one question stop it", async () => {
  const { host, state } = await start({
    onEvent(reply, post) {
      post(reply);
      post(reply);
    },
  });
  expect((await host.ask(addedEvent)).fault).toBeNull();
  expect((await host.ask(addedEvent)).fault?.kind).toBe("protocol");
  expect(state.kills).toBe(1);
});

test("a flood stops it at the first message too many", async () => {
  const { host, state } = await start({
    onEvent(reply, post) {
      for (let i = 0; i < 10_000; i++) post(reply);
    },
  });
  expect((await host.ask(addedEvent)).fault).toBeNull();
  expect((await host.ask(addedEvent)).fault?.kind).toBe("protocol");
  expect(state.kills).toBe(1);
});

test.each<[string, unknown, LoopEvent]>([
  ["of an unknown type", { type: "eval", code: "1" }, addedEvent],
  ["without a type", {}, addedEvent],
  ["that is a list", [], addedEvent],
  ["that is null", null, addedEvent],
  ["with a token beyond the vocabulary", { type: "forceTokens", tokens: [29] }, addedEvent],
  ["with a negative token", { type: "forceTokens", tokens: [-1] }, addedEvent],
  ["with half a token", { type: "forceTokens", tokens: [0.5] }, addedEvent],
  ["with a token in a text", { type: "forceTokens", tokens: ["1"] }, addedEvent],
  ["with tokens that are no list", { type: "forceTokens", tokens: { length: 1e9 } }, addedEvent],
  ["with a hole among the tokens", { type: "forceTokens", tokens: new Array(5) }, addedEvent],
  ["with an endless list", { type: "forceOutput", tokens: new Array(100_000).fill(1) }, addedEvent],
  ["with a negative count", { type: "backtrack", count: -1 }, addedEvent],
  ["with an endless count", { type: "backtrack", count: Number.POSITIVE_INFINITY }, addedEvent],
  ["hidden by a text", { type: "forceTokens", tokens: [1], hidden: "yes" }, addedEvent],
  ["hidden by a list", { type: "backtrack", count: 1, tokens: [1], hidden: [] }, addedEvent],
  ["hidden by null", { type: "adjustLogits", edit: noRule, hidden: null }, forwardPass],
  ["healed by a text", { type: "forceTokens", tokens: [1], heal: "yes" }, addedEvent],
  ["healed by false", { type: "backtrack", count: 1, tokens: [1], heal: false }, addedEvent],
  ["with a message that is no text", { type: "error", message: { toString: "x" } }, addedEvent],
  ["with an endless message", { type: "error", message: "x".repeat(1e6) }, addedEvent],
  ["with calls that are no list", { type: "toolCalls", calls: "f" }, addedEvent],
  ["with a call that is null", { type: "toolCalls", calls: [null] }, addedEvent],
  [
    "with an endless list of calls",
    { type: "toolCalls", calls: new Array(1_000).fill({ id: "", name: "f", arguments: "" }) },
    addedEvent,
  ],
  ["with an edit of an unknown kind", { type: "adjustLogits", edit: { kind: "sql" } }, forwardPass],
  [
    "with logits in a list",
    { type: "adjustLogits", edit: { kind: "whole", logits: Array.from(row) } },
    forwardPass,
  ],
  [
    "with too few logits",
    { type: "adjustLogits", edit: { kind: "whole", logits: new Float32Array(3) } },
    forwardPass,
  ],
  [
    "with a row that is a part of something larger",
    { type: "adjustLogits", edit: { kind: "whole", logits: new Float32Array(1_000).subarray(0, 29) } },
    forwardPass,
  ],
  [
    "with a row in shared memory",
    {
      type: "adjustLogits",
      edit: { kind: "whole", logits: new Float32Array(new SharedArrayBuffer(4 * 29)) },
    },
    forwardPass,
  ],
  [
    "with a row that may grow",
    { type: "adjustLogits", edit: { kind: "whole", logits: new Float32Array(growing(4 * 29)) } },
    forwardPass,
  ],
  [
    "with a mask that is a part of something larger",
    { type: "adjustLogits", edit: { ...noRule, mask: new Uint32Array(1_000).subarray(0, 1) } },
    forwardPass,
  ],
  [
    "with calls whose arguments are endless together",
    {
      type: "toolCalls",
      calls: new Array(100).fill({ id: "", name: "f", arguments: "x".repeat(20_000) }),
    },
    addedEvent,
  ],
  [
    "with entries beyond the row",
    {
      type: "adjustLogits",
      edit: { kind: "entries", tokens: Int32Array.of(29), logits: Float32Array.of(1) },
    },
    forwardPass,
  ],
  [
    "with more tokens than entries",
    {
      type: "adjustLogits",
      edit: { kind: "entries", tokens: Int32Array.of(1, 2), logits: Float32Array.of(1) },
    },
    forwardPass,
  ],
  [
    "with entries where there is no row",
    { type: "adjustLogits", edit: { kind: "entries", tokens: Int32Array.of(1), logits: Float32Array.of(1) } },
    addedEvent,
  ],
  [
    "that bans beyond the vocabulary",
    {
      type: "adjustLogits",
      edit: {
        kind: "rule",
        mask: null,
        ban: Int32Array.of(-5),
        only: null,
        addTokens: null,
        addAmounts: null,
      },
    },
    forwardPass,
  ],
  ...(
    [
      ["with a mask that is no mask", Float32Array.of(1)],
      ["with a mask in a list", [1]],
      ["with a mask of two words for 29 tokens", Uint32Array.of(1, 1)],
      ["with a mask without words", Uint32Array.of()],
      ["without a word about a mask", undefined],
    ] as [string, unknown][]
  ).map(([title, mask]): [string, unknown, LoopEvent] => [
    title,
    {
      type: "adjustLogits",
      edit: { kind: "rule", mask, ban: null, only: null, addTokens: null, addAmounts: null },
    },
    forwardPass,
  ]),
  [
    "that adds NaN",
    {
      type: "adjustLogits",
      edit: {
        kind: "rule",
        mask: null,
        ban: null,
        only: null,
        addTokens: Int32Array.of(1),
        addAmounts: Float64Array.of(Number.NaN),
      },
    },
    forwardPass,
  ],
  [
    "that adds more amounts than tokens",
    {
      type: "adjustLogits",
      edit: {
        kind: "rule",
        mask: null,
        ban: null,
        only: null,
        addTokens: Int32Array.of(1),
        addAmounts: Float64Array.of(1, 2),
      },
    },
    forwardPass,
  ],
  [
    "with a negative temperature",
    { type: "adjustLogits", edit: { kind: "whole", logits: row }, temperature: -1 },
    forwardPass,
  ],
  [
    "with NaN for a temperature",
    { type: "adjustLogits", edit: { kind: "whole", logits: row }, temperature: Number.NaN },
    forwardPass,
  ],
])("an action %s stops it", async (_, action, event) => {
  const { host, state } = await start({ onEvent: (reply, post) => post({ ...reply, action }) });
  expect((await host.ask(event)).fault?.kind).toBe("protocol");
  expect(state.kills).toBe(1);
});

test.each([
  [
    "entries",
    { kind: "entries", tokens: Int32Array.of(3, 4), logits: Float32Array.of(0, Number.NaN) },
    "token 4 is NaN",
  ],
  [
    "a row",
    { kind: "whole", logits: row.map((logit, token) => (token === 2 ? Number.POSITIVE_INFINITY : logit)) },
    "token 2 is Infinity",
  ],
])("NaN and Infinity in %s are an invalid action", async (_, edit, message) => {
  const { host } = await start({
    onEvent: (reply, post) => post({ ...reply, action: { type: "adjustLogits", edit } }),
  });
  const { fault, action } = await host.ask(forwardPass);
  expect(fault).toMatchObject({ kind: "invalid-action", message: expect.stringContaining(message) });
  expect(action).toEqual({ type: "noop" });
});

test("what comes through is built anew, field by field", async () => {
  const action = JSON.parse(
    '{"type":"toolCalls","__proto__":{"polluted":1},"calls":[{"id":"a","name":"f","arguments":"{}","__proto__":{"polluted":1},"extra":1}],"constructor":{}}',
  );
  const { host } = await start({ onEvent: (reply, post) => post({ ...reply, action }) });
  const reply = await host.ask(addedEvent);
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  expect(JSON.stringify(reply.action)).toBe(JSON.stringify({ type: "toolCalls", calls: [call] }));
  expect(Object.getPrototypeOf(reply.action)).toBe(Object.prototype);
  expect({}).not.toHaveProperty("polluted");
});

test.each<[string, NonNullable<HostileGuestBehaviour["onInit"]>]>([
  ["an unknown event", ({ run }, post) => post({ ...readyMessage, run, handles: ["fetch"] })],
  [
    "too many alternatives",
    ({ run }, post) => post({ ...readyMessage, run, needs: { topK: 1e6, logits: false } }),
  ],
  ["no needs", ({ run }, post) => post({ ...readyMessage, run, needs: null })],
  ["another run", ({ run }, post) => post({ ...readyMessage, run: run ^ 1 })],
  ["a reply", ({ run }, post) => post({ type: "reply", run, sequence: 0 })],
  [
    "the tokenizer again and again",
    ({ run }, post) => {
      for (let i = 0; i < 5; i++) post({ type: "needTokenizer", run });
    },
  ],
])("a guest that begins with %s does not begin", async (_, onInit) => {
  const { host, state } = await start({ onInit });
  expect([...host.handles]).toEqual(["prefilled"]);
  expect((await host.ask({ ...addedEvent, type: "added" })).fault?.kind).toBe("protocol");
  expect(state.kills).toBe(1);
});

test("a message between two questions stops it", async () => {
  let say: Post = () => undefined;
  let run = 0;
  const { host, state } = await start({
    onEvent(reply, post) {
      say = post;
      run = reply.run;
      post(reply);
    },
  });
  expect((await host.ask(addedEvent)).fault).toBeNull();
  say({ type: "reply", run, sequence: 2, action: { type: "noop" }, fault: null, builtAt: null, console: [] });
  await vi.waitFor(() => expect(state.kills).toBe(1));
  expect((await host.ask(addedEvent)).fault?.kind).toBe("protocol");
});

test.each<[string, unknown]>([
  ["that are no list", "hi"],
  ["that are null", null],
  ["of which one is a text", ["hi"]],
  ["of another role", [{ role: "root", content: "hi" }]],
  ["with a number as content", [{ role: "user", content: 7 }]],
  ["with a part without a type", [{ role: "user", content: [{ text: "hi" }] }]],
  ["with a call without a function", [{ role: "assistant", content: null, tool_calls: [{ id: "1" }] }]],
  ["with an endless text", [{ role: "user", content: "x".repeat(9_000_000) }]],
  ["beyond all number", new Array(10_001).fill({ role: "user", content: "" })],
])("messages %s stop it", async (_, messages) => {
  const { host, state } = await start({
    onInit: ({ run }, post) => post({ ...readyMessage, run, handles: ["prefilled"] }),
    onEvent: (reply, post) => post({ ...reply, action: { type: "adjustPrefill", tokens: [], messages } }),
  });
  expect((await host.ask(prefilledEvent)).fault).toMatchObject({ kind: "protocol" });
  expect(state.kills).toBe(1);
});

test("of a message nothing but its fields is kept", async () => {
  const messages = [{ role: "user", content: "hi", __proto__: null, more: 1 }];
  const { host } = await start({
    onInit: ({ run }, post) => post({ ...readyMessage, run, handles: ["prefilled"] }),
    onEvent: (reply, post) => post({ ...reply, action: { type: "adjustPrefill", tokens: [], messages } }),
  });
  const { action } = await host.ask(prefilledEvent);
  expect(action).toEqual({ type: "adjustPrefill", tokens: [], messages: [{ role: "user", content: "hi" }] });
});
