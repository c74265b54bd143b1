/** Servers on this machine that answer as vLLM 0.32 and SGLang 0.5.17 document it. Neither of the two was run here. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Body = Readonly<Record<string, unknown>>;
type Answer = readonly [status: number, body: unknown];

export interface FakeEngineOptions {
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** Log-probabilities after a text. */
  readonly rowAfter: (prompt: readonly number[]) => readonly number[];
  readonly textOf?: (tokens: readonly number[]) => string;
  /** vLLM's `--max-logprobs`; 1,024 unless given. */
  readonly maxLogprobs?: number;
  /** vLLM's `--logprobs-mode processed_logprobs`. */
  readonly isProcessed?: boolean;
  /** An older vLLM, without `logprob_token_ids`. */
  readonly isOld?: boolean;
  /** vLLM without `--scheduling-policy priority`. */
  readonly hasNoPriorities?: boolean;
  /** Changes answers before they are sent. */
  readonly change?: (path: string, answer: unknown) => unknown;
  /** Changes the events of streams before they are sent; null breaks the connection. */
  readonly changeEvent?: (event: Body, place: number) => unknown;
  /** Tokens of an event; 1 unless given. */
  readonly gathered?: number;
  /** SGLang's `--incremental-streaming-output`. */
  readonly isIncremental?: boolean;
}

export interface FakeEngine {
  readonly url: string;
  bodies(path: string): readonly Body[];
  /** Requests whose connection the client closed before the answer was whole. */
  readonly abandoned: Body[];
  close(): Promise<void>;
}

type Answering = (path: string, body: Body, options: FakeEngineOptions) => Answer;
type Streaming = (body: Body, options: FakeEngineOptions) => readonly Body[];

export const startFakeVllm = (options: FakeEngineOptions): Promise<FakeEngine> =>
  start(answerAsVllm, streamAsVllm, options);
export const startFakeSglang = (options: FakeEngineOptions): Promise<FakeEngine> =>
  start(answerAsSglang, streamAsSglang, options);

async function start(
  answering: Answering,
  streaming: Streaming,
  options: FakeEngineOptions,
): Promise<FakeEngine> {
  const sent: { path: string; body: Body }[] = [];
  const abandoned: Body[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const path = request.url ?? "";
      const text = Buffer.concat(pieces).toString("utf8");
      const body = text === "" ? {} : JSON.parse(text);
      sent.push({ path, body });
      response.on("close", () => response.writableFinished || abandoned.push(body));
      const [status, answer] = answering(path, body, options);
      if (status === 200 && body.stream === true)
        return void sendEvents(response, streaming(body, options), options);
      const changed = options.change?.(path, answer) ?? answer;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(changed));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    abandoned,
    bodies: (path) => sent.filter((each) => each.path === path).map(({ body }) => body),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function sendEvents(
  response: ServerResponse,
  events: readonly Body[],
  { changeEvent = (event) => event }: FakeEngineOptions,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [place, event] of events.entries()) {
    const changed = changeEvent(event, place);
    if (changed === null) response.destroy();
    if (response.destroyed) return;
    response.write(`data: ${JSON.stringify(changed)}\n\n`);
    // Each event in a turn of its own, so that a client can close the connection in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end("data: [DONE]\n\n");
}

/** The answers to `count` single steps, each of which goes on from the token before. */
function stepsOf<Made>(
  prompt: readonly number[],
  count: number,
  step: (text: readonly number[]) => { readonly answer: Made; readonly token: number },
): Made[] {
  const text = [...prompt];
  return Array.from({ length: count }, () => {
    const { answer, token } = step(text);
    text.push(token);
    return answer;
  });
}

/** Lists of `size` neighbours. */
function groups<Entry>(all: readonly Entry[], size: number): Entry[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, place) => all.slice(place * size, (place + 1) * size));
}

interface VllmChoice {
  readonly token_ids: number[];
  readonly logprobs: Readonly<Record<string, readonly unknown[]>>;
}

function streamAsVllm(body: Body, options: FakeEngineOptions): Body[] {
  const { gathered = 1 } = options;
  const choices = stepsOf(body.prompt as number[], body.max_tokens as number, (prompt) => {
    const answer = completeAsVllm({ ...body, prompt }, options)[1] as { readonly choices: VllmChoice[] };
    const choice = answer.choices[0] as VllmChoice;
    return { answer: choice, token: choice.token_ids[0] as number };
  });
  const all = groups(choices, gathered);
  return all.map((some, place) => {
    const joined = (name: string): unknown[] => some.flatMap(({ logprobs }) => logprobs[name] ?? []);
    const names = ["text_offset", "token_logprobs", "tokens", "top_logprobs"];
    const choice = {
      index: 0,
      text: "…",
      token_ids: some.flatMap(({ token_ids }) => token_ids),
      logprobs: Object.fromEntries(names.map((name) => [name, joined(name)])),
      finish_reason: place === all.length - 1 ? "length" : null,
      stop_reason: null,
    };
    return { id: "cmpl-1", object: "text_completion", model: model.id, choices: [choice] };
  });
}

interface SglangAnswer {
  readonly output_ids: number[];
  readonly meta_info: Body;
}

/** Each event has the lists of all steps so far, or only its own. */
function streamAsSglang(body: Body, options: FakeEngineOptions): Body[] {
  const { gathered = 1, isIncremental = false } = options;
  const prompt = body.input_ids as number[];
  const { max_new_tokens: count } = body.sampling_params as { readonly max_new_tokens: number };
  const answers = stepsOf(prompt, count, (text) => {
    const answer = generateAsSglang({ ...body, input_ids: text }, options) as unknown as SglangAnswer;
    return { answer, token: answer.output_ids[0] as number };
  });
  const all = groups(answers, gathered);
  return all.map((some, place) => {
    const end = Math.min(answers.length, (place + 1) * gathered);
    const shown = isIncremental ? some : answers.slice(0, end);
    const joined = (name: string): unknown[] => shown.flatMap(({ meta_info }) => meta_info[name] ?? []);
    return {
      text: "…",
      output_ids: shown.flatMap(({ output_ids }) => output_ids),
      meta_info: {
        id: "1",
        finish_reason: place === all.length - 1 ? { type: "length", length: count } : null,
        prompt_tokens: prompt.length,
        completion_tokens: end,
        cached_tokens: prompt.length - 1,
        output_token_logprobs: joined("output_token_logprobs"),
        output_top_logprobs: joined("output_top_logprobs"),
      },
    };
  });
}

const notFound: Answer = [404, { detail: "Not Found" }];
const model = {
  id: "org/fake-model",
  object: "model",
  created: 1_790_000_000,
  root: "org/fake-model",
  parent: null,
};

function answerAsVllm(path: string, body: Body, options: FakeEngineOptions): Answer {
  switch (path) {
    case "/v1/models":
      return [
        200,
        {
          object: "list",
          data: [{ ...model, owned_by: "vllm", max_model_len: options.contextLength, permission: [] }],
        },
      ];
    case "/version":
      return [200, { version: "0.32.0" }];
    case "/detokenize":
      return [200, { prompt: options.textOf?.(body.tokens as number[]) ?? "" }];
    case "/v1/completions":
      return completeAsVllm(body, options);
    default:
      return notFound;
  }
}

function completeAsVllm(body: Body, options: FakeEngineOptions): Answer {
  const { maxLogprobs = 1_024, isProcessed = false, isOld = false, rowAfter } = options;
  const prompt = body.prompt as number[];
  const count = body.logprobs as number;
  const named = body.logprob_token_ids as number[] | undefined;
  if (count > maxLogprobs && !named)
    return refusal(
      `Requested sample logprobs of ${count}, which is greater than max allowed: ${maxLogprobs}`,
    );
  if (options.hasNoPriorities && body.priority !== undefined)
    return refusal("Got priority 3 but Priority scheduling is not enabled.");
  if (named && isOld) return refusal("Extra inputs are not permitted: logprob_token_ids");
  const row =
    isProcessed && body.temperature === 2 ? rowAfter(prompt).map((each) => each / 2) : rowAfter(prompt);
  const bias = (body.logit_bias ?? {}) as Readonly<Record<string, number>>;
  const allowed = body.allowed_token_ids as number[] | undefined;
  const made = likeliest(
    row,
    (token) => (bias[token] ?? 0) + (allowed && !allowed.includes(token) ? -1e9 : 0),
  );
  const ranked = named ?? ranking(row).slice(0, count);
  const tokens = ranked.includes(made) ? ranked : [made, ...ranked];
  const logprobs = {
    text_offset: [0],
    token_logprobs: [row[made]],
    tokens: [`token_id:${made}`],
    top_logprobs: [Object.fromEntries(tokens.map((token) => [`token_id:${token}`, row[token]]))],
  };
  const choice = {
    index: 0,
    text: "…",
    logprobs,
    finish_reason: "length",
    stop_reason: null,
    prompt_logprobs: null,
  };
  const cached = { cached_tokens: 16 * Math.floor((prompt.length - 1) / 16) };
  return [
    200,
    {
      id: "cmpl-1",
      object: "text_completion",
      created: 1_790_000_000,
      model: model.id,
      choices: [{ ...choice, token_ids: [made], prompt_token_ids: prompt }],
      usage: {
        prompt_tokens: prompt.length,
        total_tokens: prompt.length + 1,
        completion_tokens: 1,
        prompt_tokens_details: cached,
      },
    },
  ];
}

const refusal = (message: string): Answer => [
  400,
  { error: { message, type: "BadRequestError", param: null, code: 400 } },
];

function answerAsSglang(path: string, body: Body, options: FakeEngineOptions): Answer {
  switch (path) {
    case "/v1/models":
      return [
        200,
        { object: "list", data: [{ ...model, owned_by: "sglang", max_model_len: options.contextLength }] },
      ];
    case "/server_info":
      return [200, { version: "0.5.17", model_path: model.id }];
    case "/detokenize":
      return [200, { text: options.textOf?.(body.tokens as number[]) ?? "" }];
    case "/generate":
      return [200, generateAsSglang(body, options)];
    default:
      return notFound;
  }
}

function generateAsSglang(body: Body, { rowAfter }: FakeEngineOptions): Body {
  const prompt = body.input_ids as number[];
  const settings = body.sampling_params as { readonly logit_bias?: Readonly<Record<string, number>> };
  const row = rowAfter(prompt);
  const made = likeliest(row, (token) => settings.logit_bias?.[token] ?? 0);
  const entry = (token: number) => [row[token], token, null];
  const named = body.token_ids_logprob as number[] | undefined;
  return {
    text: "…",
    output_ids: [made],
    meta_info: {
      id: "1",
      finish_reason: { type: "length", length: 1 },
      prompt_tokens: prompt.length,
      completion_tokens: 1,
      cached_tokens: prompt.length - 1,
      output_token_logprobs: [entry(made)],
      output_top_logprobs: [
        ranking(row)
          .slice(0, body.top_logprobs_num as number)
          .map(entry),
      ],
      ...(named && { output_token_ids_logprobs: [named.map(entry)] }),
    },
  };
}

function ranking(row: readonly number[]): readonly number[] {
  return [...row.keys()].sort((a, b) => (row[b] as number) - (row[a] as number) || a - b);
}

function likeliest(row: readonly number[], biasOf: (token: number) => number): number {
  const scores = row.map((logprob, token) => logprob + biasOf(token));
  return scores.indexOf(Math.max(...scores));
}
