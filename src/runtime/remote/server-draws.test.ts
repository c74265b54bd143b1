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

type ServerDraws = boolean | "always";

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

const draws = 400;
/** The bytes that begin a character of several bytes: the story model has a token for each byte, from 3 on. */
const partTokens = Array.from({ length: 0xf5 - 0xc2 }, (_, byte) => 3 + 0xc2 + byte);

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

  function modelWith(listed: number | undefined, serverDraws: ServerDraws): LlamaServerModel {
    const connection = new ServerConnection({ url: server.url }, createHttpExchange());
    return new LlamaServerModel(new Replicas([new Replica({ connection, slots: 1 })]), {
      server: { vocabularySize, contextLength: 512 },
      endOfSequence: [2],
      listedTokens: listed,
      serverDraws,
      partTokens: () => partTokens,
    });
  }

  async function run(
    listed: number | undefined,
    serverDraws: ServerDraws,
    settings: object = {},
    maxTokens = 30,
  ) {
    const model = modelWith(listed, serverDraws);
    const sampling = { ...defaultSampling, temperature: 1, ...settings };
    const request = { prompt: [1, 403, 407, 261], sampling, maxTokens, seed: 5 };
    const { records, finished } = await runDecode({ kvCache: new KvCache(model), tokenizer, request });
    await model.dispose();
    expect(finished.reason).toBe("length");
    return records.filter((record): record is SampledRecord => record.type === "sampled");
  }

  test("the server draws tokens that are not listed, and the trace says so", async () => {
    const drawnBy = (await run(20, true, {}, 60)).map((sampled) => sampled.drawnBy);
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

  test("always: every token is the server's, and the same request gives the same tokens", async () => {
    const settings = { temperature: 0.8, topP: 0.9 };
    const first = await run(20, "always", settings);
    expect(first.every(({ drawnBy }) => drawnBy === "server")).toBe(true);
    for (const { probability, candidates } of first) {
      expect(probability).toBeGreaterThan(0);
      expect(candidates).toBeGreaterThan(0);
    }
    expect((await run(20, "always", settings)).map(({ token }) => token)).toEqual(
      first.map(({ token }) => token),
    );
  });

  test("always, at temperature 0: nobody draws, and the tokens are the most likely ones", async () => {
    const greedy = await run(20, "always", { temperature: 0 });
    expect(greedy.some(({ drawnBy }) => drawnBy !== undefined)).toBe(false);
    expect(greedy.map(({ token }) => token)).toEqual(
      (await run(20, false, { temperature: 0 })).map(({ token }) => token),
    );
  });

  test.each([0, 8])("always: draws have the model's distribution, with %i tokens ahead", async (ahead) => {
    const [whole, model] = [modelWith(undefined, false), modelWith(20, "always")];
    const temperature = 4;
    const logits = await whole.forward([1, 403, 407, 261]);
    await whole.dispose();
    const drawn = new Map<number, number>();
    await model.append([1, 403, 407]);
    for (let seed = 0; seed < draws; seed++) {
      model.drawAhead?.({ temperature, topK: 0, topP: 1, minP: 0, seed }, false);
      await model.forwardListed?.([261], 1, 20, undefined, ahead);
      const token = model.takeServerDraw?.()?.token ?? -1;
      drawn.set(token, (drawn.get(token) ?? 0) + 1);
      model.truncate(3);
    }
    await model.dispose();
    const weights = Array.from(logits, (logit) => Math.exp(logit / temperature));
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const likely = [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number));
    for (const group of [partTokens, likely.slice(0, 3), likely.slice(3, 50)]) {
      const share = group.reduce((sum, token) => sum + (weights[token] as number), 0) / all;
      const count = group.reduce((sum, token) => sum + (drawn.get(token) ?? 0), 0);
      const deviation = Math.sqrt(draws * share * (1 - share));
      expect(Math.abs(count - draws * share)).toBeLessThan(4 * deviation);
    }
    expect(drawn.get(-1)).toBeUndefined();
  });
});
