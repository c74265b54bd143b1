/** Clients that are slow, large, many or gone, and a server that stops while it sends responses. */
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { createFetchHandler } from "../http/fetch-handler.ts";
import { connectionLimits, type HttpServer, limitsForRequests, startHttpServer } from "./http-server.ts";
import { rawExchange } from "./testing/raw-exchange.ts";

let server: HttpServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const quick = {
  ...connectionLimits,
  headers: 300,
  request: 400,
  check: 50,
  unread: 200,
  rest: 300,
  closing: 300,
};

async function serve(handler: (request: Request) => Promise<Response>, limits = quick): Promise<number> {
  server = await startHttpServer({ handler, host: "127.0.0.1", port: 0, limits });
  return server.port;
}
const exchange = (bytes: string) => rawExchange("127.0.0.1", server?.port ?? 0, bytes);

const engine = {
  models: { list: () => [] },
  mods: { list: () => [], sync: async () => undefined, register: async (mod: unknown) => mod },
} as unknown as MidtokenEngine;
const api = createFetchHandler(engine);
const post =
  "POST /v1/mods HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n";

describe("a client", () => {
  test.each([
    ["that never ends its head", "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n", 408],
    ["that never sends its body", `${post}Content-Length: 10\r\n\r\n`, 408],
    ["that never ends a chunked body", `${post}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`, 408],
    ["that says nothing", "", 408],
    [
      "with a head of 20 KB",
      `GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ["with two lengths", `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    [
      "with a length and chunks",
      `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ["with a header that is folded", "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n X: a\r\n\r\n", 400],
    ["that asks a proxy's question", "CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n", 0],
    ["of the future", "GET /v1/models HTTP/9.9\r\nHost: localhost\r\n\r\n", 400],
    [
      "that upgrades",
      "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n",
      200,
    ],
    [
      "that asks of the whole server",
      "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      404,
    ],
    ["with HEAD", "HEAD /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200],
    ["with HEAD of nothing", "HEAD /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 404],
    [
      "with a method that there is not",
      "BREW /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      400,
    ],
    ["with TRACE", "TRACE /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405],
  ])("%s gets its answer, and the connection is closed: %#", async (_, bytes, status) => {
    await serve(api);
    const answer = await exchange(bytes);
    expect(answer.status).toBe(status);
    if (bytes.startsWith("HEAD")) expect(answer.body).toBe("");
  });

  test("whose body is larger than allowed reads its 413", async () => {
    await serve(api, connectionLimits);
    const body = " ".repeat(20 * 1_048_576);
    const answer = await fetch(`http://127.0.0.1:${server?.port}/v1/mods`, {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ error: { code: "body_too_large" } });
  });

  test("that sends a body without an end is answered and let go", async () => {
    const port = await serve(api);
    const status = await new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      let all = "";
      socket.on("data", (bytes) => {
        all += bytes;
      });
      socket.on("error", () => undefined).on("close", () => resolve(all.slice(9, 12)));
      socket.write(`${post}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on("drain", more);
      more();
    });
    // A client that continues to send may be disconnected before it reads.
    expect(["413", "408", ""]).toContain(status);
  });

  test("that does not read its answer is let go, and its request ends", async () => {
    let cancelled: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const piece = new Uint8Array(1 << 16);
    const port = await serve(
      async () =>
        new Response(new ReadableStream({ pull: (to) => to.enqueue(piece), cancel: () => cancelled() })),
    );
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined).pause();
    socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await ended;
    socket.destroy();
  });

  test("one too many is let go, and those before it are answered", async () => {
    const port = await serve(api, { ...quick, connections: 2, headers: 60_000, request: 60_000 });
    const first = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
    await Promise.all(first.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    const third = connect(port, "127.0.0.1");
    third.on("error", () => undefined);
    await new Promise((resolve) => third.once("close", resolve));
    const heard = new Promise<string>((resolve) => first[0]?.once("data", (bytes) => resolve(String(bytes))));
    first[0]?.write("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await heard).toContain("200 OK");
    for (const socket of first) socket.destroy();
  });
});

const outer = Object.values(networkInterfaces())
  .flatMap((each = []) => each)
  .find(({ internal, family }) => family === "IPv4" && !internal)?.address;

test.skipIf(outer === undefined)("one machine cannot take all connections", async () => {
  const limits = { ...connectionLimits, perAddress: 3 };
  server = await startHttpServer({ handler: api, host: "0.0.0.0", port: 0, limits });
  const { port } = server;
  // A connection from this machine's network address, which the server treats as another machine's.
  const open = (from: string | undefined) => connect({ port, host: from ?? "", localAddress: from });
  const sockets = Array.from({ length: 3 }, () => open(outer));
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  const next = open(outer);
  next.on("error", () => undefined);
  await new Promise((resolve) => next.once("close", resolve));
  expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test.skipIf(outer === undefined)("a proxy on another machine has connections for all requests", async () => {
  server = await startHttpServer({ handler: api, host: "0.0.0.0", port: 0 });
  const ask = `GET /v1/models HTTP/1.1\r\nHost: ${outer}\r\n\r\n`;
  const heard = Array.from({ length: 300 }, () => {
    const socket = connect({ port: server?.port ?? 0, host: outer ?? "", localAddress: outer });
    return new Promise<string>((resolve) => {
      socket.once("data", (bytes) => resolve(String(bytes).slice(9, 12)));
      socket.once("error", () => resolve("closed")).write(ask);
    }).then((status) => ({ socket, status }));
  });
  const answers = await Promise.all(heard);
  expect(answers.filter(({ status }) => status !== "200")).toHaveLength(0);
  for (const { socket } of answers) socket.destroy();
});

test.each([1, 256, 1_000])("one address has more connections than %d requests, and not all", (requests) => {
  const { connections, perAddress } = limitsForRequests(requests);
  expect(perAddress).toBeGreaterThan(requests);
  expect(perAddress).toBeLessThan(connections);
});

describe("an idle connection", () => {
  const ask = "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n";

  /** A connection that got its answer and stays open. */
  async function openIdle(): Promise<{ socket: Socket; answer: string }> {
    const socket = connect(server?.port ?? 0, "127.0.0.1", () => socket.write(ask));
    socket.on("error", () => undefined);
    const answer = await new Promise<string>((resolve) => {
      socket.once("data", (bytes) => resolve(String(bytes)));
      socket.once("close", () => resolve("closed"));
    });
    return { socket, answer };
  }

  test("stays open for longer than proxies keep theirs, which is 60 s", async () => {
    await serve(api, connectionLimits);
    const { socket, answer } = await openIdle();
    expect(Number(/^keep-alive: timeout=(\d+)/im.exec(answer)?.[1])).toBeGreaterThan(60);
    socket.destroy();
  });

  test("does not keep others out", async () => {
    await serve(api, { ...connectionLimits, connections: 4 });
    for (let count = 0; count < 8; count += 1) expect((await openIdle()).answer).toContain("200 OK");
  });
});

describe("a server that stops", () => {
  test("tells unstreamed requests, answers nothing new, and closes", async () => {
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const port = await serve(
      ({ signal }) =>
        new Promise((resolve) => {
          asked();
          signal.addEventListener("abort", () => resolve(Response.json(signal.reason, { status: 503 })));
        }),
    );
    const answer = fetch(`http://127.0.0.1:${port}/`);
    await isAsked;
    await server?.close();
    expect((await answer).status).toBe(503);
    expect(await (await answer).json()).toMatchObject({ error: { code: "server_stopped" } });
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  test("does not wait for a handler that hears nothing, nor for a client that sends nothing", async () => {
    let asked = 0;
    const port = await serve(() => {
      asked += 1;
      return new Promise(() => undefined);
    });
    const answer = fetch(`http://127.0.0.1:${port}/`).catch(() => "closed");
    const silent = exchange(`${post}Content-Length: 10\r\n\r\n`).catch(() => "closed");
    await vi.waitFor(() => expect(asked).toBeGreaterThan(0));
    await server?.close();
    expect(await answer).toBe("closed");
    expect(await silent).toBeDefined();
  });

  test.each([
    ["without a body", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["in the middle of its body", `${post}Content-Length: 10\r\n\r\n{`],
  ])("does not wait for clients that have left before their answer came, %s", async (_, bytes) => {
    let asked: () => void = () => undefined;
    let left: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const hasLeft = new Promise<void>((resolve) => (left = resolve));
    // Waiting for a response that no client reads would take longer than the test's limit.
    const patient = { ...quick, closing: 10_000_000, rest: 10_000_000, request: 10_000_000 };
    const port = await serve(async ({ signal }) => {
      asked();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      left();
      return Response.json({ error: "The client has disconnected." }, { status: 499 });
    }, patient);
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    await isAsked;
    socket.destroy();
    await hasLeft;
    await server?.close();
    server = null;
  });
});
