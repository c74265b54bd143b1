/** A request of a session reads a server's stream to its end; a pause closes the stream. */
import { afterEach, expect, test } from "vitest";
import { KvCache } from "../../core/decoder/kv-cache/kv-cache.ts";
import { runDecode } from "../../core/decoder/testing/run-decode.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "../remote/connection.ts";
import { Replica } from "../remote/replica.ts";
import { Replicas } from "../remote/replicas.ts";
import { LlamaServerModel } from "../remote/server-model.ts";
import { type FakeLlama, startFakeLlama } from "../remote/testing/fake-llama.ts";
import { createRunControl } from "./shared/run-control.ts";

const vocabularySize = 257;
const rowAfter = (prompt: readonly number[]) =>
  Array.from({ length: vocabularySize }, (_, token) =>
    token === 65 + (prompt.length % 8) ? -0.01 : -6 - token / 1000,
  );

let server: FakeLlama | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

/** The number of tokens that each request to the server asked for. */
async function askedTokens(pauseAfter: number | null): Promise<readonly unknown[]> {
  server = await startFakeLlama({ vocabularySize, contextLength: 600, rowAfter });
  const connection = new ServerConnection({ url: server.url }, createHttpExchange());
  const model = new LlamaServerModel(new Replicas([new Replica({ connection, slots: 1 })]), {
    server: { vocabularySize, contextLength: 600 },
    endOfSequence: [256],
    listedTokens: 64,
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  let time = 0;
  // Every step is slow, so every step lets the event loop run.
  const control = createRunControl({
    turn,
    now: () => (time += 100),
    onTurn: () => {},
    onPaused: () => void setImmediate(() => control.resume()),
  });
  let added = 0;
  const { finished } = await runDecode({
    kvCache: new KvCache(model),
    request: { maxTokens: 30 },
    pausePoint: (at, onWait) => control.pausePoint(at, onWait),
    onRecord(record) {
      if (record.type !== "added") return;
      added += 1;
      if (added === pauseAfter) control.pause();
    },
  });
  expect(finished.usage.completionTokens).toBe(30);
  return server.bodies("/completion").map(({ n_predict: count }) => count);
}

test("turns of the event loop leave the stream open", async () => {
  expect(await askedTokens(null)).toEqual([30]);
});

test("a pause closes the stream, and another one follows", async () => {
  expect(await askedTokens(10)).toEqual([30, 20]);
});
