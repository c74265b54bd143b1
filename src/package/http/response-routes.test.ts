/** Responses over HTTP beyond what OpenAI's client sends: addresses, the format of events, errors after the head. */
import { describe, expect, test } from "vitest";
import { ApiError } from "../api/api-error.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createResponses } from "../api/responses/responses.ts";
import { MemoryStore } from "../api/store/memory-store.ts";
import {
  type AnswerScript,
  finishedStreamEvent,
  scriptedStart,
  textStreamEvent,
} from "../api/testing/scripted-start.ts";
import { createServerHandler } from "./fetch-handler.ts";

const base = "http://midtoken.test/v1";

function handlerOf(...scripts: readonly AnswerScript[]) {
  const scripted = scriptedStart(scripts);
  const engine = {
    models: { list: () => [] },
    responses: createResponses(scripted.start, { store: new MemoryStore(), onNotice: () => undefined }),
  } as unknown as MidtokenEngine;
  // No head is sent before the first piece.
  return { ...scripted, handler: createServerHandler(engine, {}, { head: 60_000, keepAlive: 60_000 }) };
}

const post = (body: object, signal?: AbortSignal) =>
  new Request(`${base}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", input: "Hello", ...body }),
    ...(signal && { signal }),
  });

const eventsOf = (sent: string) =>
  sent
    .trim()
    .split("\n\n")
    .map((event) => {
      const [, type, data = ""] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? [];
      return { type, data: JSON.parse(data) };
    });

test("events are named by their type, and nothing follows the last one", async () => {
  const { handler } = handlerOf([textStreamEvent("Hi"), finishedStreamEvent({ text: "Hi" })]);
  const response = await handler(post({ stream: true }));
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("x-request-id")).toBe("r1");
  const events = eventsOf(await response.text());
  for (const { type, data } of events) expect(data.type).toBe(type);
  expect(events.at(-1)?.type).toBe("response.completed");
});

test("a request that fails before its first token has the status of its error", async () => {
  const { handler } = handlerOf([
    finishedStreamEvent({ reason: "error", error: { message: "It broke.", mod: null } }),
  ]);
  expect((await handler(post({ stream: true }))).status).toBe(500);
});

test("an engine that breaks, and a server that stops, end a stream that has begun", async () => {
  const broken = handlerOf([textStreamEvent("Hi"), new Error("It broke.")]);
  const last = eventsOf(await (await broken.handler(post({ stream: true }))).text()).at(-1);
  expect(last).toMatchObject({
    type: "error",
    data: { message: "It broke.", code: "internal_error", error: { message: "It broke." } },
  });
  const stopped = new AbortController();
  const { handler } = handlerOf([textStreamEvent("Hi"), "wait"]);
  const response = await handler(post({ stream: true }, stopped.signal));
  stopped.abort(
    new ApiError("The server stops.", { status: 503, type: "engine_error", code: "server_stopped" }),
  );
  expect(eventsOf(await response.text()).at(-1)).toMatchObject({
    type: "response.failed",
    data: { response: { status: "failed", error: { midtoken: { code: "server_stopped", status: 503 } } } },
  });
});

describe("a response that is stored", () => {
  test.each([
    ["GET", "/responses/none", 404, "response_not_found"],
    ["DELETE", "/responses/none", 404, "response_not_found"],
    ["GET", "/responses/none/input_items", 404, "response_not_found"],
    ["GET", "/responses/resp_r1", 200, undefined],
    ["HEAD", "/responses/resp_r1", 200, undefined],
    ["GET", "/responses/resp_r1?stream=true", 400, "invalid_value"],
    ["GET", "/responses/resp_r1?stream=false", 200, undefined],
    ["GET", "/responses/resp_r1/input_items?limit=1&order=asc", 200, undefined],
    ["GET", "/responses/resp_r1/input_items?limit=many", 400, "invalid_value"],
    ["POST", "/responses/resp_r1/cancel", 405, "method_not_allowed"],
    ["DELETE", "/responses/resp_r1", 200, undefined],
  ])("%s %s is a %i", async (method, path, status, code) => {
    const { handler } = handlerOf([textStreamEvent("Hi"), finishedStreamEvent({ text: "Hi" })]);
    await handler(post({}));
    const response = await handler(new Request(base + path, { method }));
    expect(response.status).toBe(status);
    if (code !== undefined) expect(await response.json()).toMatchObject({ error: { code } });
  });
});
