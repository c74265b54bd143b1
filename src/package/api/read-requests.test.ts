/** The body of a request becomes a request to the engine, or an error that names the field. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultSampling } from "../../core/base/sampling.ts";
import { banningModSource } from "../../core/sdk/banned-strings.ts";
import { largestSource } from "../../runtime/sandbox/compiled-mod.ts";
import { ApiError } from "./api-error.ts";
import { readChatRequest } from "./read-chat-request.ts";
import { readTextRequest } from "./read-text-request.ts";
import { readResponseRequest } from "./responses/read-request.ts";
import { ResponseStore } from "./responses/response-store.ts";
import { MemoryStore } from "./store/memory-store.ts";
import { refusalCases, validRequestBodies } from "./testing/refusals.ts";

const earlier = await new ResponseStore(new MemoryStore()).earlierOf({});
const readers = {
  chat: readChatRequest,
  text: readTextRequest,
  responses: (body: unknown) => readResponseRequest(body, earlier),
};

function refused(call: keyof typeof readers, fields: object): ApiError {
  try {
    readers[call]({ model: "m", ...validRequestBodies[call], ...fields });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("It was not refused.");
}

const chat = (fields: object) => readChatRequest({ model: "m", ...validRequestBodies.chat, ...fields });
const firstOf = (fields: object) => chat(fields).requests[0]?.request;

describe("unknown fields of messages", () => {
  const messages = [
    { role: "user", content: "Once", mood: "glad" },
    { role: "assistant", content: "upon", audio: { id: "a" }, reaction: 1 },
  ];
  const ignored = (unknown_message_fields: string) => ({ messages, midtoken: { unknown_message_fields } });

  test("are refused by default, and with unknown_message_fields: refuse", () => {
    for (const fields of [{ messages }, ignored("refuse")])
      expect(refused("chat", fields)).toMatchObject({
        param: "messages[0].mood",
        code: "unknown_parameter",
      });
  });

  test("are left out with unknown_message_fields: ignore; wrong values of known fields are refused", () => {
    expect(firstOf(ignored("ignore"))?.messages).toEqual([
      { role: "user", content: "Once" },
      { role: "assistant", content: "upon" },
    ]);
    const wrong = { ...ignored("ignore"), messages: [{ role: "user", content: 5 }] };
    expect(refused("chat", wrong)).toMatchObject({ param: "messages[0].content" });
    // Fields of other objects are still refused.
    expect(refused("chat", { ...ignored("ignore"), temprature: 1 })).toMatchObject({ param: "temprature" });
  });

  test("another value of unknown_message_fields is refused", () => {
    expect(refused("chat", ignored("drop"))).toMatchObject({ param: "midtoken.unknown_message_fields" });
  });
});

describe("what OpenAI has and we refuse", () => {
  test.each(refusalCases)("$call: $what", ({ call, body, param }) => {
    const error = refused(call, body);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", param });
    expect(error.message).toContain(param);
  });
});

test("docs/http.md lists what is refused", () => {
  const rows = refusalCases.map(({ what, call, param }) => `| ${call} | ${what} | \`${param}\` |`);
  const listed = readFileSync("docs/http.md", "utf8").match(/^\| (?:chat|text|responses) \|.*$/gm);
  expect(listed).toEqual(rows);
});

test("what changes nothing is accepted", () => {
  const fields = {
    metadata: { a: "b" },
    store: true,
    service_tier: "auto",
    prediction: { type: "content", content: "" },
    prompt_cache_key: "k",
    prompt_cache_retention: "24h",
    safety_identifier: "s",
    modalities: ["text"],
    verbosity: "medium",
    audio: null,
    functions: null,
    n: null,
    stop: null,
  };
  expect(firstOf({ seed: 1, ...fields })).toEqual(firstOf({ seed: 1 }));
  const text = { model: "m", ...validRequestBodies.text, seed: 1 };
  expect(readTextRequest({ ...text, suffix: "", best_of: 2, n: 2 })).toEqual(
    readTextRequest({ ...text, n: 2 }),
  );
});

test("every field reaches the request", () => {
  const tool = { type: "function", function: { name: "look", parameters: { type: "object" }, strict: true } };
  const plan = chat({
    model: "org/m/mod",
    max_tokens: undefined,
    max_completion_tokens: 9,
    seed: -1,
    stop: "END",
    user: "Ada",
    temperature: 0.5,
    top_p: 0.9,
    top_k: 3,
    min_p: 0.1,
    repetition_penalty: 1.1,
    presence_penalty: 1,
    frequency_penalty: -1,
    logit_bias: { 7: -100 },
    banned_strings: ["a b"],
    tools: [tool],
    tool_choice: "required",
    parallel_tool_calls: false,
    response_format: { type: "json_object" },
    midtoken: {
      on_mod_error: "continue",
      budget: 50,
      prompt_lookup: true,
      deadlines: { event: 9 },
      holdback: 3,
      parse_special: true,
      heal: false,
    },
    stream: true,
    stream_options: { include_usage: true },
    logprobs: true,
    top_logprobs: 2,
  });
  expect(plan).toMatchObject({ model: "org/m/mod", isStreamed: true, includesUsage: true, topLogprobs: 2 });
  expect(plan.requests).toEqual([
    {
      model: "org/m/mod",
      bannedStrings: ["a b"],
      client: "Ada",
      text: { holdback: 3, logprobs: true },
      request: {
        messages: [{ role: "user", content: "Once" }],
        tools: [tool],
        toolChoice: "required",
        parallelToolCalls: false,
        responseFormat: { type: "json_object" },
        onModError: "continue",
        budget: 50,
        promptLookup: true,
        deadlines: { event: 9 },
        parseSpecial: true,
        heal: false,
        sampling: {
          temperature: 0.5,
          topP: 0.9,
          topK: 3,
          minP: 0.1,
          repetitionPenalty: 1.1,
          presencePenalty: 1,
          frequencyPenalty: -1,
          logitBias: { 7: -100 },
        },
        maxTokens: 9,
        stop: ["END"],
        seed: 4294967295,
      },
    },
  ]);
});

test("what is not given has OpenAI's default", () => {
  const request = firstOf({ max_tokens: null });
  expect(request).toMatchObject({ sampling: defaultSampling, maxTokens: null, stop: [], onModError: "stop" });
  const text = readTextRequest({ model: "m", prompt: ["One", "Two"], n: 2, echo: true, seed: 4294967295 });
  expect(
    text.requests.map(({ request: { maxTokens, rawPrompt, messages, seed } }) => [
      maxTokens,
      rawPrompt,
      messages[0]?.content,
      seed,
    ]),
  ).toEqual([
    [16, true, "One", 4294967295],
    [16, true, "One", 0],
    [16, true, "Two", 1],
    [16, true, "Two", 2],
  ]);
  expect(text.echoes).toEqual(["One", "One", "Two", "Two"]);
});

test("of a seed its lowest 32 bits count, and every choice has the next", () => {
  const seeds = (seed: number) => chat({ seed, n: 4 }).requests.map(({ request }) => request.seed);
  expect(seeds(Number.MAX_SAFE_INTEGER)).toEqual([4294967295, 0, 1, 2]);
  expect(seeds(-2)).toEqual([4294967294, 4294967295, 0, 1]);
});

test("two requests without a seed have two", () => {
  const seeds = Array.from({ length: 20 }, () => firstOf({})?.seed);
  expect(new Set(seeds).size).toBeGreaterThan(1);
});

test.each(Object.keys(readers) as (keyof typeof readers)[])(
  "%s: the plan says whether somebody chose the seed",
  (call) => {
    const isRandom = (fields: object) =>
      readers[call]({ model: "m", ...validRequestBodies[call], ...fields }).requests.map(
        ({ request }) => request.hasRandomSeed,
      );
    for (const fields of [{}, { seed: null }]) expect(isRandom(fields)).toEqual([true]);
    for (const seed of [0, 7]) expect(isRandom({ seed })).toEqual([undefined]);
  },
);

test("only a stream holds back", () => {
  const textOf = (fields: object) => chat(fields).requests[0]?.text;
  expect(textOf({ midtoken: { holdback: 3 } })).toEqual({ holdback: "all", retract: true });
  expect(textOf({ logprobs: true })).toEqual({ holdback: "all", logprobs: true });
  expect(textOf({ stream: true })).toEqual({ holdback: "auto" });
  expect(textOf({ stream: true, midtoken: { retract: true } })).toEqual({ holdback: "auto", retract: true });
});

test("an answer of OpenAI's client can be sent back as it is", () => {
  const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  const messages = [
    { role: "developer", content: [{ type: "text", text: "Be brief." }], name: "a" },
    {
      role: "assistant",
      content: null,
      refusal: null,
      annotations: [],
      parsed: null,
      tool_calls: [{ ...call, index: 0, function: { ...call.function, parsed_arguments: {} } }],
    },
    { role: "tool", tool_call_id: "call_1", content: "42" },
  ];
  expect(firstOf({ messages })?.messages).toEqual([
    { role: "system", content: [{ type: "text", text: "Be brief." }], name: "a" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", content: "42", tool_call_id: "call_1" },
  ]);
});

test.each([
  ["chat", { model: "" }, "model", 'model is "": give a string that is not empty.'],
  ["chat", { model: undefined }, "model", "model is missing"],
  ["chat", { messages: [] }, "messages", "messages is []: give a list of messages"],
  ["chat", { messages: ["Hi"] }, "messages[0]", 'messages[0] is "Hi": give an object'],
  [
    "chat",
    { messages: [{ role: "robot", content: "" }] },
    "messages[0].role",
    '"system", "developer", "user"',
  ],
  ["chat", { messages: [{ role: "user" }] }, "messages[0].content", "is missing: give a string"],
  ["chat", { messages: [{ role: "user", content: "", tone: 1 }] }, "messages[0].tone", "is not known"],
  ["chat", { messages: [{ role: "tool", content: "" }] }, "messages[0].tool_call_id", "is missing"],
  ["chat", { maxTokens: 3 }, "maxTokens", 'Did you mean "max_tokens"?'],
  ["chat", { voice: 3 }, "voice", "The known names are"],
  ["chat", { temperature: "1" }, "temperature", 'temperature is "1": give a number from 0 to 1000.'],
  ["chat", { temperature: Number.NaN }, "temperature", "is NaN"],
  ["chat", { top_k: 1.5 }, "top_k", "give a whole number"],
  ["chat", { n: 0 }, "n", "from 1 to 128"],
  ["chat", { stream: "true" }, "stream", "write true or false"],
  ["chat", { stop: ["a", ""] }, "stop", 'stop is ""'],
  ["chat", { stop: Array(65).fill("a") }, "stop", "at most 64"],
  ["chat", { seed: 0.5 }, "seed", "whole number"],
  ["chat", { logit_bias: { the: 1 } }, "logit_bias", "token ids"],
  ["chat", { logit_bias: { 7: 101 } }, "logit_bias", '{"7":101}'],
  ["chat", { max_tokens: 3, max_completion_tokens: 4 }, "max_tokens", "max_completion_tokens is 4"],
  ["chat", { top_logprobs: 3 }, "top_logprobs", "set logprobs to true"],
  ["chat", { stream_options: { include_usage: true } }, "stream_options", "set stream to true"],
  ["chat", { tool_choice: "required" }, "tool_choice", "has no tools"],
  ["chat", { response_format: { type: "xml" } }, "response_format.type", '"json_schema"'],
  ["chat", { midtoken: { holdback: -1 } }, "midtoken.holdback", '"auto", "all" or a whole number'],
  ["chat", { midtoken: { budget: 0 } }, "midtoken.budget", "from 1"],
  ["chat", { midtoken: { deadlines: { lunch: 9 } } }, "midtoken.deadlines.lunch", "event, load, prefilled"],
  ["chat", { midtoken: { speed: 1 } }, "midtoken.speed", "not known"],
  ["chat", { midtoken: true }, "midtoken", "give an object"],
  ["chat", { stream: true, logprobs: true, midtoken: { retract: true } }, "midtoken.retract", "one of them"],
  ["text", { prompt: "" }, "prompt", "not empty"],
  ["text", { prompt: [] }, "prompt", "not empty"],
  ["text", { logprobs: 6 }, "logprobs", "from 0 to 5"],
  ["text", { messages: [] }, "messages", "is not known"],
  ["responses", { input: "" }, "input", "give a string, or a list of items"],
  ["responses", { input: [] }, "input", "give a string, or a list of items"],
  ["responses", { input: [1] }, "input[0]", "give an object"],
  ["responses", { input: [{ content: "Hi" }] }, "input[0].type", '"function_call_output"'],
  ["responses", { input: [{ role: "tool", content: "" }] }, "input[0].role", '"developer"'],
  ["responses", { input: [{ role: "user" }] }, "input[0].content", "is missing"],
  ["responses", { input: [{ role: "user", content: "", tone: 1 }] }, "input[0].tone", "is not known"],
  [
    "responses",
    { input: [{ role: "user", content: [{ type: "text", text: "" }] }] },
    "input[0].content[0].type",
    '"input_text"',
  ],
  [
    "responses",
    { input: [{ type: "function_call_output", call_id: "c", output: "" }] },
    "input",
    'whose call_id is "c"',
  ],
  [
    "responses",
    { input: [{ type: "function_call", call_id: "c", name: "f" }] },
    "input[0].arguments",
    "JSON",
  ],
  ["responses", { input: [{ type: "reasoning", summary: [] }] }, "input", "only reasoning"],
  ["responses", { input: [{ type: "item_reference", id: "i" }] }, "input[0].id", "Send the item itself"],
  ["responses", { messages: [] }, "messages", "is not known"],
  ["responses", { max_tokens: 3 }, "max_tokens", "is not known"],
  ["responses", { max_output_tokens: 0 }, "max_output_tokens", "from 1"],
  ["responses", { reasoning_effort: "low" }, "reasoning_effort", "is not known"],
  ["responses", { previous_response_id: "r" }, "previous_response_id", "not stored here"],
  ["responses", { store: "no" }, "store", "true or false"],
  ["responses", { metadata: { a: 1 } }, "metadata", '{"a":1}'],
  ["responses", { tools: [{ type: "function", name: "f", colour: 1 }] }, "tools[0].colour", "is not known"],
  ["responses", { tools: [{ type: "function", name: "a b" }] }, "tools[0].name", 'tools[0].name is "a b"'],
  [
    "responses",
    { tools: [{ type: "function", name: "f", parameters: { type: "string" } }] },
    "tools[0].parameters.type",
    "tools[0].parameters.type",
  ],
  ["responses", { tool_choice: { type: "function", name: "f" } }, "tool_choice.name", "has no tools"],
  ["responses", { tool_choice: "required" }, "tool_choice", "has no tools"],
  ["responses", { text: { format: { type: "xml" } } }, "text.format.type", '"json_schema"'],
  ["responses", { text: { format: { type: "json_schema", name: "x" } } }, "text.format.schema", "is missing"],
  ["responses", { response_format: {} }, "response_format", "is not known"],
  ["responses", { include: "all" }, "include", "give a list"],
  ["responses", { top_logprobs: 2 }, "top_logprobs", "message.output_text.logprobs"],
] as const)("%s: %j is refused at %s", (call, fields, param, words) => {
  const error = refused(call, fields);
  expect(error).toMatchObject({ status: 400, param });
  expect(error.message).toContain(words);
});

test.each(["chat", "text", "responses"] as const)("%s: null in every field means not given", (call) => {
  const valid = { model: "m", ...validRequestBodies[call], seed: 1 };
  const [, known = ""] = /The known names are ([^.]*)\./.exec(refused(call, { zzqqxxjjvv: 1 }).message) ?? [];
  const names = known.split(", ").filter((name) => !Object.hasOwn(valid, name));
  expect(names.length).toBeGreaterThan(15);
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  expect(readers[call]({ ...valid, ...nulls }).requests).toEqual(readers[call](valid).requests);
});

test("banned strings that are too long for the mod made of them are refused, whatever their number", () => {
  for (const banned_strings of [Array(256).fill("x".repeat(4_000)), Array(2).fill("x".repeat(50_001))])
    expect(refused("chat", { banned_strings })).toMatchObject({
      status: 400,
      param: "banned_strings",
      message: expect.stringContaining("give at most 100000 characters in all texts together") as string,
    });
  const most = ["x".repeat(50_000), "\u0001".repeat(50_000)];
  expect(firstOf({ banned_strings: most })).toBeDefined();
  expect(banningModSource(most).length).toBeLessThan(largestSource);
});

test("a body that is no object is refused", () => {
  for (const body of [undefined, null, [], "model", 1]) expect(() => readChatRequest(body)).toThrow(ApiError);
});

test("whatever comes, it is read or refused with an error of the API", () => {
  const value = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: "small" },
      fc.jsonValue(),
      fc.constantFrom("user", "tool", "function", "text", "message", "reasoning", "input_text"),
      tie("object"),
    ),
    object: fc.dictionary(
      fc.constantFrom(
        "role",
        "content",
        "type",
        "text",
        "tool_calls",
        "function",
        "id",
        "name",
        "arguments",
        "call_id",
        "output",
        "summary",
        "format",
        "toString",
        "__proto__",
      ),
      tie("json"),
    ),
  })).json;
  const names = [
    "messages",
    "prompt",
    "n",
    "stop",
    "seed",
    "tools",
    "tool_choice",
    "response_format",
    "midtoken",
  ];
  const more = [
    "logit_bias",
    "stream",
    "stream_options",
    "logprobs",
    "top_logprobs",
    "functions",
    "constructor",
    "input",
    "text",
    "reasoning",
    "include",
    "metadata",
  ];
  const body = fc.dictionary(fc.constantFrom(...names, ...more), fc.oneof(value, fc.array(value)));
  fc.assert(
    fc.property(body, fc.constantFrom("chat", "text", "responses"), (fields, call) => {
      try {
        readers[call]({ model: "m", ...validRequestBodies[call], ...fields });
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect(error).toMatchObject({ status: 400 });
      }
    }),
    { numRuns: 270 },
  );
});
