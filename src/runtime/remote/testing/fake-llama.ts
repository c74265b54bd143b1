/** A server on this machine that answers as llama.cpp's b11669 does, with recorded shapes, and with faults on request. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { uniformRandom } from "../../../core/base/random.ts";
import { commonPrefixLength } from "../../../core/base/shared-length.ts";

/** Log-probabilities after a text. */
export type LogprobsAfter = (prompt: readonly number[]) => readonly number[];

/** Answers in place of the server's own. */
export type FakeServerFault = (request: IncomingMessage, response: ServerResponse) => void;

export interface FakeLlama {
  readonly url: string;
  /** Bodies of all requests with a path, parsed; without those of the check of the RAM cache. */
  bodies(path: string): readonly Readonly<Record<string, unknown>>[];
  /** Headers of all requests. */
  readonly headers: IncomingMessage["headers"][];
  /** By path; the fault answers until it is deleted. */
  readonly faults: Map<string, FakeServerFault>;
  /** Requests whose connection the client closed before the answer. */
  readonly abandoned: string[];
  close(): Promise<void>;
}

export interface FakeLlamaOptions {
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly rowAfter: LogprobsAfter;
  /** The text of some tokens. */
  readonly textOf?: (tokens: readonly number[]) => string;
  readonly key?: string;
  /** 1 unless given. */
  readonly slots?: number;
  /** Any free port unless given. */
  readonly port?: number;
  /** An answer waits until this has settled. */
  readonly before?: (path: string, prompt: readonly number[]) => Promise<void>;
  /** Tokens that are parts of characters: the server leaves their probabilities out. */
  readonly isPart?: (token: number) => boolean;
  /** While it is true, the server draws tokens that a request bans. */
  readonly ignoresBans?: () => boolean;
  /** Called before each event of a stream; the stream waits for it. The place counts from 0. */
  readonly beforeEvent?: (place: number, response: ServerResponse) => Promise<void> | void;
  /** Tokens of a prompt that the server has to compute; one unless given. */
  readonly computedOf?: (prompt: readonly number[]) => number;
  /** Whether the server draws tokens at temperatures above 0, from the seed of the request, without cut-offs; else it makes its most likely tokens. */
  readonly draws?: boolean;
  /** Whether texts that were pushed out of a slot come back without being computed, as the check at the start sees. */
  readonly hasRamCache?: boolean;
}

export async function startFakeLlama(options: FakeLlamaOptions): Promise<FakeLlama> {
  const sent: { path: string; body: Readonly<Record<string, unknown>> }[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const faults = new Map<string, FakeServerFault>();
  const abandoned: string[] = [];
  const checked: (readonly number[])[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    headers.push(request.headers);
    response.on("close", () => response.writableFinished || abandoned.push(path));
    void textOf(request).then((text) => {
      const body = text === "" ? {} : JSON.parse(text);
      const isCheck = path === "/completion" && body.n_probs === undefined;
      if (!isCheck) sent.push({ path, body });
      const fault = faults.get(path);
      if (fault) return fault(request, response);
      if (isCheck) return send(response, 200, readText(body.prompt, checked, options));
      const isOpen = path === "/health" || path === "/v1/models";
      const isKnown = options.key === undefined || request.headers.authorization === `Bearer ${options.key}`;
      if (!isOpen && !isKnown) return send(response, 401, invalidKey);
      const [status, reply] = answer(path, body, options);
      const isStream = status === 200 && body.stream === true;
      const wait = options.before?.(path, body.prompt ?? []) ?? Promise.resolve();
      return wait.then(() =>
        isStream ? sendStream(response, body, options) : send(response, status, reply),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: (path) => sent.filter((each) => each.path === path).map(({ body }) => body),
    headers,
    faults,
    abandoned,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A fault that responds with a status and a body. */
export const createResponseFault =
  (status: number, body: unknown): FakeServerFault =>
  (_, response) =>
    send(response, status, body);

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

const invalidKey = { error: { code: 401, message: "Invalid API Key", type: "authentication_error" } };

type Body = Readonly<Record<string, unknown>>;

/** The answer to the check of the RAM cache. @param earlier texts that were read before, which this one joins */
function readText(
  prompt: readonly number[],
  earlier: (readonly number[])[],
  options: FakeLlamaOptions,
): Body {
  const there = options.hasRamCache === true ? earlier : earlier.slice(-1);
  const cached = Math.max(0, ...there.map((text) => commonPrefixLength(text, prompt)));
  earlier.push(prompt);
  return { id_slot: 0, timings: { prompt_n: Math.max(1, prompt.length - cached) } };
}

function answer(path: string, body: Body, options: FakeLlamaOptions): [number, unknown] {
  const { vocabularySize, contextLength } = options;
  switch (path) {
    case "/health":
      return [200, { status: "ok" }];
    case "/v1/models":
      return [
        200,
        { object: "list", data: [{ id: "/models/fake.gguf", meta: { n_vocab: vocabularySize } }] },
      ];
    case "/props":
      return [
        200,
        {
          default_generation_settings: { n_ctx: contextLength },
          total_slots: options.slots ?? 1,
          build_info: "b11669-Debian",
        },
      ];
    case "/detokenize":
      return [200, { content: options.textOf?.(body.tokens as number[]) ?? "" }];
    case "/completion":
      return complete(body, options);
    default:
      return [404, { error: { code: 404, message: "File Not Found", type: "not_found_error" } }];
  }
}

function complete(body: Body, options: FakeLlamaOptions): [number, unknown] {
  const { contextLength, rowAfter, isPart = () => false, computedOf = () => 1, ignoresBans } = options;
  const prompt = body.prompt as number[];
  const obeyed = ignoresBans?.() ? { ...body, logit_bias: [] } : body;
  if (prompt.length >= contextLength) {
    const message = `request (${prompt.length} tokens) exceeds the available context size (${contextLength} tokens), try increasing it`;
    const sizes = { n_prompt_tokens: prompt.length, n_ctx: contextLength };
    return [400, { error: { code: 400, message, type: "exceed_context_size_error", ...sizes } }];
  }
  const drawing = drawingOf(body, 0, options);
  const { completion_probabilities, tokens, ...rest } = completionOf(rowAfter(prompt), obeyed, drawing);
  const timings = { ...(rest.timings as Body), prompt_n: computedOf(prompt) };
  const [made] = tokens as number[];
  if (isPart(made as number)) return [200, { ...rest, tokens, timings }];
  return [200, { ...rest, tokens, completion_probabilities, timings }];
}

/** The events of a stream. Tokens that are parts of characters come without an event of their own. */
async function sendStream(response: ServerResponse, body: Body, options: FakeLlamaOptions): Promise<void> {
  const { rowAfter, isPart = () => false, computedOf = () => 1, beforeEvent } = options;
  const text = [...(body.prompt as number[])];
  const total = text.length;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const isOpen = (): boolean => !response.destroyed && !response.writableEnded;
  const write = (event: unknown): boolean => response.write(`data: ${JSON.stringify(event)}\n\n`);
  if (body.return_progress === true) {
    const cache = total - computedOf(text);
    for (const processed of [cache, total])
      write({ tokens: [0], tokens_predicted: 0, prompt_progress: { total, cache, processed, time_ms: 1 } });
  }
  const count = body.n_predict as number;
  for (let place = 0; place < count && isOpen(); place++) {
    await beforeEvent?.(place, response);
    if (!isOpen()) return;
    const drawing = drawingOf(body, place, options);
    const { tokens, completion_probabilities } = completionOf(rowAfter(text), body, drawing);
    const [made] = tokens as number[];
    text.push(made as number);
    if (isPart(made as number)) continue;
    const counts = { tokens_predicted: place + 1, tokens_evaluated: total };
    write({ index: 0, content: "t", tokens, stop: false, id_slot: -1, ...counts, completion_probabilities });
  }
  if (!isOpen()) return;
  const { timings } = completionOf(rowAfter(text), body);
  write({
    tokens: [],
    timings: { ...(timings as Body), predicted_n: count },
    id_slot: 0,
    stop_type: "limit",
  });
  response.end();
}

/** How the server draws a token. */
interface Drawing {
  readonly temperature: number;
  /** Uniform in [0, 1). */
  readonly uniform: number;
}

/** Null if the server makes its most likely token. @param place of the token in the answer */
function drawingOf(body: Body, place: number, { draws = false }: FakeLlamaOptions): Drawing | null {
  const { temperature, seed } = body as { temperature: number; seed?: number };
  return draws && temperature > 0 ? { temperature, uniform: uniformRandom(seed ?? 0, place) } : null;
}

function drawFrom(biased: readonly number[], { temperature, uniform }: Drawing): number {
  const best = Math.max(...biased);
  const weights = biased.map((each) => Math.exp((each - best) / temperature));
  let left = uniform * weights.reduce((sum, each) => sum + each, 0);
  return weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
}

/**
 * The shape of an answer to one step, as llama.cpp's b11669 sends it with `response_fields`. The server makes the most likely token
 * under the bias, and lists log-probabilities without it, unless it is asked for probabilities after it.
 */
export function completionOf(row: readonly number[], body: Body, drawing: Drawing | null = null): Body {
  const bias = new Map((body.logit_bias as [number, number | false][] | undefined) ?? []);
  const biased = row.map((logprob, id) => {
    const by = bias.get(id) ?? 0;
    return by === false ? Number.NEGATIVE_INFINITY : logprob + by;
  });
  const [likeliest = 0] = ranked(biased);
  const made = drawing ? drawFrom(biased, drawing) : likeliest;
  const about = (id: number): Body => ({ id, token: `t${id}`, bytes: [116] });
  const count = body.n_probs as number;
  const probabilities = (): Body => {
    const best = biased[made] as number;
    const all = biased.reduce((sum, each) => sum + Math.exp(each - best), 0);
    const probOf = (id: number): Body => ({
      ...about(id),
      prob: Math.exp((biased[id] as number) - best) / all,
    });
    return { ...probOf(made), top_probs: ranked(biased).slice(0, count).map(probOf) };
  };
  const logprobs = (): Body => {
    const of = (id: number): Body => ({ ...about(id), logprob: row[id] });
    return { ...of(made), top_logprobs: ranked(row).slice(0, count).map(of) };
  };
  return {
    tokens: [made],
    completion_probabilities: [body.post_sampling_probs === true ? probabilities() : logprobs()],
    timings: { cache_n: 0, prompt_n: 1, prompt_ms: 0.2, predicted_n: 1, predicted_ms: 0.001 },
    id_slot: 0,
  };
}

/** Most likely first; of equals the lower id first. */
function ranked(row: readonly number[]): number[] {
  return [...row.keys()].sort((a, b) => (row[b] as number) - (row[a] as number) || a - b);
}

/** Log-probabilities of eight tokens. The most likely one is the number of tokens so far, modulo eight. */
export function countingLogprobs(prompt: readonly number[]): readonly number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((token) => (token === prompt.length % 8 ? -0.01 : -6 - token / 10));
}
