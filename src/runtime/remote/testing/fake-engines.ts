/** Servers on this machine that answer as vLLM 0.32 and SGLang 0.5.17 document it. Neither of the two was run here. */
import { createServer } from "node:http";
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
}

export interface FakeEngine {
  readonly url: string;
  bodies(path: string): readonly Body[];
  close(): Promise<void>;
}

type Answering = (path: string, body: Body, options: FakeEngineOptions) => Answer;

export const startFakeVllm = (options: FakeEngineOptions): Promise<FakeEngine> =>
  start(answerAsVllm, options);
export const startFakeSglang = (options: FakeEngineOptions): Promise<FakeEngine> =>
  start(answerAsSglang, options);

async function start(answering: Answering, options: FakeEngineOptions): Promise<FakeEngine> {
  const sent: { path: string; body: Body }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const path = request.url ?? "";
      const text = Buffer.concat(pieces).toString("utf8");
      const body = text === "" ? {} : JSON.parse(text);
      sent.push({ path, body });
      const [status, answer] = answering(path, body, options);
      const changed = options.change?.(path, answer) ?? answer;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(changed));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: (path) => sent.filter((each) => each.path === path).map(({ body }) => body),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
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
