import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import type { ExchangeRequest, HttpExchange } from "./exchange.ts";
import { longestIdleMs, withIdleLimit } from "./idle-limit.ts";
import { startFakeLlama } from "./testing/fake-llama.ts";

const request: ExchangeRequest = {
  method: "POST",
  url: "http://127.0.0.1:9931/completion?x",
  headers: {},
  maxBytes: 100,
};

describe("on a clock of the test", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** An exchange that ends when the test says so, or with its signal. */
  function held() {
    const sent: ExchangeRequest[] = [];
    let end: (text: string) => void = () => undefined;
    const exchange: HttpExchange = (given) =>
      new Promise((resolve, reject) => {
        sent.push(given);
        given.signal?.addEventListener("abort", () => reject(given.signal?.reason));
        end = (text) => resolve({ status: 200, text });
      });
    return { exchange, send: withIdleLimit(exchange), sent, end: (text: string) => end(text) };
  }

  test("a request without a byte ends after 600 s, and its connection with it", async () => {
    const { send, sent } = held();
    const asking = send(request).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(longestIdleMs - 1);
    expect(sent[0]?.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asking).toMatchObject({
      fault: "unreachable",
      message: "http://127.0.0.1:9931 has sent nothing for 600 s. Look at the server's log, then run again.",
    });
    expect(sent[0]?.signal?.aborted).toBe(true);
  });

  test("the requests of a connection have the limit", async () => {
    const asking = new ServerConnection({ url: request.url.slice(0, 21) }, held().exchange).get("/health");
    const failed = expect(asking).rejects.toMatchObject({ fault: "unreachable" });
    await vi.advanceTimersByTimeAsync(longestIdleMs);
    await failed;
  });

  test("each piece of a stream begins the wait anew", async () => {
    const { send, sent, end } = held();
    const pieces: string[] = [];
    const asking = send({ ...request, onPiece: (piece) => pieces.push(piece) });
    for (let count = 0; count < 5; count++) {
      await vi.advanceTimersByTimeAsync(longestIdleMs - 1);
      sent[0]?.onPiece?.("piece");
    }
    end("");
    expect(await asking).toEqual({ status: 200, text: "" });
    expect(pieces).toHaveLength(5);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a stop ends the request with its reason, and leaves no clock behind", async () => {
    const { send } = held();
    const stop = new AbortController();
    const asking = send({ ...request, signal: stop.signal });
    stop.abort(new Error("stopped"));
    await expect(asking).rejects.toThrow("stopped");
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("over a real connection", async () => {
  const server = await startFakeLlama({ vocabularySize: 8, contextLength: 64, rowAfter: () => [] });
  server.faults.set("/health", () => {});
  const send = withIdleLimit(createHttpExchange(), 30);
  const asking = send({ ...request, method: "GET", url: `${server.url}/health` });
  await expect(asking).rejects.toMatchObject({ fault: "unreachable" });
  await server.close();
});
