/** Models on vLLM and SGLang against the shapes that they document, and the same code on a real llama.cpp server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { findLlamaServer, llamaServerRequirement } from "../../../scripts/remote/find-server.ts";
import { startLlamaServer } from "../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../scripts/remote/story-gguf.ts";
import type { ListedLogits } from "../../core/decoder/ports/listed-logits.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import type { EngineDialect } from "./dialect.ts";
import { fetchServedModel } from "./engine-kind.ts";
import { probeEngine } from "./probe.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { countComputedTokens } from "./response-fields.ts";
import { LlamaServerModel } from "./server-model.ts";
import { StepwiseModel } from "./stepwise-model.ts";
import {
  type FakeEngine,
  type FakeEngineOptions,
  startFakeSglang,
  startFakeVllm,
} from "./testing/fake-engines.ts";
import { createLlamaDialect } from "./testing/llama-dialect.ts";

const vocabularySize = 2_000;
/** Token 10 × the length of the text is the most likely one. */
const rowAfter = (prompt: readonly number[]) =>
  Array.from(
    { length: vocabularySize },
    (_, token) => -0.5 - (Math.abs(token - 10 * prompt.length) % vocabularySize) / 10,
  );

const open: FakeEngine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

const starts = { vLLM: startFakeVllm, SGLang: startFakeSglang } as const;
type Kind = keyof typeof starts;
const pathOf = { vLLM: "/v1/completions", SGLang: "/generate" } as const;

async function start(kind: Kind, options: Partial<FakeEngineOptions> = {}): Promise<FakeEngine> {
  const engine = await starts[kind]({ vocabularySize, contextLength: 256, rowAfter, ...options });
  open.push(engine);
  return engine;
}

const connectionTo = (url: string) => new ServerConnection({ url }, createHttpExchange());

async function probed(url: string, priority?: number) {
  const connection = connectionTo(url);
  const served = await fetchServedModel(connection);
  const about = { served, vocabularySize, endToken: 2, priority };
  return { connection, ...(await probeEngine(connection, about)) };
}

async function modelOn(url: string): Promise<StepwiseModel> {
  const { connection, dialect, contextLength } = await probed(url);
  return stepwise(connection, dialect, contextLength);
}

function stepwise(
  connection: ServerConnection,
  dialect: EngineDialect,
  contextLength: number,
  { slots = 0, onNotice = () => {} }: { slots?: number; onNotice?: (notice: string) => void } = {},
) {
  const replicas = new Replicas([new Replica({ connection, slots })]);
  return new StepwiseModel(replicas, {
    dialect,
    contextLength,
    endOfSequence: [2],
    listedTokens: 20,
    onNotice,
  });
}

async function rowOf(model: Pick<StepwiseModel, "forwardListed">, tokens: readonly number[], rows = 1) {
  const given = await model.forwardListed(tokens, rows, 20);
  return given as readonly [ListedLogits, ...ListedLogits[]];
}

describe.each(["vLLM", "SGLang"] as const)("%s", (kind) => {
  test("the end of a text that is computed again at each step, up to a block of the cache, is no lost cache", async () => {
    const { url } = await start(kind);
    const { connection, dialect, contextLength } = await probed(url);
    const notices: string[] = [];
    const model = stepwise(connection, dialect, contextLength, { onNotice: (each) => notices.push(each) });
    await rowOf(model, [1, 2, 3]);
    for (let token = 4; token < 60; token++) await rowOf(model, [token]);
    expect(notices).toEqual([]);
  });

  test("lists, longer lists, named tokens, scores and draws are those of the model", async () => {
    const engine = await start(kind);
    const model = await modelOn(engine.url);
    expect([model.capacity, model.mostListed]).toEqual([255, 1_024]);
    const text = [7, 8, 9];
    const [row] = await rowOf(model, text);
    const expected = rowAfter(text);
    const ranked = [...expected.keys()].sort((a, b) => (expected[b] ?? 0) - (expected[a] ?? 0) || a - b);
    expect([...row.tokens]).toEqual(ranked.slice(0, 20));
    expect([...row.logprobs].map((each) => each.toFixed(3))).toEqual(
      ranked.slice(0, 20).map((token) => expected[token]?.toFixed(3)),
    );
    expect([...(await row.list(100)).tokens]).toEqual(ranked.slice(0, 100));
    const named = ranked.filter((_, place) => place % 7 === 0).slice(0, 200);
    const logprobs = Array.from(await row.logprobsOf(named));
    expect(logprobs).toEqual(named.map((token) => Math.max(-104, expected[token] ?? 0)));
    expect(await row.drawOutside(ranked.slice(0, 3), 0, 1)).toBe(ranked[3]);
    const rows = await rowOf(model, [50, 3], 2);
    expect(rows.map(({ nextLogprob }) => nextLogprob?.toFixed(2) ?? null)).toEqual([
      rowAfter([7, 8, 9, 50])[3]?.toFixed(2),
      null,
    ]);
    expect(model.length).toBe(5);
  });

  test("texts are sent as ids, with every setting that a model's own defaults could change", async () => {
    const engine = await start(kind);
    const model = await modelOn(engine.url);
    await rowOf(model, [7, 8, 9]);
    const sent = engine.bodies(pathOf[kind]).at(-1);
    expect(sent).toEqual(bodyOf[kind]);
  });

  test("a priority goes with every request, and with none unless it is given", async () => {
    for (const priority of [undefined, -3]) {
      const engine = await start(kind);
      const { connection, dialect, contextLength } = await probed(engine.url, priority);
      const [row] = await rowOf(stepwise(connection, dialect, contextLength), [7, 8, 9]);
      await row.logprobsOf([1_500]);
      await row.drawOutside([90], 1, 0);
      const sent = engine.bodies(pathOf[kind]);
      expect(new Set(sent.map((body) => body.priority))).toEqual(new Set([priority]));
    }
  });

  test("no request has more ids than the server bears", async () => {
    const engine = await start(kind);
    const [row] = await rowOf(await modelOn(engine.url), [7]);
    const all = Array.from({ length: vocabularySize }, (_, token) => token);
    expect(await row.logprobsOf(all)).toHaveLength(vocabularySize);
    if (kind === "vLLM")
      await expect(row.drawOutside(all, 0, 0)).rejects.toThrow(/more than 1024 would crash vLLM's engine/);
    for (const body of engine.bodies(pathOf[kind])) {
      const ids = ["allowed_token_ids", "logprob_token_ids", "token_ids_logprob"].map(
        (field) => (body[field] as readonly number[] | undefined)?.length ?? 0,
      );
      expect(Math.max(...ids, Object.keys((body.logit_bias as object) ?? {}).length)).toBeLessThanOrEqual(
        1_024,
      );
    }
  });

  test("a banned token that comes back is an error", async () => {
    const engine = await start(kind, {
      change: (path, answer) => (path === pathOf[kind] ? withToken(kind, answer, 30) : answer),
    });
    const model = stepwise(connectionTo(engine.url), (await dialectOf(kind)) as EngineDialect, 256);
    const [row] = await rowOf(model, [7, 8, 9]);
    await expect(row.drawOutside([30, 31], 1, 0)).rejects.toThrow(
      /is 30, but a token that is not banned was expected/,
    );
  });
});

const settings = { min_p: 0, top_p: 1, frequency_penalty: 0, presence_penalty: 0, repetition_penalty: 1 };
const bodyOf = {
  vLLM: {
    model: "org/fake-model",
    prompt: [7, 8, 9],
    max_tokens: 1,
    logprobs: 20,
    return_token_ids: true,
    return_tokens_as_token_ids: true,
    ignore_eos: true,
    add_special_tokens: false,
    temperature: 0,
    top_k: 0,
    ...settings,
  },
  SGLang: {
    input_ids: [7, 8, 9],
    return_logprob: true,
    top_logprobs_num: 20,
    logprob_start_len: -1,
    return_text_in_logprobs: false,
    stream: false,
    sampling_params: { max_new_tokens: 1, ignore_eos: true, temperature: 1, top_k: -1, ...settings },
  },
} as const;

/** The dialect that a faultless server gets. */
async function dialectOf(kind: Kind): Promise<EngineDialect> {
  return (await probed((await start(kind)).url)).dialect;
}

/** The answer with another token in the place of the one that the server made. */
function withToken(kind: Kind, answer: unknown, token: number): unknown {
  const copy = structuredClone(answer) as {
    choices: { token_ids: number[] }[];
    output_ids: number[];
    meta_info: { output_token_logprobs: unknown[] };
  };
  if (kind === "vLLM") for (const choice of copy.choices) choice.token_ids = [token];
  else {
    copy.output_ids = [token];
    copy.meta_info.output_token_logprobs = [[-1, token, null]];
  }
  return copy;
}

test("vLLM lists 20 tokens unless it is started with more, and older versions are asked for single tokens", async () => {
  const engine = await start("vLLM", { maxLogprobs: 20, isOld: true });
  const model = await modelOn(engine.url);
  expect(model.mostListed).toBe(20);
  const [row] = await rowOf(model, [7, 8, 9]);
  expect(Array.from(await row.logprobsOf([500, 600]))).toEqual([
    rowAfter([7, 8, 9])[500],
    rowAfter([7, 8, 9])[600],
  ]);
});

test("vLLM without priority scheduling refuses a priority with its own sentence", async () => {
  const engine = await start("vLLM", { hasNoPriorities: true });
  await expect(probed(engine.url, 3)).rejects.toThrow(
    /Got priority 3 but Priority scheduling is not enabled/,
  );
});

test("vLLM with log-probabilities after the temperature is refused, with the flag to give", async () => {
  const engine = await start("vLLM", { isProcessed: true });
  await expect(probed(engine.url)).rejects.toThrow(/Start vLLM with --logprobs-mode raw_logprobs/);
});

type Change = (answer: Readonly<Record<string, unknown>>) => unknown;
const first = (answer: Readonly<Record<string, unknown>>) => (answer.choices as readonly object[])[0];

test.each<[Kind, Change, RegExp]>([
  ["vLLM", () => [], /the response is \[\], but an object/],
  ["vLLM", () => ({ choices: [] }), /the length of choices is 0, but 1/],
  [
    "vLLM",
    (answer) => ({ choices: [{ ...first(answer), token_ids: null }] }),
    /choices\[0\]\.token_ids is null, but a list/,
  ],
  [
    "vLLM",
    (answer) => ({ choices: [{ ...first(answer), token_ids: [9_999] }] }),
    /token_ids\[0\] is 9999, but a token id below 2000/,
  ],
  [
    "vLLM",
    (answer) => ({ choices: [{ ...first(answer), logprobs: null }] }),
    /choices\[0\]\.logprobs is null, but an object/,
  ],
  [
    "vLLM",
    (answer) => ({
      choices: [{ ...first(answer), logprobs: { token_logprobs: [-1], top_logprobs: [{ " the": -1 }] } }],
    }),
    /a property name in choices\[0\]\.logprobs\.top_logprobs\[0\] is " the", but "token_id:" and an id/,
  ],
  [
    "vLLM",
    (answer) => ({
      choices: [{ ...first(answer), logprobs: { token_logprobs: [12.5], top_logprobs: [{}] } }],
    }),
    /token_logprobs\[0\] is 12\.5, but a log-probability \(a number of 0 or less\)/,
  ],
  ["SGLang", () => ({}), /output_ids is missing, but a list/],
  ["SGLang", () => ({ output_ids: [1, 2], meta_info: {} }), /the length of output_ids is 2, but 1/],
  ["SGLang", () => ({ output_ids: [1] }), /meta_info is missing, but an object/],
  [
    "SGLang",
    () => ({ output_ids: [1], meta_info: { output_token_logprobs: [[-1, 4, null]] } }),
    /output_token_logprobs\[0\]\[1\] is 4, but token 1/,
  ],
  [
    "SGLang",
    () => ({
      output_ids: [1],
      meta_info: { output_token_logprobs: [[-1, 1, null]], output_top_logprobs: [[["x", 1]]] },
    }),
    /output_top_logprobs\[0\]\[0\]\[0\] is "x", but a log-probability/,
  ],
])(
  "%s: a shape that is not understood is an error with the field's name (%#)",
  async (kind, change, message) => {
    const engine = await start(kind, {
      change: (path, answer) =>
        path === pathOf[kind] ? change(answer as Readonly<Record<string, unknown>>) : answer,
    });
    await expect(probed(engine.url)).rejects.toThrow(message);
  },
);

test("a server of another kind is named, with what its list of models says", async () => {
  const engine = await start("vLLM", {
    change: (path, answer) =>
      path === "/v1/models" ? { object: "list", data: [{ id: "x", owned_by: "system" }] } : answer,
  });
  await expect(fetchServedModel(connectionTo(engine.url))).rejects.toThrow(
    /is not a llama\.cpp, vLLM or SGLang server: .*data\[0\]\.owned_by is "system"\. Give the address/,
  );
});

test.each([
  ['"constructor"', /data\[0\]\.owned_by is "constructor"\. Give the address/],
  ['{"toString":1}', /data\[0\]\.owned_by is \{"toString":1\}\. Give the address/],
  [
    `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    /data\[0\]\.owned_by is a deeply nested value\. Give the address/,
  ],
])("an owner that is no known server ends in an error that shows the owner (%#)", async (owner, message) => {
  const text = `{"data":[{"id":"x","owned_by":${owner}}]}`;
  const connection = new ServerConnection({ url: "http://127.0.0.1:1" }, async () => ({ status: 200, text }));
  await expect(fetchServedModel(connection)).rejects.toThrow(message);
});

test.each([16_000_001, 1, -5, 1.5, "4096", 1e300])(
  "a conversation of %j tokens is impossible",
  async (length) => {
    const text = JSON.stringify({ data: [{ id: "x", owned_by: "vllm", max_model_len: length }] });
    const connection = new ServerConnection({ url: "http://127.0.0.1:1" }, async () => ({
      status: 200,
      text,
    }));
    expect((await fetchServedModel(connection)).contextLength).toBeNull();
  },
);

test.each<[unknown, unknown, number | null]>([
  [10, 4, 6],
  [4, 10, null],
  [10, -1, null],
  [10, 0.5, null],
  [1e300, 0, null],
  ["10", 4, null],
  [10, undefined, null],
])("of %j tokens with %j in the cache, %j were computed", (all, cached, expected) => {
  expect(countComputedTokens(all, cached)).toBe(expected);
});

const isThere = findLlamaServer() !== null;
if (!isThere) test.skip(llamaServerRequirement);

test.runIf(isThere)(
  "on a real llama.cpp server, steps by the shared code are those of its own model",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "midtoken-stepwise-"));
    const gguf = join(folder, "story.gguf");
    writeFileSync(gguf, storyGguf());
    const server = await startLlamaServer({ model: gguf, slots: 2 });
    try {
      const connection = connectionTo(server.url);
      expect(await fetchServedModel(connection)).toMatchObject({ kind: "llama.cpp" });
      const model = stepwise(connection, createLlamaDialect(512), 512, { slots: 2 });
      const own = new LlamaServerModel(new Replicas([new Replica({ connection, slots: 0 })]), {
        server: { vocabularySize: 512, contextLength: 512 },
        endOfSequence: [2],
        listedTokens: 20,
      });
      let tokens: readonly number[] = [1, 403, 407, 261];
      for (let step = 0; step < 20; step++) {
        const [row] = await rowOf(model, tokens);
        const [expected] = (await own.forwardListed?.(tokens, 1, 20)) ?? [];
        expect([...row.tokens]).toEqual([...(expected?.tokens ?? [])]);
        tokens = [row.tokens[0] as number];
      }
      const [row] = await rowOf(model, tokens);
      const listed = [...row.tokens];
      const scores = Array.from(await row.logprobsOf(listed));
      for (const [place, score] of scores.entries())
        expect(score).toBeCloseTo(row.logprobs[place] as number, 3);
      expect(await row.drawOutside(listed.slice(0, 5), 0, 0)).toBe(listed[5]);
      const rows = await rowOf(model, [listed[0] as number, 5], 2);
      expect(rows[0].nextLogprob).toBeLessThan(0);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  },
);
