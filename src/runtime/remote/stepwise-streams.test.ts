/** Streams of vLLM and SGLang as drafts, by the shapes that they document: each row is that of a request of its own. */
import { afterEach, describe, expect, test } from "vitest";
import { uniformRandom } from "../../core/base/random.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { fetchServedModel } from "./engine-kind.ts";
import { serverOf } from "./engine-name.ts";
import { type ProbeResult, probeEngine } from "./probe.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { StepwiseModel } from "./stepwise-model.ts";
import {
  type FakeEngine,
  type FakeEngineOptions,
  startFakeSglang,
  startFakeVllm,
} from "./testing/fake-engines.ts";
import { UpstreamMeter } from "./upstream-meter.ts";

const vocabularySize = 200;
/** The most likely token is the length of the text, plus its last token. */
const rowAfter = (prompt: readonly number[]) => {
  const best = (prompt.length + (prompt.at(-1) ?? 0)) % vocabularySize;
  return Array.from({ length: vocabularySize }, (_, token) => -0.5 - Math.abs(token - best) / 10);
};
const bestAfter = (prompt: readonly number[]) => (prompt.length + (prompt.at(-1) ?? 0)) % vocabularySize;

const starts = { vLLM: startFakeVllm, SGLang: startFakeSglang } as const;
type Kind = keyof typeof starts;
const pathOf = { vLLM: "/v1/completions", SGLang: "/generate" } as const;

const open: FakeEngine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

async function start(kind: Kind, options: Partial<FakeEngineOptions> = {}): Promise<FakeEngine> {
  const engine = await starts[kind]({ vocabularySize, contextLength: 1_000, rowAfter, ...options });
  open.push(engine);
  return engine;
}

interface Opened extends ProbeResult {
  readonly model: StepwiseModel;
  readonly meter: UpstreamMeter;
  readonly notices: string[];
  /** Bodies of the requests after those of the probe. */
  readonly sent: () => readonly Readonly<Record<string, unknown>>[];
}

async function opened(kind: Kind, engines: readonly FakeEngine[], stream = true): Promise<Opened> {
  const notices: string[] = [];
  const meter = new UpstreamMeter();
  const connections = engines.map(({ url }) => new ServerConnection({ url }, createHttpExchange()));
  const [connection] = connections as [ServerConnection];
  const served = await fetchServedModel(connection);
  const probed = await probeEngine(connection, { served, vocabularySize, endToken: 2 });
  const replicas = new Replicas(
    connections.map((each) => new Replica({ connection: each, slots: 0 })),
    meter,
  );
  const { dialect, contextLength } = probed;
  const model = new StepwiseModel(replicas, {
    dialect,
    contextLength,
    endOfSequence: [2],
    listedTokens: 20,
    stream,
    onNotice: (notice) => notices.push(notice),
  });
  const before = engines.map((engine) => engine.bodies(pathOf[kind]).length);
  const sent = () =>
    engines.flatMap((engine, place) => engine.bodies(pathOf[kind]).slice(before[place] as number));
  return { ...probed, model, meter, notices, sent };
}

/** The most likely tokens of the row after some tokens, and what the model would list. */
async function rowOf(model: StepwiseModel, tokens: readonly number[], ahead: number, listed = 20) {
  const [row] = await model.forwardListed(tokens, 1, listed, undefined, ahead);
  return Array.from(row?.tokens ?? [], (token, place) => [token, row?.logprobs[place]?.toFixed(3)]);
}

function expectedRow(text: readonly number[], listed = 20) {
  const row = rowAfter(text);
  const ranked = [...row.keys()].sort((a, b) => (row[b] as number) - (row[a] as number) || a - b);
  return ranked.slice(0, listed).map((token) => [token, row[token]?.toFixed(3)]);
}

/** Rows of a text that goes on with the most likely tokens. */
async function greedy(model: StepwiseModel, text: number[], count: number): Promise<void> {
  let tokens: readonly number[] = text.slice();
  for (let made = 0; made < count; made++) {
    expect(await rowOf(model, tokens, count - made - 1)).toEqual(expectedRow(text));
    tokens = [bestAfter(text)];
    text.push(...tokens);
  }
}

describe.each<[string, Kind, Partial<FakeEngineOptions>]>([
  ["vLLM", "vLLM", {}],
  ["vLLM, several tokens in an event", "vLLM", { gathered: 3 }],
  ["SGLang, lists that repeat those before", "SGLang", {}],
  ["SGLang, lists of the new tokens alone", "SGLang", { isIncremental: true }],
  ["SGLang, several tokens in an event", "SGLang", { gathered: 3 }],
  ["SGLang, several new tokens in an event", "SGLang", { gathered: 3, isIncremental: true }],
])("%s", (_, kind, options) => {
  test("a draft that is taken is one request for many rows", async () => {
    const engine = await start(kind, options);
    const { model, streamProblem, sent, dialect } = await opened(kind, [engine]);
    expect(streamProblem).toBeNull();
    await greedy(model, [7, 8, 9], 40);
    const needed = Math.ceil(40 / Math.min(40, dialect.mostStreamed));
    expect(sent()).toHaveLength(needed);
    expect(sent().every(({ stream }) => stream === true)).toBe(true);
    expect(engine.abandoned).toEqual([]);
  });

  test("another token cuts the stream, and the rows go on from the changed text", async () => {
    const engine = await start(kind, options);
    const { model, meter, sent } = await opened(kind, [engine]);
    const text = [7, 8, 9];
    expect(await rowOf(model, text, 30)).toEqual(expectedRow(text));
    for (let taken = 0; taken < 9; taken++) {
      text.push(bestAfter(text));
      expect(await rowOf(model, text.slice(-1), 30)).toEqual(expectedRow(text));
    }
    text.push(199);
    expect(await rowOf(model, [199], 30)).toEqual(expectedRow(text));
    model.truncate(5);
    expect(await rowOf(model, [3, 4], 30)).toEqual(expectedRow([...text.slice(0, 5), 3, 4]));
    expect(meter.counts.cuts).toBe(2);
    expect(sent()).toHaveLength(3);
    await expect.poll(() => engine.abandoned.length).toBeGreaterThan(0);
  });

  test("random texts, cuts, lists and questions", async () => {
    const engine = await start(kind, options);
    const { model } = await opened(kind, [engine]);
    let draws = 0;
    const below = (count: number): number => Math.floor(uniformRandom(30, draws++) * count);
    let text = [1, 2, 3];
    let tokens: readonly number[] = text;
    for (let round = 0; round < 80; round++) {
      const listed = below(6) === 0 ? 5 : 20;
      expect(await rowOf(model, tokens, below(5) === 0 ? 0 : 30, listed)).toEqual(expectedRow(text, listed));
      if (below(8) === 0) model.rest();
      if (below(8) === 0) {
        text = text.slice(0, 1 + below(text.length - 1));
        model.truncate(text.length);
      }
      tokens =
        below(4) > 0 ? [bestAfter(text)] : Array.from({ length: 1 + below(3) }, () => below(vocabularySize));
      text = [...text, ...tokens];
    }
  });
});

describe.each(["vLLM", "SGLang"] as const)("%s", (kind) => {
  test("a request for a stream has the settings of single steps", async () => {
    const { model, sent } = await opened(kind, [await start(kind)]);
    await rowOf(model, [7, 8, 9], 7);
    await rowOf(model, [1, 1], 0);
    const [stream, step] = sent();
    if (kind === "vLLM") expect(stream).toEqual({ ...step, prompt: [7, 8, 9], max_tokens: 8, stream: true });
    else
      expect(stream).toEqual({
        ...step,
        input_ids: [7, 8, 9],
        stream: true,
        sampling_params: { ...(step?.sampling_params as object), max_new_tokens: 8, top_k: 1 },
      });
  });

  test("questions about a row leave the stream open", async () => {
    const { model, sent } = await opened(kind, [await start(kind)]);
    const [row] = await model.forwardListed([7, 8, 9], 1, 20, undefined, 10);
    expect(Array.from((await row?.logprobsOf([150])) ?? [])).toEqual([rowAfter([7, 8, 9])[150]]);
    expect(await rowOf(model, [bestAfter([7, 8, 9])], 9)).toEqual(
      expectedRow([7, 8, 9, bestAfter([7, 8, 9])]),
    );
    expect(sent().map(({ stream }) => stream === true)).toEqual([true, false]);
  });

  test("without streams each step is a request", async () => {
    const { model, sent } = await opened(kind, [await start(kind)], false);
    await greedy(model, [7, 8, 9], 6);
    expect(sent().map(({ stream }) => stream === true)).toEqual(Array(6).fill(false));
  });

  test("a stop closes the stream, and the model goes on with the text before", async () => {
    const engine = await start(kind);
    const { model } = await opened(kind, [engine]);
    await rowOf(model, [7, 8, 9], 10);
    const abort = new AbortController();
    abort.abort(new Error("stopped"));
    await expect(model.forwardListed([5, 6], 1, 20, abort.signal, 10)).rejects.toThrow("stopped");
    expect(model.length).toBe(3);
    expect(await rowOf(model, [4], 10)).toEqual(expectedRow([7, 8, 9, 4]));
  });

  test("after a stream that breaks, single steps go on with one notice", async () => {
    let isTried = false;
    const engine = await start(kind, {
      changeEvent: (event, place) => (isTried && place === 3 ? null : event),
    });
    const { model, notices, sent } = await opened(kind, [engine]);
    isTried = true;
    await greedy(model, [7, 8, 9], 12);
    expect(notices).toEqual([
      expect.stringMatching(/^A stream from .* ended early\. From now on, each step/),
    ]);
    expect(sent().filter(({ stream }) => stream === true)).toHaveLength(1);
  });

  test("an event that is not understood ends the request with the field's name", async () => {
    let isTried = false;
    const engine = await start(kind, {
      changeEvent: (event, place) => (isTried && place === 1 ? withoutIds(event) : event),
    });
    const { model } = await opened(kind, [engine]);
    isTried = true;
    await expect(greedy(model, [7, 8, 9], 12)).rejects.toThrow(/token_ids|output_ids/);
  });

  test("an error in a stream is quoted", async () => {
    let isTried = false;
    const error = { error: { message: "out of memory", type: "InternalServerError", code: 500 } };
    const engine = await start(kind, { changeEvent: (event) => (isTried ? error : event) });
    const { model } = await opened(kind, [engine]);
    isTried = true;
    await expect(greedy(model, [7, 8, 9], 12)).rejects.toThrow(
      /failed in the middle of a response: out of memory/,
    );
  });

  test("an event that is not JSON names the server that was found", async () => {
    const { dialect } = await opened(kind, [await start(kind)]);
    const reader = dialect.createStreamReader({ listed: 20, origin: "http://a", onComputed: () => {} });
    expect(() => reader.read({ text: "<html>", from: 0, to: 6 })).toThrow(
      `An event in the stream from http://a is not JSON. Check that this is the address of ${serverOf[kind]}.`,
    );
  });

  test.each<[string, (event: Readonly<Record<string, unknown>>, place: number) => unknown, RegExp]>([
    ["of another shape", withoutIds, /token_ids|output_ids/],
    ["of other log-probabilities", otherLogprobs, /log-probabilities in a stream differ/],
    ["that breaks", (event, place) => (place === 1 ? null : event), /ended in the middle of a response/],
  ])("a stream %s is found by the probe, and single steps still work", async (_, changeEvent, problem) => {
    const { streamProblem, dialect } = await opened(kind, [await start(kind, { changeEvent })]);
    expect(streamProblem).toMatch(problem);
    expect(dialect.name).toBe(kind);
  });
});

function withoutIds(event: Readonly<Record<string, unknown>>): unknown {
  const copy = structuredClone(event) as { choices?: { token_ids?: unknown }[]; output_ids?: unknown };
  for (const choice of copy.choices ?? []) delete choice.token_ids;
  delete copy.output_ids;
  return copy;
}

/** Each log-probability is half of the model's. */
function otherLogprobs(event: Readonly<Record<string, unknown>>): unknown {
  const half = (value: unknown): unknown => (typeof value === "number" && value < 0 ? value / 2 : value);
  return JSON.parse(JSON.stringify(event), (_, value) => half(value));
}
