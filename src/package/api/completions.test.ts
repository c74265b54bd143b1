/** OpenAI's two calls over requests with scripted events: formats, order, errors, and cancellation. */
import { expect, test } from "vitest";
import type { EndError, FinishedRecord } from "../../core/trace/format/format.ts";
import { ApiError } from "./api-error.ts";
import type { ChatCompletionChunk } from "./chat-completion.ts";
import { createChatCompletions, createTextCompletions } from "./completions.ts";
import {
  type AnswerScript,
  finishedStreamEvent,
  scriptedStart,
  scriptedToken,
  textStreamEvent,
} from "./testing/scripted-start.ts";
import type { TextCompletion } from "./text-completion.ts";

const messages = [{ role: "user", content: "Hello" }] as const;
const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } } as const;
const usage = {
  prompt_tokens: 5,
  completion_tokens: 2,
  total_tokens: 7,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 0 },
  midtoken: { hidden_tokens: 1, forward_passes: 4 },
};

function chatOf(scripts: readonly AnswerScript[], mods: readonly string[] = []) {
  const scripted = scriptedStart(scripts, mods);
  return { ...scripted, chat: createChatCompletions(scripted.start) };
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    (error: unknown) => error,
  );

const deltas = (chunks: readonly ChatCompletionChunk[], choice = 0) =>
  chunks.flatMap(({ choices }) => choices.filter(({ index }) => index === choice));

test("a chat completion whole", async () => {
  const { chat } = chatOf([
    [
      textStreamEvent("Hel"),
      { type: "retract", length: 1 },
      textStreamEvent("y."),
      finishedStreamEvent({ text: "Hey." }),
    ],
  ]);
  expect(await chat.create({ model: "m/mod", messages })).toEqual({
    id: "chatcmpl-r1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m/mod",
    choices: [
      {
        index: 0,
        logprobs: null,
        finish_reason: "stop",
        message: { role: "assistant", content: "Hey.", refusal: null },
      },
    ],
    usage,
    midtoken: { request_ids: ["r1"] },
  });
});

test("a chat completion in pieces: the role first, the reason last, then the usage", async () => {
  const { chat } = chatOf([
    [
      textStreamEvent("He"),
      textStreamEvent("", []),
      textStreamEvent("y."),
      finishedStreamEvent({ text: "Hey.", reason: "length" }),
    ],
  ]);
  const stream = await chat.create({
    model: "m",
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(stream.requestIds).toEqual(["r1"]);
  const about = { id: "chatcmpl-r1", object: "chat.completion.chunk", created: 1_700_000_000, model: "m" };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...about,
    usage: null,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  });
  expect(await all(stream)).toEqual([
    { ...chunk({ role: "assistant", content: "" }), midtoken: { request_ids: ["r1"] } },
    chunk({ content: "He" }),
    chunk({ content: "y." }),
    chunk({}, "length"),
    { ...about, choices: [], usage },
  ]);
});

test("a stream says nothing of usage unless it is asked to, and what is taken back", async () => {
  const { chat } = chatOf([
    [
      textStreamEvent("Lily"),
      { type: "retract", length: 4 },
      textStreamEvent("Max"),
      finishedStreamEvent({ text: "Max" }),
    ],
  ]);
  const chunks = await all(
    await chat.create({ model: "m", messages, stream: true, midtoken: { retract: true } }),
  );
  expect(chunks.some((chunk) => "usage" in chunk)).toBe(false);
  expect(deltas(chunks).map(({ delta }) => delta)).toEqual([
    { role: "assistant", content: "" },
    { content: "Lily" },
    { midtoken: { retract: 4 } },
    { content: "Max" },
    {},
  ]);
});

test.each<[FinishedRecord["reason"], string]>([
  ["stop", "stop"],
  ["forced", "stop"],
  ["length", "length"],
  ["budget", "length"],
])("the reason %s is OpenAI's %s", async (reason, finish_reason) => {
  const { chat } = chatOf([[finishedStreamEvent({ reason })]]);
  expect((await chat.create({ model: "m", messages })).choices[0]).toMatchObject({ finish_reason });
});

test("tool calls", async () => {
  const script = [
    textStreamEvent("Let me look."),
    finishedStreamEvent({ reason: "tool_calls", toolCalls: [call] }),
  ];
  const whole = await chatOf([script]).chat.create({ model: "m", messages });
  expect(whole.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: { content: "Let me look.", tool_calls: [call] },
  });
  const silent = [finishedStreamEvent({ reason: "tool_calls", toolCalls: [call, call] })];
  const { message } = (await chatOf([silent]).chat.create({ model: "m", messages })).choices[0] ?? {};
  expect(message?.content).toBeNull();
  const { id, function: called } = call;
  const streamed: AnswerScript = [
    { type: "call", place: 0, id, name: called.name },
    { type: "callArguments", place: 0, text: called.arguments.slice(0, 3) },
    { type: "callArguments", place: 0, text: called.arguments.slice(3) },
    finishedStreamEvent({ reason: "tool_calls", toolCalls: [call] }),
  ];
  const chunks = await all(await chatOf([streamed]).chat.create({ model: "m", messages, stream: true }));
  expect(deltas(chunks).map(({ delta }) => delta)).toEqual([
    { role: "assistant", content: null },
    { tool_calls: [{ index: 0, id, type: "function", function: { name: called.name, arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: called.arguments.slice(0, 3) } }] },
    { tool_calls: [{ index: 0, function: { arguments: called.arguments.slice(3) } }] },
    {},
  ]);
});

test("an answer that was cut in a call has the whole calls, and says which call was cut", async () => {
  const list = [
    { id: "a", name: "look", arguments: '{"at":1}' },
    { id: "b", name: "look", arguments: '{"at' },
  ];
  const cut: AnswerScript = [finishedStreamEvent({ reason: "length" }, { list, cut: 1 })];
  const { message, finish_reason } =
    (await chatOf([cut]).chat.create({ model: "m", messages })).choices[0] ?? {};
  expect([finish_reason, message?.content, message?.midtoken]).toEqual([
    "length",
    null,
    { cut_tool_call: 1 },
  ]);
  expect(message?.tool_calls?.map(({ function: { arguments: written } }) => written)).toEqual(
    list.map((each) => each.arguments),
  );
  const chunks = await all(await chatOf([cut]).chat.create({ model: "m", messages, stream: true }));
  expect(deltas(chunks).at(-1)).toMatchObject({
    finish_reason: "length",
    delta: { midtoken: { cut_tool_call: 1 } },
  });
});

test("several choices: side by side, each with its seed, their prompt counted once", async () => {
  const scripts = [
    [textStreamEvent("a"), textStreamEvent("b"), textStreamEvent("c"), finishedStreamEvent({ text: "abc" })],
    [textStreamEvent("1"), textStreamEvent("2"), finishedStreamEvent({ text: "12", reason: "length" })],
  ];
  const { chat, plans } = chatOf(scripts);
  const chunks = await all(
    await chat.create({
      model: "m",
      messages,
      n: 2,
      seed: 7,
      stream: true,
      stream_options: { include_usage: true },
    }),
  );
  expect(plans.map(({ request }) => request.seed)).toEqual([7, 8]);
  const content = (choice: number) =>
    deltas(chunks, choice)
      .map(({ delta }) => delta.content ?? "")
      .join("");
  expect([content(0), content(1)]).toEqual(["abc", "12"]);
  expect(chunks.flatMap(({ midtoken }) => midtoken ?? [])).toEqual([{ request_ids: ["r1", "r2"] }]);
  const order = chunks.flatMap(({ choices }) => choices.map(({ index }) => index));
  // The second choice does not wait for the first one to end.
  expect(order.indexOf(1)).toBeLessThan(order.lastIndexOf(0));
  const both = {
    ...usage,
    completion_tokens: 4,
    total_tokens: 9,
    midtoken: { hidden_tokens: 2, forward_passes: 8 },
  };
  expect(chunks.at(-1)?.usage).toEqual(both);
  const whole = await chatOf(scripts).chat.create({ model: "m", messages, n: 2 });
  expect(whole.choices.map(({ message }) => message.content)).toEqual(["abc", "12"]);
  expect(whole.usage).toEqual(both);
});

const distribution = {
  entropy: 1,
  top: [
    { token: 1, text: "é", logprob: -0.5 },
    { token: 2, text: "e", logprob: Number.NEGATIVE_INFINITY },
    { token: 3, text: "é", logprob: -3 },
  ],
};

test("log-probabilities, also of a token that only begins a character", async () => {
  const tokens = [scriptedToken("", { logprob: null }), scriptedToken("é", { distribution })];
  const script = [
    textStreamEvent("é", tokens),
    textStreamEvent("", [scriptedToken("", { logprob: -1 })]),
    finishedStreamEvent({ text: "é" }),
  ];
  const { chat } = chatOf([script, script]);
  const request = { model: "m", messages, logprobs: true, top_logprobs: 2 } as const;
  const content = [
    { token: "", logprob: -9999, bytes: [], top_logprobs: [] },
    {
      token: "é",
      logprob: -0.5,
      bytes: [195, 169],
      top_logprobs: [
        { token: "é", logprob: -0.5, bytes: [195, 169] },
        { token: "e", logprob: -9999, bytes: [101] },
      ],
    },
    { token: "", logprob: -1, bytes: [], top_logprobs: [] },
  ];
  const whole = await chat.create(request);
  expect(whole.choices[0]?.logprobs).toEqual({ content, refusal: null });
  const chunks = await all(await chat.create({ ...request, stream: true }));
  expect(deltas(chunks).flatMap(({ logprobs }) => logprobs?.content ?? [])).toEqual(content);
});

test("a plain text, whole and in pieces", async () => {
  const script = [
    textStreamEvent("thé", [scriptedToken("th", { distribution }), scriptedToken("é")]),
    textStreamEvent("s"),
    finishedStreamEvent({ text: "thés" }),
  ];
  const { start, plans } = scriptedStart([script, script, script]);
  const completions = createTextCompletions(start);
  const request = { model: "m", prompt: "Once", logprobs: 3 } as const;
  const logprobs = {
    tokens: ["th", "é", "s"],
    token_logprobs: [-0.5, -0.5, -0.5],
    text_offset: [0, 2, 3],
    top_logprobs: [{ é: -0.5, e: -9999 }, {}, {}],
  };
  expect(await completions.create(request)).toEqual({
    id: "cmpl-r1",
    object: "text_completion",
    created: 1_700_000_000,
    model: "m",
    choices: [{ index: 0, text: "thés", logprobs, finish_reason: "stop" }],
    usage,
    midtoken: { request_ids: ["r1"] },
  });
  expect(plans[0]?.request).toMatchObject({ rawPrompt: true, messages: [{ role: "user", content: "Once" }] });
  const chunks = await all(await completions.create({ ...request, stream: true }));
  const parts = chunks.map(({ choices: [choice] }) => choice as TextCompletion["choices"][number]);
  expect(parts.map((part) => [part.text, part.finish_reason])).toEqual([
    ["thé", null],
    ["s", null],
    ["", "stop"],
  ]);
  expect(parts.flatMap((part) => part.logprobs?.text_offset ?? [])).toEqual([0, 2, 3]);
  const echoed = await all(
    await completions.create({ model: "m", prompt: "Once ", echo: true, stream: true }),
  );
  expect(echoed.map(({ choices }) => choices[0]?.text).join("")).toBe("Once thés");
});

test("of several prompts each counts", async () => {
  const script = [finishedStreamEvent()];
  const completions = createTextCompletions(scriptedStart([script, script, script, script]).start);
  const answer = await completions.create({ model: "m", prompt: ["One", "Two"], n: 2 });
  expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(answer.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 8, total_tokens: 18 });
});

const failed = (message: string, mod: number | null, code?: EndError["code"]) =>
  finishedStreamEvent({ reason: "error", error: { message, mod, ...(code && { code }) } });

test.each([
  [
    failed('The mod "good" failed in added().', 0, "mod_failed"),
    422,
    "mod_failed",
    'The mod "good" failed in added().',
  ],
  [failed("I give up.", 1), 422, "mod_failed", 'The mod "bad" ended the request: I give up.'],
  [failed("response_format: too early.", 2), 422, "format_not_kept", "response_format: too early."],
  [
    failed("The prompt has 9 tokens, but", null, "context_length_exceeded"),
    400,
    "context_length_exceeded",
    "The prompt has 9",
  ],
  // Only the code decides, not the words of the message.
  [failed("The prompt has no end.", null), 500, "engine_failed", "The prompt has no end."],
  [failed('I am "bad".', 1), 422, "mod_failed", 'The mod "bad" ended the request: I am "bad".'],
  [failed("The device was lost.", null), 500, "engine_failed", "The device was lost."],
  [finishedStreamEvent({ reason: "cancelled" }), 499, "request_cancelled", "The request r1 was cancelled."],
])("a request that fails: %#", async (event, status, code, message) => {
  const mods = ["good", "bad"];
  const isRight = { status, code, message: expect.stringContaining(message) };
  const request = { model: "m", messages };
  expect(await errorOf(chatOf([[textStreamEvent("a"), event]], mods).chat.create(request))).toMatchObject(
    isRight,
  );
  const stream = await chatOf([[textStreamEvent("a"), event]], mods).chat.create({
    ...request,
    stream: true,
  });
  const seen: ChatCompletionChunk[] = [];
  const reading = (async () => {
    for await (const chunk of stream) seen.push(chunk);
  })();
  expect(await errorOf(reading)).toMatchObject(isRight);
  expect(seen).toHaveLength(2);
  // If nothing came before the error, the stream sends nothing before it.
  const silent = await chatOf([[event]], mods).chat.create({ ...request, stream: true });
  expect(await errorOf(silent[Symbol.asyncIterator]().next() as Promise<unknown>)).toMatchObject(isRight);
});

test("a choice that fails ends the others", async () => {
  const refused = new ApiError("No.", { status: 400, type: "invalid_request_error", code: "invalid_value" });
  const { chat, cancelled } = chatOf([[textStreamEvent("a"), "wait"], [refused]]);
  expect(await errorOf(chat.create({ model: "m", messages, n: 2 }))).toBe(refused);
  expect(cancelled).toContain("r1");
});

test("a choice that cannot be started ends those that were", async () => {
  const { start, cancelled } = scriptedStart([["wait"], ["wait"]]);
  let count = 0;
  const missing = new ApiError("No such model.", {
    status: 404,
    type: "not_found_error",
    code: "model_not_found",
  });
  const chat = createChatCompletions(async (plan) => {
    if (count++ === 1) throw missing;
    return start(plan);
  });
  expect(await errorOf(chat.create({ model: "m", messages, n: 3 }))).toBe(missing);
  expect(cancelled).toEqual(["r1", "r2"]);
});

test("a signal ends a request before, while it is answered, and in its stream", async () => {
  const reason = new Error("enough");
  const before = chatOf([["wait"]]);
  expect(
    await errorOf(before.chat.create({ model: "m", messages }, { signal: AbortSignal.abort(reason) })),
  ).toBe(reason);
  expect(before.plans).toEqual([]);

  const during = chatOf([[textStreamEvent("a"), "wait"]]);
  const stop = new AbortController();
  const answer = errorOf(during.chat.create({ model: "m", messages }, { signal: stop.signal }));
  setTimeout(() => stop.abort(reason));
  expect(await answer).toBe(reason);
  expect(during.cancelled).toEqual(["r1"]);

  const streamed = chatOf([[textStreamEvent("a"), "wait"]]);
  const later = new AbortController();
  const stream = await streamed.chat.create({ model: "m", messages, stream: true }, { signal: later.signal });
  const reading = (async () => {
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === "a") later.abort(reason);
  })();
  expect(await errorOf(reading)).toBe(reason);
  expect(streamed.cancelled).toEqual(["r1"]);
});

test("who leaves a stream, or aborts it unread, cancels it", async () => {
  const left = chatOf([[textStreamEvent("a"), "wait"]]);
  for await (const _ of await left.chat.create({ model: "m", messages, stream: true })) break;
  expect(left.cancelled).toEqual(["r1"]);
  const unread = chatOf([[textStreamEvent("a"), "wait"]]);
  const stream = await unread.chat.create({ model: "m", messages, stream: true });
  stream.abort();
  expect(unread.cancelled).toEqual(["r1"]);
  expect(await errorOf(all(stream))).toMatchObject({ name: "AbortError" });
});

test("a request that ended is not cancelled", async () => {
  const { chat, cancelled } = chatOf([[textStreamEvent("a"), finishedStreamEvent({ text: "a" })]]);
  await chat.create({ model: "m", messages });
  expect(cancelled).toEqual([]);
});

test("options of OpenAI's client change nothing, and a misspelled one is refused", async () => {
  const { chat } = chatOf([[textStreamEvent("Hi"), finishedStreamEvent({ text: "Hi" })]]);
  const others = { timeout: 1, headers: {}, maxRetries: 0 };
  const answer = await chat.create({ model: "m", messages, stream: false }, others as object);
  expect(answer.choices[0]?.message.content).toBe("Hi");
  const wrong = { singal: new AbortController().signal };
  const refused = errorOf(chat.create({ model: "m", messages }, wrong as object));
  expect(await refused).toMatchObject({
    name: "TypeError",
    message: 'The options of this call: singal is not known. Did you mean "signal"?',
  });
});
