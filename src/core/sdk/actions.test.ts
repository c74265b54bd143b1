import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ActionType, allowedActions, InvalidActionError } from "./action.ts";
import { type AllActions, actionOriginOf, createActionBuilders } from "./actions.ts";
import { type EventType, eventTypes } from "./event.ts";
import { letterTokenizer } from "./testing/letter-tokenizer.ts";

const actionsAt = (event: EventType, step = 3): AllActions =>
  createActionBuilders({
    event,
    step,
    tokenizer: letterTokenizer,
    activations: { layers: [1], sizes: { layerCount: 2, hiddenSize: 3 } },
  });

/** A valid call of every builder. */
const rightCalls: { readonly [Type in ActionType]: (actions: AllActions) => unknown } = {
  noop: (actions) => actions.noop(),
  adjustPrefill: (actions) => actions.adjustPrefill("abc", { maxSteps: 9 }),
  adjustLogits: (actions) => actions.adjustLogits({ ban: [1] }, { temperature: 0 }),
  forceTokens: (actions) => actions.forceTokens("abc"),
  backtrack: (actions) => actions.backtrack(2, "z"),
  forceOutput: (actions) => actions.forceOutput("abc"),
  toolCalls: (actions) => actions.toolCalls({ name: "search" }),
  steer: (actions) => actions.steer({ layer: 1, vector: [1, 2, 3] }),
  patch: (actions) => actions.patch({ layer: 1, vector: [1, 2, 3] }),
  error: (actions) => actions.error("No."),
};

test("docs/mods.md names each action", () => {
  const guide = readFileSync("docs/mods.md", "utf8");
  const named = (action: string) => guide.includes(`actions.${action}`) || guide.includes(`\`${action}`);
  expect(Object.keys(rightCalls).filter((action) => !named(action))).toEqual([]);
});

describe("every event with every action", () => {
  const pairs = eventTypes.flatMap((event) =>
    (Object.keys(rightCalls) as ActionType[]).map((action) => ({ event, action })),
  );
  test.each(pairs)("$event: $action", ({ event, action }) => {
    const build = () => rightCalls[action](actionsAt(event));
    if ((allowedActions[event] as readonly ActionType[]).includes(action)) {
      const built = build();
      expect(built).toMatchObject({ type: action });
      expect(Object.isFrozen(built)).toBe(true);
      expect(actionOriginOf(built)?.event).toBe(event);
    } else {
      expect(build).toThrow(InvalidActionError);
      expect(build).toThrow(`"${action}" is not allowed at "${event}"`);
    }
  });
});

describe("what the builders give", () => {
  const at = (event: EventType) => actionsAt(event);
  const rows: readonly [string, () => unknown, unknown][] = [
    [
      "text is encoded",
      () => at("added").forceTokens("ab"),
      { type: "forceTokens", tokens: [1, 2], heal: true },
    ],
    [
      "a text whose tokens stay",
      () => at("added").forceTokens("ab", { heal: false }),
      { type: "forceTokens", tokens: [1, 2] },
    ],
    [
      "tokens are hidden",
      () => at("added").forceTokens("a", { hidden: true }),
      { type: "forceTokens", tokens: [1], hidden: true, heal: true },
    ],
    [
      "tokens in place of others are hidden",
      () => at("added").backtrack(1, "a", { hidden: true }),
      { type: "backtrack", count: 1, tokens: [1], hidden: true, heal: true },
    ],
    [
      "the token of a step is hidden",
      () => at("forwardPass").adjustLogits({}, { hidden: true }),
      { type: "adjustLogits", logits: {}, hidden: true },
    ],
    ["tokens are copied", () => at("added").forceTokens([3]), { type: "forceTokens", tokens: [3] }],
    [
      "typed arrays are tokens too",
      () => at("added").forceOutput(new Int32Array([3, 4])),
      { type: "forceOutput", tokens: [3, 4] },
    ],
    ["an empty output", () => at("added").forceOutput(""), { type: "forceOutput", tokens: [] }],
    ["backtrack alone", () => at("sampled").backtrack(1), { type: "backtrack", count: 1 }],
    ["backtrack nothing", () => at("sampled").backtrack(0), { type: "backtrack", count: 0 }],
    [
      "backtrack and replace",
      () => at("added").backtrack(3, "c"),
      { type: "backtrack", count: 3, tokens: [3], heal: true },
    ],
    [
      "a new prompt and limit",
      () => at("prefilled").adjustPrefill("a", { maxSteps: 5 }),
      { type: "adjustPrefill", tokens: [1], maxSteps: 5, heal: true },
    ],
    [
      "a sparse edit",
      () => at("forwardPass").adjustLogits({ ban: [1], only: [1, 2], add: { 2: -1.5 } }),
      { type: "adjustLogits", logits: { ban: [1], only: [1, 2], add: { 2: -1.5 } } },
    ],
    [
      "a mask, as it is",
      () => at("forwardPass").adjustLogits({ mask: Uint32Array.of(1 << 28) }),
      { type: "adjustLogits", logits: { mask: Uint32Array.of(1 << 28) } },
    ],
    [
      "texts stand for tokens",
      () => at("forwardPass").adjustLogits({ ban: ["b", 9], add: { cd: 2 } }),
      { type: "adjustLogits", logits: { ban: [2, 9], add: { 3: 2 } } },
    ],
    [
      "a ban by adding",
      () => at("forwardPass").adjustLogits({ add: { 2: Number.NEGATIVE_INFINITY } }),
      { type: "adjustLogits", logits: { add: { 2: Number.NEGATIVE_INFINITY } } },
    ],
    [
      "temperature alone, 0 included",
      () => at("forwardPass").adjustLogits({}, { temperature: 0 }),
      { type: "adjustLogits", logits: {}, temperature: 0 },
    ],
    [
      "all logits from a plain list",
      () => at("forwardPass").adjustLogits(new Array(29).fill(1)),
      { type: "adjustLogits", logits: new Float32Array(29).fill(1) },
    ],
    [
      "OpenAI's tool call, object arguments as JSON text",
      () =>
        at("added").toolCalls([
          { id: "x", type: "function", function: { name: "f", arguments: { a: [1, "é"] } } },
        ]),
      {
        type: "toolCalls",
        calls: [{ id: "x", type: "function", function: { name: "f", arguments: '{"a":[1,"é"]}' } }],
      },
    ],
    [
      "a short tool call, text arguments as they are",
      () => at("prefilled").toolCalls({ id: "y", name: "g", arguments: '{ "b": 1 }' }),
      {
        type: "toolCalls",
        calls: [{ id: "y", type: "function", function: { name: "g", arguments: '{ "b": 1 }' } }],
      },
    ],
    [
      "a tool call without arguments and id, which the engine fills",
      () => at("prefilled").toolCalls({ function: { name: "g" } }),
      { type: "toolCalls", calls: [{ id: "", type: "function", function: { name: "g", arguments: "{}" } }] },
    ],
    ["an error", () => at("finished").noop(), { type: "noop" }],
  ];
  test.each(rows)("%s", (_, build, expected) => {
    expect(build()).toEqual(expected);
  });

  test("the author's own logits go through without a copy", () => {
    const logits = new Float32Array(29);
    expect(at("forwardPass").adjustLogits(logits).logits).toBe(logits);
  });

  test("an action remembers the line that built it", () => {
    expect(actionOriginOf(at("added").forceTokens("a"))?.builtAt?.stack).toContain("actions.test.ts");
  });
});

describe("wrong arguments are refused at the author's line, with value and cure", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  // Plain JavaScript could pass these arguments; the types refuse most of them.
  type Loose = Record<ActionType, (...values: unknown[]) => unknown>;
  const rows: readonly [EventType, (actions: Loose) => unknown, string][] = [
    ["added", (is) => is.forceTokens(5), "the tokens are 5: give a list of tokens or a text"],
    ["added", (is) => is.forceTokens(Promise.resolve([1])), "a promise (await it first)"],
    [
      "added",
      (is) => is.forceTokens([1, 29]),
      "tokens[1] is 29, which is not a token: give whole numbers from 0 to 28",
    ],
    ["added", (is) => is.forceTokens([-1]), "tokens[0] is -1"],
    ["added", (is) => is.forceTokens([1.5]), "tokens[0] is 1.5"],
    ["added", (is) => is.forceTokens(["a"]), 'tokens[0] is "a"'],
    ["added", (is) => is.forceTokens([undefined]), "tokens[0] is undefined"],
    ["added", (is) => is.forceTokens(""), "return actions.noop() to force nothing"],
    ["added", (is) => is.forceTokens("a", { hidden: 1 }), "hidden is 1: give true or false"],
    ["added", (is) => is.forceTokens("a", { hide: true }), "hide"],
    ["added", (is) => is.backtrack(1, "a", { hidden: "yes" }), 'hidden is "yes": give true or false'],
    ["prefilled", (is) => is.adjustPrefill([]), "a prompt needs at least one"],
    [
      "prefilled",
      (is) => is.adjustPrefill([{ role: "user", content: "a" }]),
      "the prompt is a list of messages: give { messages: list }.",
    ],
    [
      "prefilled",
      (is) => is.adjustPrefill("a", { maxSteps: 0 }),
      "maxSteps is 0: give a whole number of at least 1",
    ],
    [
      "prefilled",
      (is) => is.adjustPrefill("a", { maxStep: 4 }),
      'the options has no "maxStep". Did you mean "maxSteps"?',
    ],
    ["prefilled", (is) => is.adjustPrefill("a", 4), "the options are 4: give { maxSteps, heal }"],
    ["added", (is) => is.backtrack("2"), 'the count is "2": give a whole number of at least 0'],
    ["added", (is) => is.backtrack(-1), "the count is -1"],
    ["added", (is) => is.backtrack(Number.NaN), "the count is NaN"],
    [
      "added",
      (is) => is.backtrack(4),
      "the count is 4, but the number of output tokens is 3: the prompt cannot be removed",
    ],
    ["forwardPass", (is) => is.adjustLogits(undefined), "the logits are undefined"],
    [
      "forwardPass",
      (is) => is.adjustLogits(new Float32Array(3)),
      "the logits have 3 entries, but the vocabulary has 29",
    ],
    [
      "forwardPass",
      (is) => is.adjustLogits({ bann: [1] }),
      'a logits edit has no "bann". Did you mean "ban"?',
    ],
    [
      "forwardPass",
      (is) => is.adjustLogits({ ban: 4 }),
      "ban is 4: give a list of tokens and texts, or a text",
    ],
    ["forwardPass", (is) => is.adjustLogits({ ban: [1, ""] }), '"ban" has an empty text'],
    ["forwardPass", (is) => is.adjustLogits({ ban: [undefined] }), "ban[0] is undefined"],
    ["forwardPass", (is) => is.adjustLogits({ only: [] }), '"only" is empty'],
    [
      "forwardPass",
      (is) => is.adjustLogits({ mask: [1] }),
      "mask is a list of 1: give a Uint32Array of length 1",
    ],
    ["forwardPass", (is) => is.adjustLogits({ mask: new Int32Array(1) }), "mask is a list of 1"],
    [
      "forwardPass",
      (is) => is.adjustLogits({ mask: new Uint32Array(2) }),
      "the mask is a Uint32Array of length 2, but the vocabulary has 29 tokens: give length 1",
    ],
    ["forwardPass", (is) => is.adjustLogits({ mask: new Uint32Array(1) }), "the mask allows no token"],
    [
      "forwardPass",
      (is) => is.adjustLogits({ mask: Uint32Array.of(0b111 << 29) }),
      "the mask allows no token",
    ],
    ["forwardPass", (is) => is.adjustLogits({ add: { "": 1 } }), "add has an empty text"],
    ["forwardPass", (is) => is.adjustLogits({ add: { 1: Number.NaN } }), "add[1] is NaN"],
    ["forwardPass", (is) => is.adjustLogits({ add: { 1: Number.POSITIVE_INFINITY } }), "add[1] is Infinity"],
    ["forwardPass", (is) => is.adjustLogits({ add: [1] }), "add is a list of 1"],
    ["forwardPass", (is) => is.adjustLogits({}, { temperature: -1 }), "temperature is -1"],
    ["forwardPass", (is) => is.adjustLogits({}, { temperature: 1001 }), "token) to 1000."],
    ["forwardPass", (is) => is.adjustLogits({}, { temperature: "hot" }), 'temperature is "hot"'],
    ["added", (is) => is.toolCalls([]), "there are no calls"],
    ["added", (is) => is.toolCalls("f"), 'call 0 is "f": give { name, arguments }'],
    ["added", (is) => is.toolCalls({}), "call 0 names no function"],
    ["added", (is) => is.toolCalls([{ name: "f" }, { name: "" }]), "call 1 names no function"],
    ["added", (is) => is.toolCalls({ id: 4, name: "f" }), "the id of call 0 is 4"],
    ["added", (is) => is.toolCalls({ name: "f", arguments: 4 }), "the arguments of call 0 are 4"],
    [
      "added",
      (is) => is.toolCalls({ name: "f", arguments: cyclic }),
      "the arguments of call 0 cannot be converted to JSON",
    ],
    ["added", (is) => is.error(""), 'the message is "": give a sentence'],
    ["added", (is) => is.error(new Error("x")), "the message is an object"],
  ];
  test.each(rows)("%s, %s", (event, call, sentence) => {
    const build = () => call(actionsAt(event) as unknown as Loose);
    expect(build).toThrow(InvalidActionError);
    expect(build).toThrow(sentence);
  });
});
