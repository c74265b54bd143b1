/** Keys, limits, health and the request log before the API, on an engine with scripted answers. */
import OpenAI, { AuthenticationError, RateLimitError } from "openai";
import { describe, expect, test } from "vitest";
import { createChatCompletions } from "../../api/completions.ts";
import type { MidtokenEngine, RequestEvent } from "../../api/midtoken-engine.ts";
import {
  type AnswerScript,
  finishedStreamEvent,
  scriptedStart,
  textStreamEvent,
} from "../../api/testing/scripted-start.ts";
import { createFrontDoor, type FrontDoorOptions } from "./front-door.ts";
import { parseKeys } from "./key-file.ts";
import { KeyRing } from "./key-ring.ts";
import { formatLogLine, type LoggedRequest } from "./request-log.ts";

const alice = "sk-alice-0123456789";
const bob = "sk-bob-0123456789ab";
const secret = "a secret of the prompt";
const answer: AnswerScript = [textStreamEvent("hidden words"), finishedStreamEvent({ text: "hidden words" })];

function open(
  scripts: readonly AnswerScript[],
  keyLines: string | null,
  more: Partial<FrontDoorOptions> = {},
) {
  const { start, plans, cancelled } = scriptedStart(scripts);
  const lines: LoggedRequest[] = [];
  let heard: () => void = () => undefined;
  const usage = { promptTokens: 5, completionTokens: 2 };
  const engine = {
    chat: { completions: createChatCompletions(start) },
    models: {
      list: () => [
        { id: "m", loaded: {} },
        { id: "n", loaded: null },
      ],
    },
    mods: { list: () => [], sync: async () => undefined, register: async (mod: unknown) => mod },
    requests: {
      // The log asks for these requests, which have all ended.
      list: () => plans.map((_, index) => ({ id: `r${index + 1}`, status: "finished" })),
      records: () => [{ type: "finished", usage }],
      subscribe: (_listener: (event: RequestEvent) => void) => () => undefined,
    },
  } as unknown as MidtokenEngine;
  const clock = { now: 0 };
  const keys = keyLines === null ? null : new KeyRing(parseKeys(keyLines, "keys.txt"), () => clock.now);
  const door = createFrontDoor({
    engine,
    keys,
    state: () => "ready",
    clock: () => clock.now,
    log(line) {
      lines.push(line);
      heard();
    },
    ...more,
  });
  /** Resolves when this many lines were written. */
  const logged = async (count: number): Promise<readonly LoggedRequest[]> => {
    while (lines.length < count)
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    return lines;
  };
  return { door, clock, plans, cancelled, lines, logged };
}

const base = "http://127.0.0.1:8080/v1";
const chat = (key: string | null, fields: object = {}, init: RequestInit = {}) =>
  new Request(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: secret }], ...fields }),
    ...init,
  });
const codeOf = async (response: Response) =>
  ((await response.json()) as { error: { code: string } }).error.code;

describe("keys", () => {
  test.each([
    ["/models", "GET"],
    ["/mods", "GET"],
    ["/mods/a", "DELETE"],
    ["/requests/r1/trace", "GET"],
    ["/nothing", "GET"],
    ["/models", "HEAD"],
  ])("%s %s needs one", async (path, method) => {
    const { door } = open([], `${alice} alice`);
    for (const authorization of [null, `Bearer ${bob}`, "Bearer", alice]) {
      const headers = new Headers(authorization === null ? [] : [["authorization", authorization]]);
      const response = await door(new Request(base + path, { method, headers }));
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
  });

  test("without a right one nothing is read and nothing is started", async () => {
    const { door, plans, logged } = open([answer], `${alice} alice`);
    const request = chat(bob);
    const response = await door(request);
    expect([response.status, await codeOf(response), request.bodyUsed]).toEqual([
      401,
      "invalid_api_key",
      false,
    ]);
    expect(plans).toHaveLength(0);
    expect(await logged(1)).toMatchObject([
      { key: null, route: "/v1/chat/completions", status: 401, error: "invalid_api_key" },
    ]);
  });

  test("pages that may ask read the 401, and their browsers need no key to ask beforehand", async () => {
    const { door } = open([], `${alice} alice`, { origins: ["https://a.example"] });
    const headers = { origin: "https://a.example", "access-control-request-headers": "authorization" };
    const before = await door(new Request(`${base}/models`, { method: "OPTIONS", headers }));
    expect([before.status, before.headers.get("access-control-allow-headers")]).toEqual([
      204,
      "authorization",
    ]);
    const refused = await door(new Request(`${base}/models`, { headers }));
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      headers.origin,
    ]);
    const stranger = { origin: "https://b.example", authorization: `Bearer ${alice}` };
    expect((await door(new Request(`${base}/models`, { headers: stranger }))).status).toBe(403);
  });

  test("OpenAI's client throws its own errors", async () => {
    const { door } = open([answer, answer], `${alice} alice rpm=1`);
    const client = (apiKey: string) =>
      new OpenAI({
        apiKey,
        baseURL: base,
        maxRetries: 0,
        fetch: (url, init) => door(new Request(url, init)),
      });
    await expect(client(bob).models.list()).rejects.toThrow(AuthenticationError);
    await client(alice).models.list();
    await expect(client(alice).models.list()).rejects.toThrow(RateLimitError);
  });
});

describe("limits", () => {
  test("requests at once are counted until the answer was read, or its client left", async () => {
    const waiting: AnswerScript = [textStreamEvent("a"), "wait"];
    const { door, cancelled } = open(
      [waiting, answer, waiting, answer],
      `${alice} alice concurrent=1\n${bob} bob`,
    );
    const first = await door(chat(alice, { stream: true }));
    const refused = await door(chat(alice));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    // Another key has its own limits.
    expect((await door(chat(bob))).status).toBe(200);
    await first.body?.cancel();
    expect(cancelled).toEqual(["r1"]);
    const third = await door(chat(alice, { stream: true }));
    expect(third.status).toBe(200);
    await third.body?.cancel();
    const last = await door(chat(alice));
    await last.text();
    expect(
      (await door(new Request(`${base}/models`, { headers: { authorization: `Bearer ${alice}` } }))).status,
    ).toBe(200);
  });

  test("tokens are counted from the engine's records, streamed or not", async () => {
    const { door, clock, logged } = open([answer, answer], `${alice} alice tpm=10`);
    await (await door(chat(alice, { stream: true }))).text();
    await logged(1);
    const second = await door(chat(alice));
    expect(second.headers.get("x-ratelimit-remaining-tokens")).toBe("3");
    await second.text();
    await logged(2);
    const third = await door(chat(alice));
    expect([third.status, third.headers.get("retry-after")]).toEqual([429, "30"]);
    clock.now = 30_000;
    expect(
      (await door(new Request(`${base}/models`, { headers: { authorization: `Bearer ${alice}` } }))).status,
    ).toBe(200);
  });

  test("all requests together are bounded by number and by the bytes that they announce", async () => {
    const waiting: AnswerScript = [textStreamEvent("a"), "wait"];
    const capacity = { requests: 2, bytes: 1_000 };
    const { door, plans } = open([waiting, waiting, waiting], null, { capacity });
    const announced = (length: number, fields = {}) => {
      const request = chat(null, fields);
      request.headers.set("content-length", String(length));
      return request;
    };
    // A body without an announced length counts as the largest allowed one.
    const unknown = await door(chat(null));
    expect([unknown.status, await codeOf(unknown)]).toEqual([503, "server_busy"]);
    const first = await door(announced(600, { stream: true }));
    expect((await door(announced(600, { stream: true }))).status).toBe(503);
    const second = await door(announced(400, { stream: true }));
    const third = await door(announced(0, { stream: true }));
    expect([first.status, second.status, third.status]).toEqual([200, 200, 503]);
    expect(third.headers.get("retry-after")).toBe("1");
    await first.body?.cancel();
    expect((await door(announced(600, { stream: true }))).status).toBe(200);
    expect(plans).toHaveLength(3);
    await second.body?.cancel();
  });
});

describe("health", () => {
  test.each([
    ["loading", 503],
    ["ready", 200],
    ["stopping", 503],
  ] as const)("while it is %s, without a key", async (state, status) => {
    const { door, lines } = open([], `${alice} alice`, { state: () => state });
    const health = await door(new Request("http://127.0.0.1:8080/health"));
    expect(health.status).toBe(status);
    const body = await health.json();
    expect(body).toEqual({
      status: state === "ready" ? "ok" : state,
      alive: true,
      ready: state === "ready",
      models: { loaded: 1, loading: 1 },
      requests: { running: 0, waiting: 0 },
    });
    expect((await door(new Request("http://127.0.0.1:8080/health/live"))).status).toBe(200);
    const head = await door(new Request("http://127.0.0.1:8080/health", { method: "HEAD" }));
    expect([head.status, head.body]).toEqual([status, null]);
    // Requests of monitors, every few seconds, are not logged.
    expect(lines).toEqual([]);
  });

  test("a server that is loading asks to come again", async () => {
    const { door } = open([], null, { state: () => "loading" });
    const response = await door(chat(null));
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await codeOf(response)).toBe("server_loading");
  });
});

test.each([
  ["ready", null],
  ["stopping", "close"],
] as const)("a server that is %s answers with `Connection: %s`", async (state, expected) => {
  const { door } = open([answer], null, { state: () => state });
  expect((await door(chat(null))).headers.get("connection")).toBe(expected);
  expect((await door(new Request("http://127.0.0.1:8080/health"))).headers.get("connection")).toBe(expected);
});

describe("the log", () => {
  test("names the route of a refused request", async () => {
    const { door, logged } = open([], `${alice} alice rpm=1`);
    await (await door(chat("sk-nobody-012345678"))).text();
    await (
      await door(new Request(`${base}/models`, { headers: { authorization: `Bearer ${alice}` } }))
    ).text();
    await (await door(chat(alice))).text();
    await (await door(new Request(`${base}/unknown`))).text();
    expect(await logged(4)).toMatchObject([
      { route: "/v1/chat/completions", status: 401 },
      { route: "/v1/models", status: 200 },
      { route: "/v1/chat/completions", status: 429 },
      { route: null, status: 401 },
    ]);
  });

  test("has a line for each request, with neither texts nor keys", async () => {
    const failure = finishedStreamEvent({ reason: "error", error: { message: "It broke.", mod: null } });
    const { door, logged } = open(
      [answer, answer, [textStreamEvent("a"), "wait"], [textStreamEvent("a"), failure]],
      `${alice} alice`,
    );
    await (await door(chat(alice))).text();
    await (await door(chat(alice, { model: "m", stream: true }))).text();
    const left = await door(chat(alice, { stream: true }));
    await left.body?.cancel();
    await (await door(chat(alice, { stream: true }))).text();
    await (await door(chat(alice, { model: secret }))).text();
    await (
      await door(
        new Request(`${base}/models/${encodeURIComponent(secret)}`, {
          headers: { authorization: `Bearer ${alice}` },
        }),
      )
    ).text();
    const lines = await logged(6);
    const route = "/v1/chat/completions";
    expect(lines).toMatchObject([
      {
        key: "alice",
        method: "POST",
        route,
        model: "m",
        status: 200,
        prompt_tokens: 5,
        completion_tokens: 2,
        error: null,
      },
      { key: "alice", route, model: "m", status: 200, prompt_tokens: 5, completion_tokens: 2 },
      { route, model: "m", status: 499, completion_tokens: 2 },
      { route, model: "m", status: 200, error: "engine_failed" },
      { route, model: null },
      { method: "GET", route: "/v1/models/*", model: null, status: 404, prompt_tokens: null },
    ]);
    for (const line of lines) {
      for (const format of ["text", "json"] as const) {
        const written = formatLogLine(line, format) ?? "";
        expect(written).not.toMatch(/\n|secret|hidden|sk-alice/);
      }
    }
  });

  test("formats", () => {
    const line: LoggedRequest = {
      time: "2026-01-01T00:00:00.000Z",
      key: "alice",
      method: "POST",
      route: "/v1/chat/completions",
      model: "m/shout",
      status: 200,
      prompt_tokens: 34,
      completion_tokens: 12,
      ms: 812,
      error: null,
    };
    expect(formatLogLine(line, "text")).toBe(
      "2026-01-01T00:00:00.000Z alice POST /v1/chat/completions m/shout 200 34+12 tokens 812 ms",
    );
    const bare = {
      ...line,
      key: null,
      route: null,
      model: null,
      status: 401,
      prompt_tokens: null,
      error: "invalid_api_key",
    };
    expect(formatLogLine(bare, "text")).toBe(
      "2026-01-01T00:00:00.000Z - POST - - 401 - tokens 812 ms invalid_api_key",
    );
    expect(JSON.parse(formatLogLine(line, "json") ?? "")).toEqual(line);
    expect(formatLogLine(line, "off")).toBeNull();
  });
});
