/** Streams of a server as drafts: what is sent and cut, the same rows as step by step, and every fault in the middle of a stream. */
import { afterEach, expect, test } from "vitest";
import { ModelDeadError } from "../../core/decoder/ports/language-model.ts";
import type { ListedLogits } from "../../core/decoder/ports/listed-logits.ts";
import { createHttpExchange } from "../../package/node/http-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { createFetchExchange, type HttpExchange } from "./exchange.ts";
import type { RemoteFault } from "./remote-error.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { LlamaServerModel } from "./server-model.ts";
import {
  countingLogprobs,
  type FakeLlama,
  type FakeLlamaOptions,
  type FakeServerFault,
  startFakeLlama,
} from "./testing/fake-llama.ts";

let server: FakeLlama | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function start(options: Partial<FakeLlamaOptions> = {}): Promise<FakeLlama> {
  server = await startFakeLlama({
    vocabularySize: 8,
    contextLength: 1200,
    rowAfter: countingLogprobs,
    ...options,
  });
  return server;
}

interface ModelOptions {
  readonly exchange?: HttpExchange;
  readonly stream?: boolean;
  readonly notices?: string[];
  readonly serverDraws?: boolean | "always";
  readonly partTokens?: () => readonly number[];
}

function modelOn(
  url: string,
  { exchange = createHttpExchange(), stream = true, notices = [], ...draws }: ModelOptions = {},
) {
  const connection = new ServerConnection({ url }, exchange);
  return new LlamaServerModel(new Replicas([new Replica({ connection, slots: 1 })]), {
    server: { vocabularySize: 8, contextLength: 1200 },
    endOfSequence: [7],
    listedTokens: 4,
    stream,
    ...draws,
    onNotice: (notice) => notices.push(notice),
  });
}

async function step(
  model: LlamaServerModel,
  tokens: readonly number[],
  ahead = 1000,
  signal?: AbortSignal,
): Promise<ListedLogits> {
  const [row] = (await model.forwardListed?.(tokens, 1, 4, signal, ahead)) ?? [];
  if (!row) throw new Error("The model gave no row.");
  return row;
}

/** Goes on with the most likely token. Returns the tokens. */
async function follow(model: LlamaServerModel, from: ListedLogits, count: number): Promise<ListedLogits> {
  let row = from;
  for (let each = 0; each < count; each++) row = await step(model, [row.tokens[0] as number]);
  return row;
}

/** A server that goes silent before it sends this token of a stream. */
const heldAt = (held: number) => (place: number) =>
  place === held ? new Promise<void>(() => {}) : undefined;

const requests = () =>
  (server?.bodies("/completion") ?? []).map(({ prompt, n_predict: count }) => [
    (prompt as number[]).length,
    count,
  ]);

test.each<[string, () => HttpExchange]>([
  ["node:http", createHttpExchange],
  ["fetch", () => createFetchExchange()],
])("tokens that the server guesses are read from a stream, by %s", async (_, exchange) => {
  const { url, bodies, abandoned } = await start({ beforeEvent: heldAt(300) });
  const model = modelOn(url, { exchange: exchange() });
  const last = await follow(model, await step(model, [1, 2, 3]), 260);
  expect(requests()).toEqual([
    [3, 256],
    [259, 512],
  ]);
  expect(model.length).toBe(263);
  expect(last.tokens[0]).toBe(263 % 8);
  expect(bodies("/completion")[0]).toMatchObject({
    stream: true,
    n_probs: 4,
    id_slot: 0,
    cache_prompt: true,
  });
  model.rest();
  await expect.poll(() => abandoned).toEqual(["/completion"]);
});

test("every row is that of a request of its own, whatever is asked next", async () => {
  const { url } = await start();
  const [streamed, stepped] = [modelOn(url), modelOn(url, { stream: false })];
  const plain = ({ tokens, logprobs, nextLogprob }: ListedLogits) => [
    [...tokens],
    [...logprobs],
    nextLogprob,
  ];
  // Now the server's token, now another one, several, or a shorter text.
  for (const tokens of [[1, 2], [2], [3], [4], [5], [2], [7], [0], [1], [5, 6, 7], [3], [4], [5]]) {
    const rows = [await step(streamed, tokens), await step(stepped, tokens)];
    expect(plain(rows[0] as ListedLogits)).toEqual(plain(rows[1] as ListedLogits));
    if (tokens[0] === 0) for (const model of [streamed, stepped]) model.truncate(4);
    if (tokens[0] === 1) {
      const [first, second] = [await rows[0]?.list(8), await rows[1]?.list(8)];
      expect(first && plain(first)).toEqual(second && plain(second));
      expect(await rows[0]?.logprobsOf([6, 0])).toEqual(await rows[1]?.logprobsOf([6, 0]));
    }
  }
  expect(streamed.length).toBe(stepped.length);
});

test("a stream whose last token is part of a character ends without an event for it", async () => {
  const { url } = await start({ isPart: (token) => token === 6 });
  const model = modelOn(url);
  const row = await follow(model, await step(model, [1, 2, 3], 3), 3);
  expect(row.tokens[0]).toBe(6);
  expect(model.length).toBe(6);
});

test("a server that draws gets the request's settings, another seed for each stream, and its token counts once", async () => {
  const { url, bodies } = await start();
  const model = modelOn(url, { serverDraws: "always" });
  const drawing = { temperature: 0.7, topK: 20, topP: 0.9, minP: 0.1, seed: 5 };
  model.drawAhead?.(drawing, false);
  const first = await step(model, [1, 2, 3]);
  expect(first.drawn?.token).toBe(3);
  expect(model.takeServerDraw?.()).toEqual(first.drawn);
  expect(model.takeServerDraw?.()).toBeNull();
  await step(model, [3]);
  model.truncate(3);
  expect(model.takeServerDraw?.()).toBeNull();
  await step(model, [5]);
  await step(model, [6, 6]);
  expect(model.takeServerDraw?.()?.token).toBe(6);
  model.drawAhead?.(null, false);
  await step(model, [5]);
  expect(model.takeServerDraw?.()).toBeNull();
  const sent = bodies("/completion");
  const settings = { temperature: 0.7, top_k: 20, top_p: 0.9, min_p: 0.1 };
  const samplers = ["temperature", "top_k", "top_p", "min_p"];
  for (const body of sent.slice(0, -1)) expect(body).toMatchObject({ ...settings, samplers });
  expect(sent.at(-1)).toMatchObject({ temperature: 0, samplers: ["temperature"] });
  const seeds = sent.slice(0, -1).map(({ seed }) => seed);
  expect(new Set(seeds).size).toBe(seeds.length);
});

test.each<[boolean | "always" | undefined, boolean, boolean]>([
  [undefined, true, true],
  [undefined, false, false],
  ["always", false, true],
  [false, true, false],
])(
  "serverDraws %s, a seed that nobody chose: %s, the server draws: %s",
  async (serverDraws, isSeedRandom, isDrawn) => {
    const { url, bodies } = await start();
    const model = modelOn(url, { serverDraws });
    model.drawAhead?.({ temperature: 0.7, topK: 0, topP: 1, minP: 0, seed: 5 }, isSeedRandom);
    await step(model, [1, 2, 3]);
    expect(model.takeServerDraw?.() ?? null).toEqual(
      isDrawn ? { token: 3, logprob: expect.any(Number) } : null,
    );
    expect(bodies("/completion")[0]).toMatchObject({ temperature: isDrawn ? 0.7 : 0 });
  },
);

test("where drawn tokens are not taken, the server guesses its most likely tokens, until they would be taken again", async () => {
  const { url, bodies } = await start();
  const model = modelOn(url);
  model.drawAhead?.({ temperature: 0.7, topK: 0, topP: 1, minP: 0, seed: 5 }, true);
  await step(model, [1, 2, 3]);
  const drawn: boolean[] = [];
  for (const isTaken of [false, true, true, true, true, true]) {
    model.noteServerDraw?.(isTaken);
    await step(model, [5]);
    drawn.push(model.takeServerDraw?.() !== null);
  }
  expect(drawn).toEqual([false, false, false, false, true, true]);
  expect(bodies("/completion").map(({ temperature, stream }) => [temperature, stream === true])).toEqual([
    [0.7, true],
    [0, false],
    [0, false],
    [0, false],
    [0, false],
    // The guesses are of another kind now, so a stream is tried at once.
    [0.7, true],
    [0.7, false],
  ]);
});

test("after a token that a stream skipped, the server draws among parts of characters alone", async () => {
  const { url, bodies } = await start({ isPart: (token) => token === 6 });
  const model = modelOn(url, { serverDraws: "always", partTokens: () => [0, 6] });
  model.drawAhead?.({ temperature: 1, topK: 0, topP: 1, minP: 0, seed: 5 }, false);
  const row = await follow(model, await step(model, [1, 2, 3]), 3);
  expect(row.tokens[0]).toBe(6);
  expect(model.takeServerDraw?.()).toEqual({ token: 6, logprob: null });
  const [, draw, list] = bodies("/completion");
  expect(draw).toMatchObject({
    temperature: 1,
    logit_bias: [
      [0, 100],
      [6, 100],
    ],
  });
  expect(draw?.stream).toBeUndefined();
  expect(list).toMatchObject({ temperature: 0 });
});

test("a stream is cut where another token is wanted, and a new one goes on from there", async () => {
  const { url, abandoned } = await start({ beforeEvent: heldAt(20) });
  const model = modelOn(url);
  const row = await follow(model, await step(model, [1, 2, 3]), 12);
  const wanted = ((row.tokens[0] as number) + 1) % 8;
  await step(model, [wanted, 5, 5]);
  expect(requests()).toEqual([
    [3, 256],
    [18, 256],
  ]);
  await expect.poll(() => abandoned).toEqual(["/completion"]);
});

test("streams that are cut early are followed by single steps, until the server guesses right again", async () => {
  const { url } = await start();
  const model = modelOn(url);
  await follow(model, await step(model, [1]), 2);
  let row = await step(model, [5]);
  for (let each = 0; each < 3; each++) row = await step(model, [((row.tokens[0] as number) + 1) % 8]);
  const before = requests().length;
  expect(
    requests()
      .slice(1)
      .every(([, count]) => count === 1),
  ).toBe(true);
  await follow(model, row, 8);
  // Four tokens in a row were the server's.
  expect(
    requests()
      .slice(before)
      .map(([, count]) => count),
  ).toEqual([1, 1, 1, 256]);
});

test("no more is streamed than the caller may ask for", async () => {
  const { url } = await start();
  const model = modelOn(url);
  let row = await step(model, [1, 2, 3], 5);
  for (let ahead = 4; ahead >= 0; ahead--) row = await step(model, [row.tokens[0] as number], ahead);
  expect(requests()).toEqual([[3, 6]]);
  await step(model, [row.tokens[0] as number], 0);
  expect(requests().at(-1)).toEqual([9, 1]);
});

test("tokens that are parts of a character are asked for one by one, as a stream and an answer leave their lists out", async () => {
  const { url } = await start({ isPart: (token) => token === 6 });
  for (const stream of [true, false]) {
    const model = modelOn(url, { stream });
    let row = await step(model, [1, 2]);
    for (let length = 2; length < 20; length++) {
      expect([...row.tokens].slice(0, 1)).toEqual([length % 8]);
      expect(row.logprobs[0]).toBeCloseTo(-0.01, 5);
      row = await step(model, [length % 8]);
    }
  }
});

test("log-probabilities of named tokens are told where the most likely token is part of a character", async () => {
  const { url } = await start({ isPart: (token) => token === 6 });
  const model = modelOn(url);
  const row = await step(model, [1, 2, 3, 4, 5, 0]);
  expect(row.tokens[0]).toBe(6);
  const [named] = Array.from(await row.logprobsOf([5, 6]));
  expect(named).toBeCloseTo(-6.5, 4);
});

test("a stop closes the stream, and the model goes on with the text before", async () => {
  const stop = new AbortController();
  const { url, abandoned } = await start({ beforeEvent: heldAt(4) });
  const model = modelOn(url);
  let row = await step(model, [1]);
  for (let each = 0; each < 3; each++) row = await step(model, [row.tokens[0] as number], 50, stop.signal);
  const next = step(model, [row.tokens[0] as number], 50, stop.signal);
  await expect.poll(() => server?.bodies("/completion")).toHaveLength(1);
  stop.abort(new Error("stopped"));
  await expect(next).rejects.toThrow("stopped");
  expect(model.length).toBe(4);
  await expect.poll(() => abandoned).toEqual(["/completion"]);
  expect((await step(model, [3], 0)).tokens[0]).toBe(5);
});

test("a stream that never ends is cut when its tokens are there", async () => {
  const { url, faults, abandoned } = await start();
  const model = modelOn(url);
  const row = await step(model, [1], 0);
  let written = 0;
  faults.set("/completion", (_, response) => {
    faults.clear();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = [1, 1];
    const more = (): void => {
      if (response.destroyed) return;
      const best = text.length % 8;
      text.push(best);
      written += 1;
      const list = countingLogprobs(text.slice(0, -1)).map((logprob, id) => ({ id, logprob }));
      const top = list.sort((a, b) => b.logprob - a.logprob).slice(0, 4);
      const all = [{ ...top[0], top_logprobs: top }];
      response.write(
        `: ping\n\ndata: ${JSON.stringify({ tokens: [best], tokens_predicted: written, completion_probabilities: all })}\n\n`,
      );
      setImmediate(more);
    };
    more();
  });
  const last = await follow(model, row, 260);
  expect(last.tokens[0]).toBe(261 % 8);
  expect(requests().map(([, count]) => count)).toEqual([1, 256, 512]);
  await expect.poll(() => abandoned).toEqual(["/completion"]);
});

test("streams whose tokens were all taken keep their connections open for the next ones", async () => {
  const sockets = new Set<unknown>();
  const { url, abandoned } = await start({ beforeEvent: (_, { socket }) => void sockets.add(socket) });
  const model = modelOn(url);
  let row = await step(model, [1], 3);
  for (let count = 1; count < 24; count++)
    row = await step(model, [row.tokens[0] as number], 3 - (count % 4));
  expect(requests().map(([, count]) => count)).toEqual(new Array(6).fill(4));
  // A stream begins while the last event of the stream before it is still on its way.
  expect(sockets.size).toBeLessThanOrEqual(2);
  expect(abandoned).toEqual([]);
});

test("texts of listed tokens that look like fields change no number of the list", async () => {
  const texts = [
    '"',
    "\\",
    ',"bytes":[1],',
    '"token":"","bytes":[],',
    '","logprob":0}',
    "\n\u2028",
    "é🙂",
    "",
  ];
  const { url, faults } = await start();
  const top = [2, 0, 1, 3].map((id, place) => ({
    id,
    token: texts[place] as string,
    bytes: [...new TextEncoder().encode(texts[place])],
    logprob: -0.01 - place,
  }));
  for (const [place, token] of texts.entries()) {
    const about = { ...top[0], token, bytes: [...new TextEncoder().encode(token)] };
    const all = [{ ...about, top_logprobs: [about, ...top.slice(1)] }];
    const event = { content: token, tokens: [2], tokens_predicted: 1, completion_probabilities: all };
    faults.set("/completion", (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    });
    const { tokens, logprobs } = await step(modelOn(url), [1]);
    expect([...tokens], `text ${place}`).toEqual([2, 0, 1, 3]);
    expect([...logprobs].map((each) => Number(each.toFixed(4)))).toEqual([-0.01, -1.01, -2.01, -3.01]);
  }
});

const begun =
  (events: string): FakeServerFault =>
  (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(events);
  };
const first = JSON.stringify({
  tokens: [2],
  tokens_predicted: 1,
  completion_probabilities: [
    {
      id: 2,
      logprob: -0.01,
      top_logprobs: [2, 0, 1, 3].map((id, place) => ({ id, logprob: -0.01 - place })),
    },
  ],
});

test.each<[RemoteFault, string, RegExp]>([
  ["json", "data: <html>\n\n", /An event in the stream from the model server is not JSON\. Check/],
  ["shape", 'data: {"tokens":[1]}\n\n', /tokens_predicted is missing/],
  [
    "shape",
    'data: {"tokens":[999],"tokens_predicted":2,"completion_probabilities":[]}\n\n',
    /tokens is \[999\]/,
  ],
  [
    "server",
    'data: {"error":{"code":500,"message":"CUDA error","type":"server_error"}}\n\n',
    /failed in the middle of a response: CUDA error\. Look at/,
  ],
  [
    "server",
    'error: {"error":{"message":"CUDA error"}}\n\n',
    /failed in the middle of a response: CUDA error/,
  ],
  ["large", `data: ${"x".repeat(1_700_000)}`, /is longer than \d+ bytes/],
])("%s (%#) in the middle of a stream is an error that says what to do", async (fault, event, message) => {
  const { url, faults } = await start();
  for (const exchange of [createHttpExchange(), createFetchExchange()]) {
    const model = modelOn(url, { exchange });
    await step(model, [1], 0);
    faults.set("/completion", begun(`data: ${first}\n\n${event}`));
    expect((await step(model, [1])).tokens[0]).toBe(2);
    const error: unknown = await step(model, [2]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelDeadError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).cause).toMatchObject({ fault });
    expect(model.length).toBe(2);
    faults.clear();
    expect((await step(modelOn(url, { exchange }), [1])).tokens[0]).toBe(1);
  }
});

test.each([
  ["breaks", (place: number, response: Parameters<FakeServerFault>[1]) => place === 2 && response.destroy()],
  [
    "ends without its last event",
    (place: number, response: Parameters<FakeServerFault>[1]) => place === 2 && response.end(),
  ],
])("where a stream %s, the answer goes on step by step, with one notice", async (_, beforeEvent) => {
  const { url } = await start({ beforeEvent: (...given) => void beforeEvent(...given) });
  const notices: string[] = [];
  const model = modelOn(url, { notices });
  const last = await follow(model, await step(model, [1], 0), 6);
  expect(last.tokens[0]).toBe(7);
  const counts = requests().map(([, count]) => count);
  expect(counts.slice(0, 2)).toEqual([1, 256]);
  // A connection that is closed before its answer is opened at most four times more.
  const streams = counts.lastIndexOf(256);
  expect(streams).toBeLessThanOrEqual(5);
  const steps = counts.slice(streams + 1);
  expect(steps.length).toBeGreaterThan(2);
  expect(steps.every((count) => count === 1)).toBe(true);
  expect(notices).toEqual([expect.stringMatching(/^A stream from http:.* ended early\. From now on/)]);
});

test("a server that is gone in the middle of a stream is named in the error's cause", async () => {
  const { url, close } = await start({ beforeEvent: heldAt(2) });
  const model = modelOn(url);
  const row = await follow(model, await step(model, [1], 0), 2);
  const next = step(model, [row.tokens[0] as number]);
  const named = { cause: { message: expect.stringContaining(`No server answers at ${url} (ECONNREFUSED)`) } };
  await Promise.all([expect(next).rejects.toMatchObject(named), close()]);
  server = null;
});

test("after a server that fails in the middle of a stream, another one goes on", async () => {
  const others = await Promise.all(
    [1, 2].map(() => startFakeLlama({ vocabularySize: 8, contextLength: 1200, rowAfter: countingLogprobs })),
  );
  try {
    const all = others.map(
      ({ url }) => new Replica({ connection: new ServerConnection({ url }, createHttpExchange()), slots: 1 }),
    );
    const model = new LlamaServerModel(new Replicas(all), {
      server: { vocabularySize: 8, contextLength: 1200 },
      endOfSequence: [7],
      listedTokens: 4,
    });
    await step(model, [1], 0);
    const used = others.find(({ bodies }) => bodies("/completion").length > 0);
    used?.faults.set("/completion", begun(`data: ${first}\n\ndata: {"error":{"message":"CUDA error"}}\n\n`));
    expect((await step(model, [1])).tokens[0]).toBe(2);
    expect((await step(model, [2])).tokens[0]).toBe(3);
    expect((await step(model, [3])).tokens[0]).toBe(4);
    expect(all.map(({ conversations }) => conversations).sort()).toEqual([0, 1]);
  } finally {
    for (const other of others) await other.close();
  }
});

test("a text that the server lost is noticed within five steps of a stream", async () => {
  const { url } = await start({ computedOf: (prompt) => (prompt.length > 150 ? prompt.length : 1) });
  const notices: string[] = [];
  const model = modelOn(url, { notices });
  const row = await follow(model, await step(model, new Array(100).fill(3)), 10);
  expect(notices).toEqual([]);
  // The mod forces a text: the stream is cut, and the server reads all of the text again.
  await follow(model, await step(model, [...new Array(60).fill(((row.tokens[0] as number) + 1) % 8)]), 4);
  expect(notices).toEqual([expect.stringMatching(/computed \d+ tokens, although only \d+ were new/)]);
});
