/** A server's key stays out of errors, answers that happen to contain the key's letters stay as they are, and errors name the server. */
import { expect, test } from "vitest";
import { ServerConnection } from "./connection.ts";
import { fetchServedModel } from "./engine-kind.ts";
import { dataText } from "./event-stream.ts";
import { type HttpExchange, tooLargeResponseError } from "./exchange.ts";

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

test.each([
  ["llamacpp", "a llama.cpp server"],
  ["vllm", "a vLLM server"],
  ["sglang", "an SGLang server"],
])("messages name the server that was found: %s", async (owner, expected) => {
  const models = JSON.stringify({ data: [{ id: "model", owned_by: owner }] });
  const exchange: HttpExchange = async (request) => {
    if (request.url.endsWith("/v1/models")) return { status: 200, text: models };
    if (request.url.endsWith("/large")) throw tooLargeResponseError(request.url, request);
    return { status: 200, text: "<html>" };
  };
  const server = new ServerConnection(access, exchange);
  await expect(server.get("/props")).rejects.toThrow(
    /is not JSON\. Check that this is the address of a llama\.cpp, vLLM or SGLang server\.$/,
  );
  await fetchServedModel(server);
  for (const path of ["/props", "/large"])
    await expect(server.get(path)).rejects.toThrow(`Check that this is the address of ${expected}.`);
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
