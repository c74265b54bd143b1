/** The engine's side with the real guest, in a Node thread. */
import { afterEach, expect, test } from "vitest";
import { Output } from "../../core/decoder/loop/output.ts";
import type { LoopEvent, ModHost } from "../../core/decoder/ports/mod-host.ts";
import { letterTokenizer } from "../../core/sdk/testing/letter-tokenizer.ts";
import { type Deadlines, defaultDeadlines } from "./deadlines.ts";
import { connectModHost } from "./port-mod-host.ts";
import { lettersTokenizer } from "./testing/letters.ts";
import { type NodeGuest, startNodeGuest } from "./testing/node-guest.ts";
import {
  addedEvent,
  createForwardPassEvent,
  prefilledEvent,
  sampleEventFields,
} from "./testing/sample-events.ts";

const started: NodeGuest[] = [];
afterEach(() => {
  for (const guest of started.splice(0)) guest.kill();
});

interface Options {
  readonly seed?: number;
  readonly deadlines?: Partial<Deadlines>;
  readonly entry?: string;
}

/** A generous deadline for tests that are not about time, because this machine may be busy. */
const patient = { load: 60_000, prefilled: 60_000, event: 60_000 };

async function start(source: string, { seed = 1, deadlines = patient, entry }: Options = {}) {
  const guest = startNodeGuest(source);
  started.push(guest);
  const state = { kills: 0 };
  const host = await connectModHost(guest, {
    name: "test",
    about: guest.compiled.about,
    seed,
    tokenizerData: lettersTokenizer,
    deadlines,
    ...(entry && { entry }),
    onKill() {
      state.kills += 1;
      guest.kill();
    },
  });
  return { host, state };
}

const forwardPass = createForwardPassEvent(29);
const row = forwardPass.logits;

const withMod = (handlers: string) =>
  `import { mod } from "midtoken/mod";\nexport default mod({\n${handlers}\n});\n`;

async function logged(host: ModHost, event: LoopEvent): Promise<unknown> {
  const reply = await host.ask(event);
  expect(reply.fault).toBeNull();
  return reply.console.map(({ text }) => text);
}

test("a mod answers with its actions, and gets the events it handles alone", async () => {
  const { host } = await start(
    withMod(`added(event, actions) {
    console.log(event.text, event.forced, event.step);
    return actions.forceTokens(event.text === "ab" ? "cd." : "x");
  },`),
  );
  expect([...host.handles]).toEqual(["added"]);
  expect(await host.ask(addedEvent)).toEqual({
    action: { type: "forceTokens", tokens: [3, 4, 28], heal: true },
    fault: null,
    console: [{ level: "log", text: "ab false 3" }],
    line: 5,
  });
});

test.each([
  ["noop()", { type: "noop" }],
  ["backtrack(2, 'a')", { type: "backtrack", count: 2, tokens: [1] }],
  ["backtrack(1)", { type: "backtrack", count: 1 }],
  ["backtrack(1, 'a', { hidden: true })", { type: "backtrack", count: 1, tokens: [1], hidden: true }],
  ["forceTokens('a', { hidden: true })", { type: "forceTokens", tokens: [1], hidden: true }],
  ["forceOutput([5])", { type: "forceOutput", tokens: [5] }],
  ["error('no')", { type: "error", message: "no" }],
  [
    "toolCalls({ name: 'f', arguments: { a: 1 } })",
    {
      type: "toolCalls",
      calls: [{ id: "", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
    },
  ],
])("%s arrives as it was built", async (call, action) => {
  const { host } = await start(withMod(`added: (_, actions) => actions.${call},`));
  expect(await host.ask(addedEvent)).toMatchObject({ action, fault: null });
});

test.each([
  ["adjustPrefill('ab', { maxSteps: 3 })", { type: "adjustPrefill", tokens: [1, 2], maxSteps: 3 }],
  ["adjustPrefill([4])", { type: "adjustPrefill", tokens: [4] }],
  [
    "adjustPrefill({ replace: ['hi', 'bye'] })",
    { type: "adjustPrefill", tokens: [], messages: [{ role: "user", content: "bye" }] },
  ],
  ["adjustPrefill({ replace: ['nowhere', 'bye'] })", { type: "noop" }],
  [
    "adjustPrefill({ messages: [{ role: 'tool', content: [{ type: 'text', text: 'a' }], tool_call_id: 'c' }] })",
    {
      type: "adjustPrefill",
      tokens: [],
      messages: [{ role: "tool", content: [{ type: "text", text: "a" }], tool_call_id: "c" }],
    },
  ],
])("%s arrives as it was built", async (call, action) => {
  const { host } = await start(withMod(`prefilled: (_, actions) => actions.${call},`));
  expect(await host.ask(prefilledEvent)).toMatchObject({ action, fault: null });
});

test("a rule for logits arrives as a rule", async () => {
  const { host } = await start(
    withMod(
      `forwardPass: (_, actions) => actions.adjustLogits({ ban: [3], only: [1, 3, 4], add: { 4: -0.5, 1: -Infinity } }, { temperature: 0 }),`,
    ),
  );
  expect(await host.ask(forwardPass)).toMatchObject({
    action: {
      type: "adjustLogits",
      logits: { ban: [3], only: [1, 3, 4], add: { 1: Number.NEGATIVE_INFINITY, 4: -0.5 } },
      temperature: 0,
    },
  });
});

test("a mask arrives as it was, again and again, and the mod keeps it", async () => {
  const { host } = await start(
    withMod(
      `forwardPass: (_, actions) => actions.adjustLogits({ mask, ban: [3] }, { temperature: 0 }),`,
    ).replace("export", "const mask = new Uint32Array([4, 10, 0]).subarray(1, 2);\nexport"),
  );
  for (let time = 0; time < 2; time++) {
    const { action, fault } = await host.ask(forwardPass);
    expect(fault).toBeNull();
    expect(action).toEqual({
      type: "adjustLogits",
      logits: { mask: Uint32Array.of(10), ban: [3] },
      temperature: 0,
    });
  }
});

test("the output is sent to a mod that reads it: what changed since it was sent it before", async () => {
  const source = withMod(
    `forwardPass({ output }) { console.log(output.text, output.tokens.length, output.lastTokensWith("de")?.count); },`,
  );
  const { host } = await start(source);
  const output = new Output([1], letterTokenizer);
  output.append([1, 2], "sampled");
  // The mod handles no other event, so its next event contains what happened meanwhile.
  expect(await logged(host, { ...forwardPass, emitted: output.emitted })).toEqual(["ab 2 undefined"]);
  output.append([3], "sampled");
  output.remove(2);
  output.append([4, 5], "forced");
  expect(await logged(host, { ...forwardPass, emitted: output.emitted })).toEqual(["ade 3 2"]);
  const blind = await start(withMod(`forwardPass(event) { console.log(event["out" + "put"]); },`));
  expect((await blind.host.ask(forwardPass)).fault?.message).toContain("event.output was not sent");
});

test("the most likely tokens are sent, and nothing more unless the mod reads it", async () => {
  const { host } = await start(
    withMod(
      `topK: 2, forwardPass(event) { console.log(JSON.stringify(event.topK(2).map((t) => t.token))); event["log" + "its"]; },`,
    ),
  );
  const order = Array.from(row.keys()).sort((a, b) => (row[b] ?? 0) - (row[a] ?? 0));
  const reply = await host.ask(forwardPass);
  expect(reply.console[0]?.text).toBe(JSON.stringify(order.slice(0, 2)));
  expect(reply.fault).toMatchObject({
    kind: "threw",
    message: expect.stringContaining("logits: true"),
    line: 3,
  });
});

test.each([
  [
    "few entries",
    "l[3] = 9; l[4] = -Infinity",
    (token: number) => {
      if (token === 3) return 9;
      return token === 4 ? -Infinity : row[token];
    },
  ],
  ["all entries", "for (let i = 0; i < l.length; i++) l[i] = i", (token: number) => token],
])("logits come back whole after an edit of %s", async (_, edit, expected) => {
  const { host } = await start(
    withMod(
      `forwardPass(event, actions) { const l = event.logits; ${edit}; return actions.adjustLogits(l); },`,
    ),
  );
  const before = row.slice();
  const { action } = await host.ask(forwardPass);
  expect(action).toEqual({
    type: "adjustLogits",
    logits: Float32Array.from(row.keys(), (token) => expected(token) as number),
  });
  expect(row).toEqual(before);
});

test("NaN among logits is the mod's mistake, told with token and line", async () => {
  const { host } = await start(
    withMod(
      `forwardPass(event, actions) {\nevent.logits[7] = NaN;\nreturn actions.adjustLogits(event.logits); },`,
    ),
  );
  expect((await host.ask(forwardPass)).fault).toMatchObject({
    kind: "invalid-action",
    message: expect.stringContaining("token 7 is NaN"),
    line: 5,
  });
});

test("what a mod throws comes with its place in the editor's text", async () => {
  const { host, state } = await start(
    withMod(
      `added(event) {\n  const wrong: string = null as unknown as string;\n  return wrong.length as never;\n},`,
    ),
  );
  const { fault } = await host.ask(addedEvent);
  expect(fault).toMatchObject({
    kind: "threw",
    line: 5,
    column: 16,
    message: expect.stringMatching(/TypeError: .*null/),
  });
  expect(fault?.stack).toMatch(/^ {4}at .*test\.ts:5:16\)?$/);
  expect(state.kills).toBe(0);
});

test.each([
  ["1048577 tokens; the limit is 1048576", "adjustPrefill(new Array(1_048_577).fill(1))"],
  [
    "9000000 characters; the limit is 8388608",
    "adjustPrefill({ messages: new Array(9).fill({ role: 'user', content: 'x'.repeat(1_000_000) }) })",
  ],
  [
    "10001 messages; the limit is 10000",
    "adjustPrefill({ messages: new Array(10_001).fill({ role: 'user', content: '' }) })",
  ],
])("a prompt of %s: refused with its size, and the mod continues", async (size, call) => {
  const { host, state } = await start(withMod(`prefilled: (_, actions) => actions.${call},`));
  expect((await host.ask(prefilledEvent)).fault).toMatchObject({
    kind: "invalid-action",
    message: `"adjustPrefill" at "prefilled": the prompt has ${size}: shorten it.`,
  });
  expect(state.kills).toBe(0);
});

test("an action that the event does not allow is named, at its line", async () => {
  const { host } = await start(
    `import { mod } from "midtoken/mod";\nexport default mod((event, actions) => {\n  return actions.adjustPrefill([1]);\n});`,
  );
  expect((await host.ask(addedEvent)).fault).toMatchObject({
    kind: "invalid-action",
    message: expect.stringContaining('"adjustPrefill" is not allowed at "added"'),
    line: 3,
  });
});

test.each([
  ["throws", `throw new RangeError("no");`, { kind: "threw", message: "RangeError: no", line: 1, column: 7 }],
  ["has no mod", `export const a = 1;`, { kind: "threw", message: expect.stringContaining("default mod") }],
  [
    "is not JavaScript",
    `const a = 1;\nlet a = 2;`,
    { kind: "threw", message: expect.stringMatching(/SyntaxError: .*'a'/), line: 2 },
  ],
  [
    "requires another module",
    `export default require("fs");`,
    { message: expect.stringContaining('"fs" cannot be imported') },
  ],
])("a file that %s is a fault at prefilled", async (_, source, fault) => {
  const { host } = await start(source);
  expect([...host.handles]).toEqual(["prefilled"]);
  expect(await host.ask(prefilledEvent)).toMatchObject({ fault });
});

test.each([
  ["in a handler", withMod(`added() { for (;;) {} },`), addedEvent],
  ["after an await", withMod(`async added() { for (;;) await null; },`), addedEvent],
  ["that never answers", withMod(`added: () => new Promise(() => undefined),`), addedEvent],
  ["at the top", `for (;;) {}`, prefilledEvent],
])("a mod that loops %s is stopped for good", async (_, source, event) => {
  const load = source.startsWith("for") ? 1_000 : 60_000;
  const { host, state } = await start(source, { deadlines: { load, prefilled: 100, event: 100 } });
  expect((await host.ask(event)).fault).toMatchObject({
    kind: "timeout",
    message: expect.stringContaining(" ms"),
  });
  expect(state.kills).toBe(1);
  expect((await host.ask(event)).fault?.kind).toBe("timeout");
  host.dispose();
  expect(state.kills).toBe(1);
});

test("a mod that never finishes loading is given two seconds, and its tokenizer does not count", async () => {
  expect(defaultDeadlines.load).toBe(2_000);
  const { host } = await start(`for (;;) {}`, { deadlines: { load: 50 } });
  expect((await host.ask(prefilledEvent)).fault).toMatchObject({
    kind: "timeout",
    message: 'The mod "test" did not load within 50 ms and was stopped.',
  });
});

test("the export that the request names runs", async () => {
  const source = `import { mod } from "midtoken/mod";
export default mod({ added: () => console.log("default") });
export const loud = mod({ added: () => console.log("loud") });`;
  const { host } = await start(source, { entry: "loud" });
  expect(await logged(host, addedEvent)).toEqual(["loud"]);
  const { host: missing } = await start(source, { entry: "quiet" });
  expect((await missing.ask(prefilledEvent)).fault?.message).toMatch(
    /no mod "quiet"\. It exports default, loud/,
  );
});

test("a guest that vanishes is a crash", async () => {
  const { host } = await start(withMod(`added: () => new Promise(() => undefined),`));
  const asked = host.ask(addedEvent);
  started[0]?.kill();
  expect((await asked).fault).toMatchObject({ kind: "crashed" });
});

test("the same seed gives the same numbers and times, another seed others", async () => {
  const source = `const first = [Math.random(), Date.now()];\n${withMod(
    `added() { console.log(first, Math.random(), Date.now(), new Date().getTime(), Date(), new Date().toLocaleDateString()); },`,
  )}`;
  const lines = await Promise.all(
    [7, 7, 8].map(async (seed) => {
      const { host } = await start(source, { seed });
      return [await logged(host, addedEvent), await logged(host, addedEvent)];
    }),
  );
  expect(lines[0]).toEqual(lines[1]);
  expect(lines[0]).not.toEqual(lines[2]);
  expect(lines[0]?.[0]).not.toEqual(lines[0]?.[1]);
  expect(String(lines[0]?.[0])).toContain("2000");
});

test("request state and the conversation are there", async () => {
  const { host } = await start(
    `import { mod, requestState, getConversation } from "midtoken/mod";
const count = requestState(() => 0);
export default mod({ added() { count.current++; console.log(count.current, getConversation()[0].content); } });`,
  );
  expect([...host.handles].sort()).toEqual(["added", "finished", "prefilled"]);
  await host.ask(prefilledEvent);
  expect(await logged(host, addedEvent)).toEqual(["1 hi"]);
  expect(await logged(host, addedEvent)).toEqual(["2 hi"]);
});

test("console lines of loading and of stray promises come with the next reply; a flood of them is cut", async () => {
  const { host } = await start(
    `console.warn("at the top", { a: [1, new Map([[1, "x"]])] });\n${withMod(
      `added() { Promise.reject(new Error("stray")); for (let i = 0; i < 5000; i++) console.log("x".repeat(1000)); },
    sampled() {},`,
    )}`,
  );
  const first = await host.ask(addedEvent);
  expect(first.console[0]).toEqual({ level: "warn", text: 'at the top {a: [1, Map {1 => "x"}]}' });
  expect(first.console.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(66_000);
  expect(first.console.at(-1)?.text).toMatch(/left out/);
  const second = await host.ask({
    ...sampleEventFields,
    type: "sampled",
    token: 1,
    text: "a",
    logprob: -1,
    hidden: false,
    emitted: [],
  });
  expect(second.console).toEqual([]);
});

test("names of the browser and of Node are gone, and code cannot be made from text", async () => {
  const names =
    "fetch setTimeout process require performance crypto WebAssembly SharedArrayBuffer Atomics WeakRef eval postMessage importScripts self addEventListener structuredClone Temporal navigator midtokenDefine";
  const { host } = await start(
    withMod(`added() {
    console.log(${JSON.stringify(names.split(" "))}.filter((name) => name in globalThis));
    for (const make of [Function, (() => {}).constructor, (async () => {}).constructor, (function* () {}).constructor, (async function* () {}).constructor]) {
      try { make("return 1")(); console.log("made"); } catch (error) { console.log(error.name); }
    }
    console.log((() => {}) instanceof Function);
  },`),
  );
  expect(await logged(host, addedEvent)).toEqual(["[]", ...Array(5).fill("EvalError"), "true"]);
});

const scores =
  'import { mod } from "midtoken/mod"; export default mod({ async added(event, actions) { BODY } });';

test("scores are asked of the engine, in their order, and what is no continuation is refused in the guest", async () => {
  const { host } = await start(
    scores.replace(
      "BODY",
      `const all = await Promise.all([event.score(["ab", [3]]), event.score(["c"])]);
       for (const wrong of [[], [""], [7], ["a".repeat(257)], [[-1]], Array(65).fill("a")])
         await event.score(wrong).catch((error) => console.log(error.message));
       await event.score(["bad"]).catch((error) => console.log(error.message));
       return actions.forceTokens(all[0].map((logprob) => -logprob));`,
    ),
  );
  const asked: unknown[] = [];
  const reply = await host.ask(addedEvent, async (continuations) => {
    asked.push(continuations);
    if (asked.length === 3) throw new RangeError("There is no room.");
    return continuations.map((_, place) => -1 - place);
  });
  expect(reply).toMatchObject({ fault: null, action: { type: "forceTokens", tokens: [1, 2] } });
  expect(asked).toHaveLength(3);
  expect(asked[0]).toEqual([letterTokenizer.encode("ab"), [3]]);
  expect(reply.console.map(({ text }) => text.slice(0, 40))).toMatchObject({
    length: 7,
    6: "There is no room.",
  });
});

test("time in which the model scores is not the mod's, and a call after the handler's end is refused", async () => {
  const { host } = await start(
    scores.replace(
      "BODY",
      'if (globalThis.late) return globalThis.late().catch((error) => { console.log(error.message); }); await event.score(["a"]); globalThis.late = () => event.score(["a"]);',
    ),
    { deadlines: { ...defaultDeadlines, load: 60_000, event: 600 } },
  );
  const slowly = () => new Promise<readonly number[]>((resolve) => setTimeout(() => resolve([-1]), 1_000));
  expect(await host.ask(addedEvent, slowly)).toMatchObject({ fault: null });
  const late = await host.ask(addedEvent, async () => [-1]);
  expect(late.console.map(({ text }) => text)).toEqual([
    "score(…) was called after the handler had returned: await it before you return.",
  ]);
});

test("the reply waits for a call that the handler did not wait for", async () => {
  const { host } = await start(scores.replace("BODY", 'event.score(["a"]);'));
  let isScored = false;
  await host.ask(addedEvent, async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    isScored = true;
    return [-1];
  });
  expect(isScored).toBe(true);
});
