/** Who draws a token that a real server does not list: the server, or our sampler from the whole row. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../scripts/remote/find-server.ts";
import { type RunningLlamaServer, startLlamaServer } from "../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../scripts/remote/story-gguf.ts";
import { KvCache } from "../../core/decoder/kv-cache/kv-cache.ts";
import { byteTokenizer } from "../../core/decoder/testing/byte-tokenizer.ts";
import { runDecode } from "../../core/decoder/testing/run-decode.ts";
import { defaultSampling } from "../../core/sdk/request.ts";
import type { SampledRecord } from "../../core/trace/format/format.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { LlamaServerModel } from "./server-model.ts";

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

/** More than the 1,024 tokens that the engine asks for before a server draws. */
const vocabularySize = 3_000;

const tokenizer = {
  ...byteTokenizer,
  vocabSize: vocabularySize,
  decode: (tokens: readonly number[]) => tokens.map((token) => `<${token}>`).join(""),
  tokenText: (token: number) => `<${token}>`,
  tokenBytes: (token: number) => new TextEncoder().encode(`<${token}>`),
};

describe.runIf(isThere)("a vocabulary of 3,000 tokens, 20 listed, temperature 1 without cut-offs", () => {
  let server: RunningLlamaServer;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "midtoken-draws-"));
    const model = join(folder, "story.gguf");
    writeFileSync(model, storyGguf(vocabularySize));
    server = await startLlamaServer({ model });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(listed: number | undefined, serverDraws: boolean) {
    const connection = new ServerConnection({ url: server.url }, createHttpExchange());
    const model = new LlamaServerModel(new Replicas([new Replica({ connection, slots: 1 })]), {
      server: { vocabularySize, contextLength: 512 },
      endOfSequence: [2],
      listedTokens: listed,
      serverDraws,
    });
    const sampling = { ...defaultSampling, temperature: 1 };
    const request = { prompt: [1, 403, 407, 261], sampling, maxTokens: 60, seed: 5 };
    const { records, finished } = await runDecode({ kvCache: new KvCache(model), tokenizer, request });
    await model.dispose();
    expect(finished.reason).toBe("length");
    return records.filter((record): record is SampledRecord => record.type === "sampled");
  }

  test("the server draws tokens that are not listed, and the trace says so", async () => {
    const drawnBy = (await run(20, true)).map((sampled) => sampled.drawnBy);
    expect(drawnBy.filter((who) => who === "server").length).toBeGreaterThan(0);
    expect(drawnBy.filter((who) => who === undefined).length).toBeGreaterThan(0);
  });

  test("switched off, every token follows from the seed, however many tokens a step lists", async () => {
    const first = await run(20, false);
    expect(first.some(({ drawnBy }) => drawnBy !== undefined)).toBe(false);
    const tokens = first.map(({ token }) => token);
    expect((await run(20, false)).map(({ token }) => token)).toEqual(tokens);
    expect((await run(64, false)).map(({ token }) => token)).toEqual(tokens);
  });
});
