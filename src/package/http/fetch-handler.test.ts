/** The handler beyond what OpenAI's client sends: addresses, methods, bodies, other sites, mods, traces, slow readers. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientOf } from "../../../e2e/docs/http/handler.ts";
import { continueStory } from "../../../e2e/docs/http/responses.ts";
import { serializeMod } from "../../core/sdk/serialize.ts";
import { decodeTraceFile } from "../../core/trace/codec/codec.ts";
import { createChatCompletions } from "../api/completions.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { finishedStreamEvent, scriptedStart, textStreamEvent } from "../api/testing/scripted-start.ts";
import { createFetchHandler, createServerHandler } from "./fetch-handler.ts";
import { type HttpTestEngine, startStoryTestEngine } from "./testing/story-http.ts";

const base = "http://midtoken.test/v1";
const json = { "content-type": "application/json" };

let story: HttpTestEngine;
beforeAll(async () => {
  story = await startStoryTestEngine();
});
afterAll(() => story.dispose());

const post = (path: string, body: unknown, init: RequestInit = {}) =>
  new Request(base + path, { method: "POST", headers: json, body: JSON.stringify(body), ...init });

async function errorOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, code: error.code, message: error.message };
}

test.each([
  ["GET", "/nothing", 404, "unknown_url", "GET /v1/models/ID"],
  ["GET", "/models/%E0", 404, "unknown_url", "has no route"],
  ["GET", "/models/", 404, "unknown_url", "has no route"],
  ["GET", "/chat/completions", 405, "method_not_allowed", "use POST or OPTIONS"],
  ["PUT", "/mods", 405, "method_not_allowed", "use GET or HEAD or POST or OPTIONS"],
  ["GET", "/models/gpt-4", 404, "model_not_found", "midtoken/stories260k"],
  ["DELETE", "/mods/nobody", 404, "mod_not_found", "no-lily"],
  ["GET", "/requests/r9/trace", 404, "request_not_found", "r9"],
])("%s %s is a %i", async (method, path, status, code, words) => {
  const response = await story.handler(new Request(base + path, { method }));
  if (status === 405) expect(response.headers.get("allow")).toContain("OPTIONS");
  expect(response.headers.get("x-should-retry")).toBe("false");
  const error = await errorOf(response);
  expect(error).toMatchObject({ status, code });
  expect(error.message).toContain(words);
});

test("an address beside the base path is not ours", async () => {
  for (const path of [
    "http://midtoken.test/v1",
    "http://midtoken.test/v10/models",
    "http://midtoken.test/models",
  ]) {
    expect((await story.handler(new Request(path))).status).toBe(404);
  }
  const elsewhere = createFetchHandler(story.engine, { basePath: "/ai/v1" });
  expect((await elsewhere(new Request("http://midtoken.test/ai/v1/models"))).status).toBe(200);
  expect((await elsewhere(new Request(`${base}/models`))).status).toBe(404);
  expect(() => createFetchHandler(story.engine, { basePath: "v1/" })).toThrow('The base path is "v1/"');
});

describe("bodies", () => {
  test.each([
    ["a form", { headers: { "content-type": "text/plain" }, body: "{}" }, 415, "unsupported_media_type"],
    ["no JSON", { headers: json, body: "{model}" }, 400, "invalid_json"],
    ["no object", { headers: json, body: "[]" }, 400, "invalid_value"],
    ["nothing", { headers: json }, 400, "invalid_json"],
    ["deep", { headers: json, body: "[".repeat(900_000) }, 400, "invalid_json"],
  ])("%s is refused", async (_, init, status, code) => {
    const response = await story.handler(
      new Request(`${base}/chat/completions`, { method: "POST", ...init }),
    );
    expect(await errorOf(response)).toMatchObject({ status, code });
  });

  test("one of more than 8 MiB is refused", async () => {
    const body = " ".repeat(8 * 1_048_576 + 1);
    const response = await story.handler(
      new Request(`${base}/mods`, { method: "POST", headers: json, body }),
    );
    expect(await errorOf(response)).toMatchObject({ status: 413, code: "body_too_large" });
  });

  test.each([["chat/completions"], ["responses"]])(
    "a prompt of %s that no loaded model can read is refused before its end has come, and not parsed",
    async (path) => {
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536));
        },
      });
      const init = { method: "POST", headers: json, body, duplex: "half" } as RequestInit;
      const error = await errorOf(await story.handler(new Request(`${base}/${path}`, init)));
      expect(error).toMatchObject({ status: 400, code: "context_length_exceeded" });
      expect(error.message).toMatch(
        /^The body has more than \d+ bytes, but the longest prompt that a loaded model can read has \d+ bytes: shorten the prompt\.$/,
      );
      expect(sent).toBeLessThan(1_500_000);
    },
  );

  test("by its content-length it is refused unread", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          sent += 1;
          controller.enqueue(new Uint8Array(1));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { ...json, "content-length": "8000000" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const response = await story.handler(new Request(`${base}/chat/completions`, init));
    expect(await errorOf(response)).toMatchObject({ status: 400, code: "context_length_exceeded" });
    expect(sent).toBe(0);
  });

  test("an endless body is left at its limit", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const init = { method: "POST", headers: json, body: endless, duplex: "half" } as RequestInit;
    const handler = createFetchHandler(story.engine, { maxBodyBytes: 1_000_000 });
    const response = await handler(new Request(`${base}/chat/completions`, init));
    expect(await errorOf(response)).toMatchObject({ status: 413 });
    expect(sent).toBeLessThan(2_000_000);
  });
});

describe("pages of other sites", () => {
  const asked = (handler = story.handler, method = "GET", more: Record<string, string> = {}) =>
    handler(new Request(`${base}/models`, { method, headers: { origin: "https://a.example", ...more } }));

  test("may not ask unless they are named, not even beforehand", async () => {
    for (const method of ["GET", "OPTIONS"]) {
      const response = await asked(story.handler, method);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
      expect(await errorOf(response)).toMatchObject({ status: 403, code: "origin_not_allowed" });
    }
    const own = new Request(`${base}/models`, { headers: { origin: "http://midtoken.test" } });
    expect((await story.handler(own)).status).toBe(200);
  });

  test.each([["*"], [["https://a.example"]]] as const)("may ask where %j are allowed", async (origins) => {
    const handler = createFetchHandler(story.engine, { origins });
    const wanted = { "access-control-request-headers": "authorization,x-stainless-os" };
    const before = await asked(handler, "OPTIONS", wanted);
    expect(before.status).toBe(204);
    expect(Object.fromEntries(before.headers)).toMatchObject({
      "access-control-allow-origin": "https://a.example",
      vary: "origin",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-allow-headers": "authorization,x-stainless-os",
    });
    const answer = await asked(handler);
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
      200,
      "https://a.example",
    ]);
    // Pages of other sites can read an error too.
    const failed = await handler(
      new Request(`${base}/models/gpt-4`, { headers: { origin: "https://a.example" } }),
    );
    expect([failed.status, failed.headers.get("access-control-allow-origin")]).toEqual([
      404,
      "https://a.example",
    ]);
  });
});

test("mods are registered, listed, used and removed", async () => {
  const mod = serializeMod('import { mod } from "midtoken/mod";\nexport default mod({});\n', {
    name: "idle",
  });
  expect(await (await story.handler(post("/mods", mod))).json()).toEqual(mod);
  const list = async () =>
    ((await (await story.handler(new Request(`${base}/mods`))).json()) as { data: { name: string }[] }).data;
  expect((await list()).map(({ name }) => name)).toContain("idle");
  const remove = new Request(`${base}/mods/idle`, { method: "DELETE" });
  expect(await (await story.handler(remove)).json()).toEqual({ id: "idle", object: "mod", deleted: true });
  expect((await list()).map(({ name }) => name)).not.toContain("idle");
  const broken = await errorOf(
    await story.handler(post("/mods", { name: "broken", source: "let let = 1;" })),
  );
  expect(broken).toMatchObject({ status: 400, code: "mod_does_not_compile" });
  expect(broken.message).toContain("line 1");
  expect(await errorOf(await story.handler(post("/mods", { ...mod, hash: "0" })))).toMatchObject({
    status: 400,
  });
  expect(await errorOf(await story.handler(post("/mods", [])))).toMatchObject({ status: 400 });
});

test("a request's trace is a file", async () => {
  const body = {
    model: story.context.model,
    messages: [{ role: "user", content: "Once" }],
    max_tokens: 3,
    seed: 1,
  };
  const answer = await story.handler(post("/chat/completions", body));
  const { midtoken, choices } = (await answer.json()) as {
    midtoken: { request_ids: string[] };
    choices: { message: { content: string } }[];
  };
  const response = await story.handler(new Request(`${base}/requests/${midtoken.request_ids[0]}/trace`));
  expect(response.headers.get("content-disposition")).toMatch(
    /^attachment; filename="request-[\w-]+\.trace"$/,
  );
  const { trace } = decodeTraceFile(new Uint8Array(await response.arrayBuffer()));
  expect(trace.records.at(-1)).toMatchObject({ type: "finished", text: choices[0]?.message.content });
});

test("OpenAI's client on the handler, as docs/http.md has it", async () => {
  const ids = await clientOf(story.engine).models.list();
  expect(ids.data.map(({ id }) => id)).toContain(story.context.model);
  expect(await continueStory(story.context.client, story.context.model)).toMatch(/\w+/);
});

/** A handler over requests with scripted events. */
function scripted(...parameters: Parameters<typeof scriptedStart>) {
  const { start, ...seen } = scriptedStart(...parameters);
  const engine = {
    models: { list: () => [] },
    chat: { completions: createChatCompletions(start) },
  } as unknown as MidtokenEngine;
  // Long waits, so that no comments come between the pieces on a busy machine.
  return { handler: createServerHandler(engine, {}, { head: 60_000, keepAlive: 60_000 }), ...seen };
}
const streamed = (init?: RequestInit) =>
  post("/chat/completions", { model: "m", messages: [{ role: "user", content: "Hi" }], stream: true }, init);

test("a stream ends in [DONE]; one that fails on its way in its error; one that fails before is an error", async () => {
  const whole = scripted([[textStreamEvent("a"), finishedStreamEvent({ text: "a" })]]);
  const response = await whole.handler(streamed());
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const lines = (await response.text()).split("\n\n");
  expect(lines.slice(-2)).toEqual(["data: [DONE]", ""]);
  expect(lines.slice(0, -2).every((line) => line.startsWith('data: {"id":"chatcmpl-r1"'))).toBe(true);

  const failure = finishedStreamEvent({ reason: "error", error: { message: "It broke.", mod: 0 } });
  const later = await (await scripted([[textStreamEvent("a"), failure]], ["m"]).handler(streamed())).text();
  expect(later).toMatch(
    /data: \{"error":\{"message":"The mod \\"m\\" ended the request: It broke\."[^\n]*\}\n\n$/,
  );
  expect(await errorOf(await scripted([[failure]], ["m"]).handler(streamed()))).toMatchObject({
    status: 422,
  });
});

test("a reader that goes away ends the request, also while it waits", async () => {
  const leaving = scripted([[textStreamEvent("a"), "wait"]]);
  const reader = (await leaving.handler(streamed())).body?.getReader();
  await reader?.read();
  await reader?.read();
  const waiting = reader?.read();
  await reader?.cancel();
  await waiting;
  expect(leaving.cancelled).toEqual(["r1"]);

  const aborted = scripted([["wait"]]);
  const abort = new AbortController();
  const answer = aborted.handler(streamed({ signal: abort.signal }));
  // When the plan was read, the request is in progress.
  while (aborted.plans.length === 0) await new Promise((resolve) => setTimeout(resolve));
  abort.abort();
  expect(await errorOf(await answer)).toMatchObject({ status: 499, code: "request_cancelled" });
  expect(aborted.cancelled).toEqual(["r1"]);
});

test("pieces are made as they are read", async () => {
  let made = 0;
  const start = scriptedStart([]).start;
  const engine = {
    models: { list: () => [] },
    chat: {
      completions: createChatCompletions(async (plan) => ({
        ...(await start(plan)),
        events: (async function* () {
          for (; made < 1000; made++) yield textStreamEvent("a");
          yield finishedStreamEvent();
        })(),
      })),
    },
  } as unknown as MidtokenEngine;
  const reader = (await createFetchHandler(engine)(streamed())).body?.getReader();
  for (let count = 0; count < 5; count++) await reader?.read();
  // By now a handler that reads ahead would have requested all pieces.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));
  expect(made).toBeLessThan(10);
  await reader?.cancel();
});
