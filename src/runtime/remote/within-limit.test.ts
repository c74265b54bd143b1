/** A server that is silent does not hold up a load, and a stop ends the wait. */
import { afterEach, expect, test } from "vitest";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { type FakeLlama, startFakeLlama } from "./testing/fake-llama.ts";
import { withResponseTimeLimit } from "./within-limit.ts";

let server: FakeLlama | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function silent(): Promise<ServerConnection> {
  server = await startFakeLlama({ vocabularySize: 8, contextLength: 64, rowAfter: () => [] });
  server.faults.set("/health", () => {});
  return new ServerConnection({ url: server.url }, createHttpExchange());
}

test("a silent server is named after the limit", async () => {
  const connection = await silent();
  const asking = withResponseTimeLimit(connection, { ms: 50 }, (signal) =>
    connection.get("/health", { signal }),
  );
  await expect(asking).rejects.toThrow(
    `${connection.origin} did not answer within 0.05 s. Check the address`,
  );
  await expect(asking).rejects.toMatchObject({ fault: "unreachable" });
});

test("a stop and a failure of the server stay as they are", async () => {
  const connection = await silent();
  const stop = new AbortController();
  const asking = withResponseTimeLimit(connection, { ms: 60_000, signal: stop.signal }, (signal) =>
    connection.get("/health", { signal }),
  );
  stop.abort(new Error("stopped"));
  await expect(asking).rejects.toThrow("stopped");
  const failure = new RemoteEngineError("server", "The server failed.");
  await expect(withResponseTimeLimit(connection, { ms: 60_000 }, () => Promise.reject(failure))).rejects.toBe(
    failure,
  );
});
