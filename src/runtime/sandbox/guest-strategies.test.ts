/** The mask engine and the flows inside the real guest, in a Node thread. */
import { afterEach, expect, test } from "vitest";
import type { LoopEvent, ModHost } from "../../core/decoder/ports/mod-host.ts";
import { connectModHost } from "./port-mod-host.ts";
import { lettersTokenizer } from "./testing/letters.ts";
import { type NodeGuest, startNodeGuest } from "./testing/node-guest.ts";

const started: NodeGuest[] = [];
afterEach(() => {
  for (const guest of started.splice(0)) guest.kill();
});

async function start(source: string): Promise<ModHost> {
  const guest = startNodeGuest(source);
  started.push(guest);
  return connectModHost(guest, {
    name: "test",
    about: guest.compiled.about,
    seed: 1,
    tokenizerData: lettersTokenizer,
    deadlines: { load: 60_000, prefilled: 60_000, event: 60_000 },
    onKill: guest.kill,
  });
}

const row = Float32Array.from({ length: 29 }, (_, token) => Math.sin(token));
const at = (step: number) => ({ requestId: "r1", step }) as const;
const prefilled: LoopEvent = {
  ...at(0),
  type: "prefilled",
  tokens: [8, 9],
  messages: [
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "seen" }] },
  ],
  tools: [{ type: "function", function: { name: "look" } }],
  responseFormat: { type: "json_schema", json_schema: { name: "n", schema: { type: "object" } } },
  maxTokens: 50,
};
const forwardPass = (step: number): LoopEvent => ({
  ...at(step),
  type: "forwardPass",
  logits: row,
  hidden: false,
  emitted: [],
});
const sampled = (step: number, token: number): LoopEvent => ({
  ...at(step),
  type: "sampled",
  token,
  text: "",
  logprob: 0,
  hidden: false,
  emitted: [],
});
const added = (step: number, tokens: number[], source: "sampled" | "forced" = "sampled"): LoopEvent => ({
  ...at(step),
  type: "added",
  tokens,
  text: "",
  source,
  mod: source === "sampled" ? null : "test",
  isEos: false,
  hidden: false,
  emitted: [],
});

async function answers(host: ModHost, events: readonly LoopEvent[]): Promise<unknown[]> {
  const actions: unknown[] = [];
  for (const event of events) {
    const { action, fault } = await host.ask(event);
    expect(fault).toBeNull();
    actions.push(action);
  }
  return actions;
}

/** A mask of letters: a is token 1. */
const mask = (...tokens: number[]) => ({
  type: "adjustLogits",
  logits: { mask: Uint32Array.of(tokens.reduce((word, token) => word | (1 << token), 0)) },
});
const noop = { type: "noop" };

test("a self-prompt runs in the sandbox", async () => {
  const host = await start(`
import { selfPromptMod } from "midtoken/flow";
import { choices } from "midtoken/strategies";
export default selfPromptMod({ prompt: "q.", strategy: choices(["yes", "no"]), erase: "prompt" });
`);
  expect(
    await answers(host, [
      prefilled,
      forwardPass(0),
      added(2, [17, 28], "forced"),
      forwardPass(2),
      sampled(2, 14),
      added(3, [14]),
      added(4, [15], "forced"),
    ]),
  ).toEqual([
    noop,
    { type: "forceTokens", tokens: [17, 28], hidden: true },
    noop,
    mask(14, 25),
    noop,
    { type: "forceTokens", tokens: [15] },
    { type: "backtrack", count: 4, tokens: [14, 15] },
  ]);
});

test.each([
  ["regex", `regex(/[ab]c/)`, [1, 2]],
  ["chars", `chars("letters", { min: 1, max: 1 })`, Array.from({ length: 26 }, (_, letter) => letter + 1)],
  ["list", `list(choices(["a"]), { open: "x", separator: "y" })`, [24]],
  ["oneOf and seq", `oneOf(seq("a", "b"), "c")`, [1, 3]],
  ["grammar", `grammar('root ::= "d" | "e"')`, [4, 5]],
])("%s masks in the sandbox", async (_, strategy, tokens) => {
  const host = await start(`
import { mod } from "midtoken/mod";
import { chars, choices, constraintOf, grammar, list, oneOf, regex, seq } from "midtoken/strategies";
const strategy = ${strategy};
export default mod({
  forwardPass: (_, actions, tokenizer) => actions.adjustLogits({ mask: constraintOf(strategy, tokenizer).start.mask() }),
});
`);
  expect(await answers(host, [forwardPass(0)])).toEqual([mask(...tokens)]);
});

test("a strategy that cannot be made is the mod's fault, on its line", async () => {
  const host = await start(`
import { mod } from "midtoken/mod";
import { choices } from "midtoken/strategies";
const none = choices([]);
export default mod({ added: () => { none; } });
`);
  expect((await host.ask(prefilled)).fault).toMatchObject({
    kind: "threw",
    message: expect.stringContaining("the list is empty"),
    line: 4,
  });
});

test("the conversation's tool calls and schemas reach the mod", async () => {
  const host = await start(`
import { getSchemas, mod, toolCallPairs } from "midtoken/mod";
export default mod({
  added() { console.log(JSON.stringify([toolCallPairs(), getSchemas()])); },
});
`);
  await host.ask(prefilled);
  const { console } = await host.ask(added(1, [1]));
  expect(JSON.parse(console[0]?.text ?? "")).toEqual([
    [{ call: { id: "c1", type: "function", function: { name: "look", arguments: "{}" } }, answer: "seen" }],
    [{ type: "object" }, { type: "function", function: { name: "look" } }],
  ]);
});
