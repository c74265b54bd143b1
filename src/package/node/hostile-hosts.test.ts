/** `midtoken serve` on every kind of address: requests under a stranger's name, and requests that name another host, are refused. */
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createFetchHandler } from "../http/fetch-handler.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { isHostName } from "./request-head.ts";
import { rawExchange } from "./testing/raw-exchange.ts";

const interfaces = Object.values(networkInterfaces()).flatMap((each = []) => each);
const outer = interfaces.find(({ internal, family }) => family === "IPv4" && !internal)?.address;
const hasIPv6 = interfaces.some(({ address }) => address === "::1");

/** The address on which the server listens, and the requested address. */
const places = [
  { listens: "127.0.0.1", asked: "127.0.0.1" },
  { listens: "127.0.0.9", asked: "127.0.0.9" },
  { listens: "0.0.0.0", asked: "127.0.0.1" },
  ...(hasIPv6
    ? [
        { listens: "::1", asked: "::1" },
        { listens: "::", asked: "::1" },
      ]
    : []),
  ...(outer ? [{ listens: outer, asked: outer }] : []),
];

/** Counts registered mods: if a stranger's page gets through, it registers one. */
function countingEngine() {
  const seen = { registered: 0 };
  const engine = {
    models: { list: () => [] },
    mods: {
      list: () => [],
      async sync() {},
      async register(mod: unknown) {
        seen.registered += 1;
        return mod;
      },
    },
  } as unknown as MidtokenEngine;
  return { engine, seen };
}

describe.each(places)("a server on $listens", ({ listens, asked }) => {
  const { engine, seen } = countingEngine();
  let server: HttpServer;
  beforeAll(async () => {
    const handler = createFetchHandler(engine);
    server = await startHttpServer({ handler, host: listens, port: 0, allowedHosts: ["models.example"] });
  });
  afterAll(() => server.close());

  const own = () => (asked.includes(":") ? `[${asked}]:${server.port}` : `${asked}:${server.port}`);
  const get = (host: string | null, target = "/v1/models") =>
    rawExchange(
      asked,
      server.port,
      `GET ${target} HTTP/1.1\r\n${host === null ? "" : `Host: ${host}\r\n`}Connection: close\r\n\r\n`,
    );
  const register = (target: string, { host, origin }: { host: string; origin: string }) => {
    const body = '{"name":"a","source":"export default {}"}';
    const head = `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nConnection: close`;
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}`;
    return rawExchange(asked, server.port, `${head}\r\n${type}\r\n\r\n${body}`);
  };

  test("answers to its own names and to allowed ones", async () => {
    for (const host of [
      own(),
      "localhost",
      "LOCALHOST:80",
      "127.0.0.1:9",
      "[::1]:9",
      "models.example",
      "Models.Example:443",
    ])
      expect((await get(host)).status, host).toBe(200);
  });

  test.each([
    ["evil.example", 421],
    ["evil.example:8080", 421],
    ["127.0.0.1.evil.example", 421],
    ["localhost.evil.example:80", 421],
    ["evil-localhost", 421],
    ["localhost.", 421],
    ["x.models.example", 421],
    ["models.example.evil.example", 421],
    ["127.0.0.1.nip.io", 421],
    ["0x7f.1", 421],
    ["2130706433", 421],
    ["evil.local", 421],
    [null, 400],
    ["", 400],
    ["localhost:99999", 400],
    ["localhost:8080:8080", 400],
    ["localhost@evil.example", 400],
    ["evil.example/localhost", 400],
    ["localhost, evil.example", 400],
    ["localhost\r\nHost: evil.example", 400],
    ["[::1", 400],
    ["[evil.example]", 400],
  ])("as %j is refused with %i", async (host, status) => {
    const answer = await get(host);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { type: "invalid_request_error" } });
    if (status === 421) expect(answer.body).toContain("--allow-host");
  });

  test.each([
    ["//evil.example/v1/mods", 403],
    ["/\\evil.example/v1/mods", 403],
    ["///evil.example/v1/mods", 403],
    ["http://evil.example/v1/mods", 400],
    ["HTTP://evil.example/v1/mods", 400],
    ["https://evil.example/v1/mods", 400],
    ["http://localhost@evil.example/v1/mods", 400],
    ["http:evil.example/v1/mods", 400],
    ["ws://evil.example/v1/mods", 400],
    ["/v1/mods", 403],
  ])("POST %s from a page of evil.example registers nothing", async (target, status) => {
    const before = seen.registered;
    const answer = await register(target, { host: own(), origin: "http://evil.example" });
    expect([answer.status, seen.registered]).toEqual([status, before]);
  });

  test("its own pages register mods, by path and by whole address", async () => {
    const before = seen.registered;
    const mine = { host: own(), origin: `http://${own()}` };
    expect((await register("/v1/mods", mine)).status).toBe(200);
    expect((await register(`http://${own()}/v1/mods`, mine)).status).toBe(200);
    expect(seen.registered).toBe(before + 2);
  });

  test("a path that begins with two slashes is no address", async () => {
    for (const target of ["//", "//v1/models", `//${own()}/v1/models`])
      expect((await get(own(), target)).status, target).toBe(404);
  });
});

test("names for --allow-host", () => {
  expect(["models.example", "box", "192.168.1.2", "fd00::2"].every(isHostName)).toBe(true);
  const wrong = [
    "",
    "Models.example",
    "http://models.example",
    "models.example:80",
    "*",
    "*.example",
    "a/b",
    "[::1]",
  ];
  expect(wrong.filter(isHostName)).toEqual([]);
});
