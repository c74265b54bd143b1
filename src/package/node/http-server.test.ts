/** Requests over a socket reach the handler completely, and its responses are sent while they are made. */
import { request as httpRequest } from "node:http";
import { afterEach, expect, test } from "vitest";
import { type HttpServer, startHttpServer } from "./http-server.ts";
import { isLoopback } from "./request-head.ts";

let server: HttpServer | null = null;
afterEach(() => server?.close());

async function serve(handler: (request: Request) => Promise<Response>): Promise<string> {
  server = await startHttpServer({ handler, host: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${server.port}`;
}

test("method, address, headers and body arrive; status, headers and body come back", async () => {
  const address = await serve(async (request) => {
    const { method, url, headers } = request;
    const said = {
      method,
      path: new URL(url).pathname,
      mine: headers.get("x-mine"),
      body: await request.text(),
    };
    return Response.json(said, { status: 201, headers: { "x-theirs": "2" } });
  });
  const body = "é".repeat(100_000);
  const answer = await fetch(`${address}/a/b?c`, { method: "PUT", body, headers: { "x-mine": "1" } });
  expect([answer.status, answer.headers.get("x-theirs")]).toEqual([201, "2"]);
  expect(await answer.json()).toEqual({ method: "PUT", path: "/a/b", mine: "1", body });
});

test("pieces come as they are made, and no more are made than the client takes", async () => {
  let made = 0;
  const piece = new Uint8Array(1 << 16);
  const address = await serve(async () => {
    const body = new ReadableStream({
      pull(controller) {
        made += 1;
        if (made > 10_000) controller.close();
        else controller.enqueue(piece);
      },
    });
    return new Response(body);
  });
  const incoming = await new Promise<import("node:http").IncomingMessage>((resolve) => {
    httpRequest(address, resolve).end();
  });
  incoming.once("data", () => incoming.pause());
  // When the sockets' buffers are full, nothing moves: two checks with a pause between them give the same number.
  let before = -1;
  while (made !== before) {
    before = made;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  expect(made).toBeLessThan(1_000);
  incoming.destroy();
});

test("a client that leaves aborts its request and what is read of the answer", async () => {
  let aborted: (reason: unknown) => void = () => undefined;
  let cancelled: (reason: unknown) => void = () => undefined;
  const ends = [
    new Promise((resolve) => (aborted = resolve)),
    new Promise((resolve) => (cancelled = resolve)),
  ];
  const address = await serve(async ({ signal }) => {
    signal.addEventListener("abort", () => aborted(signal.reason));
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: (reason) => cancelled(reason),
    });
    return new Response(body);
  });
  const leaving = new AbortController();
  const { body } = await fetch(address, { signal: leaving.signal });
  await body?.getReader().read();
  leaving.abort();
  for (const reason of await Promise.all(ends)) expect(reason).toMatchObject({ name: "AbortError" });
});

test("a name that is made to lead here is refused, and the handler hears nothing", async () => {
  let heard = 0;
  const address = await serve(async () => {
    heard += 1;
    return new Response();
  });
  const status = (host: string) =>
    new Promise<number | undefined>((resolve) => {
      httpRequest(address, { headers: { host } }, (incoming) => {
        incoming.resume();
        resolve(incoming.statusCode);
      }).end();
    });
  for (const host of [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:80",
    "evil.example:8080",
  ]) {
    expect(await status(host), host).toBe(421);
  }
  expect(heard).toBe(0);
  for (const host of ["localhost", "localhost:80", "127.0.0.1", "[::1]:9"])
    expect(await status(host), host).toBe(200);
});

test("a handler that fails, which none does, is an answer with an error", async () => {
  const address = await serve(async () => {
    throw new Error("broken");
  });
  const answer = await fetch(address);
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ error: { message: "broken" } });
});

test("loopback addresses", () => {
  expect(["localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"].every(isLoopback)).toBe(true);
  expect(["0.0.0.0", "::", "127.0.0.1.x", "localhost.x", "128.0.0.1", ""].some(isLoopback)).toBe(false);
});
