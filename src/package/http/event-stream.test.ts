/** Comments of a stream while no piece comes, how clients read them, and how a stream ends when the server stops. */
import { parseJsonEventStream } from "ai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ApiError } from "../api/api-error.ts";
import { createChatCompletions } from "../api/completions.ts";
import type { CompletionStream } from "../api/completions-api.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { finishedStreamEvent, scriptedStart, textStreamEvent } from "../api/testing/scripted-start.ts";
import { createEventStream } from "./event-stream.ts";
import { createServerHandler } from "./fetch-handler.ts";

/** Pieces that arrive when the test passes them. */
function given() {
  const waiting: ((result: IteratorResult<string>) => void)[] = [];
  const seen = { aborted: false };
  const stream: CompletionStream<string> = {
    requestIds: ["r1"],
    abort() {
      seen.aborted = true;
    },
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<string>>((resolve) => waiting.push(resolve)),
    }),
  };
  return {
    stream,
    seen,
    give: (value: string) => waiting.shift()?.({ value, done: false }),
    end: () => waiting.shift()?.({ value: undefined, done: true }),
  };
}

describe("while no piece comes", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const decode = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

  test("the head is sent after a second, comments follow, and pieces come between them", async () => {
    const pieces = given();
    const opening = createEventStream(pieces.stream, { signal: new AbortController().signal });
    let isOpen = false;
    void opening.then(() => {
      isOpen = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(isOpen).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const reader = (await opening).getReader();
    const read = async () => decode((await reader.read()).value);
    expect(await read()).toBe(": keep-alive\n\n");
    for (let count = 0; count < 3; count++) {
      const next = read();
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await next).toBe(": keep-alive\n\n");
    }
    const first = read();
    pieces.give("a");
    expect(await first).toBe('data: "a"\n\n');
    const silent = read();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await silent).toBe(": keep-alive\n\n");
    const last = read();
    pieces.end();
    expect(await last).toBe("data: [DONE]\n\n");
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a first piece that comes at once has no comment before it", async () => {
    const pieces = given();
    const opening = createEventStream(pieces.stream, { signal: new AbortController().signal });
    pieces.give("a");
    const reader = (await opening).getReader();
    expect(decode((await reader.read()).value)).toBe('data: "a"\n\n');
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a reader that leaves ends the request, and no timer is left", async () => {
    const pieces = given();
    const opening = createEventStream(pieces.stream, { signal: new AbortController().signal });
    await vi.advanceTimersByTimeAsync(1_000);
    await (await opening).cancel();
    expect(pieces.seen.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** A handler whose answers continue when `go` is called. It sends a comment every millisecond. */
function waitingHandler() {
  let go = (): void => undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { start, cancelled } = scriptedStart([]);
  const completions = createChatCompletions(async (plan) => ({
    ...(await start(plan)),
    events: (async function* () {
      await gone;
      yield textStreamEvent("a");
      yield finishedStreamEvent({ text: "a" });
    })(),
  }));
  const engine = { models: { list: () => [] }, chat: { completions } } as unknown as MidtokenEngine;
  return { go: () => go(), cancelled, handler: createServerHandler(engine, {}, { head: 0, keepAlive: 1 }) };
}

/** Lets the answer continue after the reader has received some comments. */
function goingOnAfterComments(response: Response, go: () => void): Response {
  let comments = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      if (new TextDecoder().decode(bytes).startsWith(":")) comments += 1;
      if (comments > 3) go();
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(counting) ?? null, response);
}

const messages = [{ role: "user" as const, content: "Hi" }];

test("OpenAI's client reads past the comments", async () => {
  const { go, handler } = waitingHandler();
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://midtoken.test/v1",
    fetch: async (url, init) => goingOnAfterComments(await handler(new Request(url, init)), go),
  });
  let said = "";
  for await (const { choices } of await client.chat.completions.create({
    model: "m",
    messages,
    stream: true,
  }))
    said += choices[0]?.delta.content ?? "";
  expect(said).toBe("a");
});

const streamed = (init: RequestInit = {}) =>
  new Request("http://midtoken.test/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages, stream: true }),
    ...init,
  });

test("the AI SDK's parser reads past the comments", async () => {
  const { go, handler } = waitingHandler();
  const { body } = goingOnAfterComments(await handler(streamed()), go);
  const schema = z.object({
    choices: z.array(z.object({ delta: z.object({ content: z.string().optional() }) })),
  });
  let said = "";
  const stream = parseJsonEventStream({ stream: body as ReadableStream<Uint8Array>, schema });
  for await (const part of stream as unknown as AsyncIterable<{
    success: boolean;
    value: z.infer<typeof schema>;
  }>) {
    expect(part.success).toBe(true);
    said += part.value.choices[0]?.delta.content ?? "";
  }
  expect(said).toBe("a");
});

const stopped = new ApiError("The server was stopped.", {
  status: 503,
  type: "engine_error",
  code: "server_stopped",
});

describe("a request that the server ends", () => {
  test("has the error as the last event of its stream", async () => {
    const { handler, cancelled } = waitingHandler();
    const stop = new AbortController();
    const notes = {};
    const response = await handler(streamed({ signal: stop.signal }), { notes });
    expect(response.status).toBe(200);
    stop.abort(stopped);
    const events = (await response.text())
      .split("\n\n")
      .filter((event) => event !== "" && !event.startsWith(":"));
    expect(events).toEqual([`data: ${JSON.stringify(stopped)}`]);
    expect(cancelled).toEqual(["r1"]);
    expect(notes).toMatchObject({ error: "server_stopped", model: "m", requestIds: ["r1"] });
  });

  test("is a 503 if it is not streamed", async () => {
    const { handler } = waitingHandler();
    const stop = new AbortController();
    const body = JSON.stringify({ model: "m", messages });
    const answer = handler(streamed({ body, signal: stop.signal }));
    stop.abort(stopped);
    const response = await answer;
    expect([response.status, response.headers.get("x-should-retry")]).toEqual([503, "true"]);
    expect(await response.json()).toMatchObject({ error: { code: "server_stopped" } });
  });
});
