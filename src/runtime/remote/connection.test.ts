/** A server's key stays out of errors, and answers that happen to contain the key's letters stay as they are. */
import { expect, test } from "vitest";
import { ServerConnection } from "./connection.ts";
import { dataText } from "./event-stream.ts";
import type { HttpExchange } from "./exchange.ts";

const access = { url: "http://127.0.0.1:9931", key: "none" };

const answering =
  (status: number, text: string): HttpExchange =>
  async ({ onPiece }) => {
    onPiece?.(text);
    return { status, text };
  };

test("an answer keeps the letters of the key", async () => {
  const body = { content: "bonnet, none", said: 'the field "error": none' };
  const { get, stream } = connection(200, JSON.stringify(body));
  expect(await get()).toEqual(body);
  expect(await stream()).toEqual([JSON.stringify(body)]);
});

test("an error is quoted without the key", async () => {
  const error = JSON.stringify({ error: { message: "Bearer none has no access" } });
  await expect(connection(500, error).get()).rejects.toThrow("Bearer [key] has no access");
  expect(await connection(200, error).stream()).toEqual([error.replace("none", "[key]")]);
  expect(await connection(200, error).get()).toEqual({ error: { message: "Bearer [key] has no access" } });
});

function connection(status: number, text: string) {
  const made = (sent: string) => new ServerConnection(access, answering(status, sent));
  return {
    get: () => made(text).get("/props"),
    stream: async () => {
      const events: string[] = [];
      await made(`data: ${text}\n\n`).stream(
        "/completion",
        {},
        { onEvent: (data) => events.push(dataText(data)) },
      );
      return events;
    },
  };
}
