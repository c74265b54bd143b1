import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { RemoteEngineError } from "../../runtime/remote/remote-error.ts";
import { createHttpExchange } from "./http-exchange.ts";

let server: Server | null = null;
afterEach(() => server?.close());

const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Starts a server that calls `serve` with each connection when its request has arrived. Returns the address and the number of connections. */
async function listen(serve: (socket: Socket, place: number) => void) {
  let count = 0;
  const made = createServer((socket) => {
    const place = count++;
    socket.on("error", () => undefined);
    socket.once("data", () => serve(socket, place));
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  const { port } = made.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/completion`, count: () => count };
}

const post = (url: string, signal?: AbortSignal) =>
  createHttpExchange()({ method: "POST", url, headers: {}, body: "{}", maxBytes: 1_000, signal });

test("a connection that the server resets before it answers is opened again", async () => {
  const { url, count } = await listen((socket, place) => {
    if (place < 3) socket.resetAndDestroy();
    else socket.end(answer);
  });
  expect(await post(url)).toEqual({ status: 200, text: "ok" });
  expect(count()).toBe(4);
});

test("a server that resets every connection is unreachable", async () => {
  const { url, count } = await listen((socket) => void socket.resetAndDestroy());
  const error: unknown = await post(url).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RemoteEngineError);
  expect(error).toMatchObject({ fault: "unreachable", message: expect.stringContaining("ECONNRESET") });
  expect(count()).toBe(5);
});

test("an answer that breaks off is not asked for again", async () => {
  const { url, count } = await listen((socket) => {
    socket.write(answer.slice(0, -1), () => socket.resetAndDestroy());
  });
  await expect(post(url)).rejects.toMatchObject({ fault: "broken" });
  expect(count()).toBe(1);
});

test("an abort between two attempts ends the request with its reason", async () => {
  const gone = new AbortController();
  const reason = new Error("The client left.");
  const { url } = await listen((socket, place) => {
    socket.resetAndDestroy();
    if (place === 2) gone.abort(reason);
  });
  await expect(post(url, gone.signal)).rejects.toBe(reason);
});
