/** Responses over requests with scripted events: items, order of events, errors, and storage. */
import { ResponseStream } from "openai/lib/responses/ResponseStream";
import { expect, test } from "vitest";
import type { EndError, FinishedRecord } from "../../../core/trace/format/format.ts";
import type { AnswerStreamEvent } from "../../../core/trace/text/text-stream-events.ts";
import { ApiError } from "../api-error.ts";
import { MemoryStore } from "../store/memory-store.ts";
import {
  type AnswerScript,
  finishedStreamEvent,
  scriptedStart,
  scriptedToken,
  textStreamEvent,
} from "../testing/scripted-start.ts";
import type { ResponseStreamEvent } from "./event-types.ts";
import type { ResponseRequest } from "./request-types.ts";
import type { ModelResponse } from "./response-types.ts";
import { createResponses } from "./responses.ts";

const asked: ResponseRequest = { model: "m", input: "Hello" };
const call = { id: "call_1", type: "function", function: { name: "look", arguments: '{"at":1}' } } as const;
const thought = (piece: string): AnswerStreamEvent => ({ type: "reasoning", text: piece });

const unshared = () => ({ store: new MemoryStore(), onNotice: () => undefined });

function responsesOf(scripts: readonly AnswerScript[], mods: readonly string[] = []) {
  const scripted = scriptedStart(scripts, mods);
  return { ...scripted, responses: createResponses(scripted.start, unshared()) };
}

async function streamed(script: AnswerScript, request: ResponseRequest = {}, mods: readonly string[] = []) {
  const { responses } = responsesOf([script], mods);
  const events: ResponseStreamEvent[] = [];
  for await (const event of await responses.create({ ...asked, ...request, stream: true }))
    events.push(event);
  return events;
}

async function whole(script: AnswerScript, request: ResponseRequest = {}): Promise<ModelResponse> {
  return responsesOf([script]).responses.create({ ...asked, ...request, stream: false });
}

/** The response that OpenAI's own client builds of the events. */
async function collected(events: readonly ResponseStreamEvent[]): Promise<ModelResponse> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  const response = await ResponseStream.fromReadableStream(new Blob([lines]).stream()).finalResponse();
  return response as unknown as ModelResponse;
}

const short = ({ type }: ResponseStreamEvent): string => type.replace("response.", "");
const withoutTimes = ({ completed_at: _, ...response }: ModelResponse) => response;

const scripts: Readonly<Record<string, AnswerScript>> = {
  "a text": [textStreamEvent("Hel"), textStreamEvent("lo."), finishedStreamEvent({ text: "Hello." })],
  "a text that is cut": [textStreamEvent("Hel"), finishedStreamEvent({ text: "Hel", reason: "length" })],
  "no text": [finishedStreamEvent()],
  "white space alone": [textStreamEvent(" \n"), finishedStreamEvent({ text: " \n" })],
  "reasoning and a text": [
    thought("So"),
    thought(" it is."),
    textStreamEvent("Yes."),
    finishedStreamEvent({ text: "Yes." }),
  ],
  "reasoning that is cut": [thought("So"), finishedStreamEvent({ reason: "length" })],
  "function calls": [
    textStreamEvent("\n"),
    finishedStreamEvent({ reason: "tool_calls", toolCalls: [call, { ...call, id: "call_2" }] }),
  ],
  "all of it": [
    thought("Hm."),
    textStreamEvent(" "),
    textStreamEvent("Wait."),
    finishedStreamEvent({ text: " Wait.", reason: "tool_calls", toolCalls: [call] }),
  ],
};

test.each(Object.entries(scripts))(
  "%s: the stream ends as the whole answer, for OpenAI's client too",
  async (_, script) => {
    const expected = withoutTimes(await whole(script));
    const events = await streamed(script);
    const last = events.at(-1);
    if (!last || !("response" in last)) throw new Error("The last event has no response.");
    expect(withoutTimes(last.response)).toEqual(expected);
    expect(short(last)).toBe(expected.status);
    expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
    expect(withoutTimes(await collected(events))).toMatchObject(expected);
    // Without the last event, the client builds the same items from the pieces alone.
    const begun = events.filter((event) => short(event) !== expected.status);
    const items = begun.flatMap((event) => (event.type === "response.output_item.done" ? [event.item] : []));
    expect(items).toEqual(expected.output);
  },
);

test("the events of every kind of item, in OpenAI's order", async () => {
  const events = await streamed(scripts["all of it"] ?? []);
  expect(
    events.map((event) => `${short(event)}${"output_index" in event ? ` ${event.output_index}` : ""}`),
  ).toEqual([
    "created",
    "in_progress",
    "output_item.added 0",
    "content_part.added 0",
    "reasoning_text.delta 0",
    "reasoning_text.done 0",
    "content_part.done 0",
    "output_item.done 0",
    "output_item.added 1",
    "content_part.added 1",
    "output_text.delta 1",
    "output_text.done 1",
    "content_part.done 1",
    "output_item.done 1",
    "output_item.added 2",
    "function_call_arguments.delta 2",
    "function_call_arguments.done 2",
    "output_item.done 2",
    "completed",
  ]);
});

test("a response says what it was asked", async () => {
  const tool = { type: "function", name: "look", description: null, parameters: null, strict: true } as const;
  const request: ResponseRequest = {
    model: "m/mod",
    instructions: "Be brief.",
    max_output_tokens: 20,
    metadata: { a: "b" },
    parallel_tool_calls: false,
    tools: [tool],
    tool_choice: { type: "function", name: "look" },
    text: { format: { type: "json_object" } },
    reasoning: { effort: "none" },
    temperature: 0.5,
    top_p: 0.9,
    store: false,
    user: "Ada",
  };
  expect(await whole([textStreamEvent("Hi"), finishedStreamEvent({ text: "Hi" })], request)).toEqual({
    id: "resp_r1",
    object: "response",
    created_at: 1_700_000_000,
    completed_at: expect.any(Number),
    status: "completed",
    error: null,
    incomplete_details: null,
    ...request,
    reasoning: { effort: "none", summary: null },
    previous_response_id: null,
    top_logprobs: 0,
    truncation: "disabled",
    background: false,
    access_programs: null,
    output: [
      {
        id: "msg_r1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hi", annotations: [] }],
      },
    ],
    output_text: "Hi",
    usage: {
      input_tokens: 5,
      input_tokens_details: { cached_tokens: 3, cache_write_tokens: 0 },
      output_tokens: 2,
      output_tokens_details: { reasoning_tokens: expect.any(Number) },
      total_tokens: 7,
      midtoken: { hidden_tokens: 1, forward_passes: 4 },
    },
    midtoken: { request_ids: ["r1"] },
  });
});

test("log-probabilities come with the pieces and with the whole text", async () => {
  const script = [
    textStreamEvent("a", [scriptedToken("a")]),
    textStreamEvent("b", [scriptedToken("b")]),
    finishedStreamEvent({ text: "ab" }),
  ];
  const request = { include: ["message.output_text.logprobs"] };
  const events = await streamed(script, request);
  const pieces = events.flatMap((event) =>
    event.type === "response.output_text.delta" ? event.logprobs : [],
  );
  expect(pieces.map((piece) => piece.token)).toEqual(["a", "b"]);
  const [item] = (await whole(script, request)).output;
  expect(item?.type === "message" ? item.content[0]?.logprobs : null).toEqual(pieces);
});

test("what a mod takes back is said, and the whole texts are without it", async () => {
  const script: AnswerScript = [
    textStreamEvent("Lily"),
    { type: "retract", length: 4 },
    textStreamEvent("Max"),
    finishedStreamEvent({ text: "Max" }),
  ];
  const events = await streamed(script, { midtoken: { retract: true } });
  const deltas = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event] : []));
  expect(deltas.map(({ delta, midtoken }) => midtoken?.retract ?? delta)).toEqual(["Lily", 4, "Max"]);
  expect((await collected(events)).output_text).toBe("Max");
});

test("calls of an answer that was cut: whole ones are completed, the cut one is not read again", async () => {
  const about = { id: "call_1", name: "look", arguments: '{"at":1}' };
  const begun = { id: "call_2", name: "look", arguments: '{"at' };
  const ofCalls = (list: readonly (typeof about)[], cut: number | null): AnswerScript => [
    ...list.flatMap(
      ({ id, name, arguments: written }, place): AnswerScript => [
        { type: "call", place, id, name },
        { type: "callArguments", place, text: written.slice(0, 3) },
        { type: "callArguments", place, text: written.slice(3) },
      ],
    ),
    finishedStreamEvent({ reason: "length" }, { list, cut }),
  ];
  const statuses = async (list: readonly (typeof about)[], cut: number | null) => {
    const expected = await whole(ofCalls(list, cut));
    expect(withoutTimes(await collected(await streamed(ofCalls(list, cut))))).toMatchObject(
      withoutTimes(expected),
    );
    return [expected.status, ...expected.output.map(({ status }) => status)];
  };
  expect(await statuses([about, begun], 1)).toEqual(["incomplete", "completed", "incomplete"]);
  // The answer was cut before the name of the second call was complete.
  expect(await statuses([about], 1)).toEqual(["incomplete", "completed"]);
  expect(await statuses([about], null)).toEqual(["incomplete", "completed"]);

  const { responses, plans } = responsesOf([ofCalls([about, begun], 1), [finishedStreamEvent()]]);
  const first = await responses.create({ ...asked, stream: false });
  const output = { type: "function_call_output", call_id: "call_1", output: "wet" } as const;
  const next = { model: "m", previous_response_id: first.id, stream: false } as const;
  await expect(
    responses.create({ ...next, input: [{ ...output, call_id: "call_2" }] }),
  ).rejects.toMatchObject({ param: "input" });
  await responses.create({ ...next, input: [output] });
  expect(plans[1]?.request.messages).toMatchObject([
    { role: "user" },
    { role: "assistant", tool_calls: [{ id: "call_1" }] },
    { role: "tool" },
  ]);
});

const failure: Partial<FinishedRecord> = { reason: "error", error: { message: "It broke.", mod: 0 } };

test("a failure before the first token is thrown, a later one ends the stream with its words", async () => {
  await expect(streamed([finishedStreamEvent(failure)], {}, ["my-mod"])).rejects.toMatchObject({
    code: "mod_failed",
  });
  const events = await streamed([thought("Hm"), finishedStreamEvent(failure)], {}, ["my-mod"]);
  const last = events.at(-1);
  expect(last).toMatchObject({
    type: "response.failed",
    response: {
      status: "failed",
      error: {
        code: "server_error",
        message: 'The mod "my-mod" ended the request: It broke.',
        midtoken: { code: "mod_failed", status: 422 },
      },
      output: [{ type: "reasoning", status: "incomplete" }],
    },
  });
  expect((await collected(events)).status).toBe("failed");
  await expect(whole([textStreamEvent("Hm"), finishedStreamEvent(failure)])).rejects.toBeInstanceOf(ApiError);
});

test("a prompt that is too long is an error about input", async () => {
  const error: EndError = {
    message: "The prompt has 9 tokens, and the context 8.",
    mod: null,
    code: "context_length_exceeded",
  };
  await expect(whole([finishedStreamEvent({ reason: "error", error })])).rejects.toMatchObject({
    status: 400,
    code: "context_length_exceeded",
    param: "input",
  });
});

test("a stream that is left cancels its request and keeps nothing", async () => {
  const { responses, cancelled } = responsesOf([[textStreamEvent("a"), "wait"]]);
  const stream = await responses.create({ ...asked, stream: true });
  for await (const event of stream) if (event.type === "response.output_text.delta") break;
  expect(cancelled).toEqual(["r1"]);
  await expect(responses.retrieve("resp_r1")).rejects.toMatchObject({ status: 404 });
});

test("a conversation goes on where it ended: its calls, its reasoning, its texts", async () => {
  const first = [thought("Hm."), finishedStreamEvent({ reason: "tool_calls" as const, toolCalls: [call] })];
  const { responses, plans } = responsesOf([
    first,
    [textStreamEvent("Rain."), finishedStreamEvent({ text: "Rain." })],
    [finishedStreamEvent()],
    [finishedStreamEvent()],
  ]);
  const one = await responses.create({ ...asked, instructions: "Be brief.", stream: false });
  const output = { type: "function_call_output", call_id: "call_1", output: "wet" } as const;
  const two = await responses.create({
    model: "m",
    previous_response_id: one.id,
    input: [output],
    stream: false,
  });
  await responses.create({ ...asked, previous_response_id: two.id });
  expect(plans[2]?.request.messages).toEqual([
    { role: "user", content: "Hello" },
    { role: "assistant", content: "<think>\nHm.\n</think>\n\n", tool_calls: [call] },
    { role: "tool", content: "wet", tool_call_id: "call_1" },
    { role: "assistant", content: "Rain." },
    { role: "user", content: "Hello" },
  ]);
  expect(await responses.retrieve(two.id)).toEqual(two);
  expect((await responses.inputItems.list(two.id)).data).toMatchObject([output]);
  // With references to its items, as sent by clients that know that the response is stored.
  const references = one.output.map(({ id }) => ({ type: "item_reference", id }) as const);
  const byItems = responsesOf([[finishedStreamEvent()]]);
  await expect(byItems.responses.create({ model: "m", input: references })).rejects.toMatchObject({
    param: "input[0].id",
  });
  await responses.create({ model: "m", input: [{ role: "user", content: "Hello" }, ...references, output] });
  expect(plans[3]?.request.messages).toEqual(plans[2]?.request.messages.slice(0, 3));
});
