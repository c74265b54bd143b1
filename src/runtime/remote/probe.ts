/** Asks a vLLM or SGLang server what its version does, before the first request. */
import { isRecord } from "../../core/base/record.ts";
import { longerListLength } from "../../core/decoder/ports/listed-logits.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { ServerConnection } from "./connection.ts";
import type { EngineDialect, EngineQuestion, StreamQuestion, TopKAnswer, TopKQuestion } from "./dialect.ts";
import type { ServedModel } from "./engine-kind.ts";
import type { ServerStep } from "./parse-responses.ts";
import { RemoteEngineError, type RemoteFault } from "./remote-error.ts";
import { SglangDialect } from "./sglang-dialect.ts";
import { StepStream } from "./step-stream.ts";
import { VllmDialect } from "./vllm-dialect.ts";

export interface ProbeOptions {
  readonly served: ServedModel;
  /** Read from the model's folder, since these servers do not report the size. */
  readonly vocabularySize: number;
  /** An end token, to see whether it is among the ids of an answer. */
  readonly endToken: TokenId | undefined;
  /** See `RemoteAccess`. */
  readonly priority?: number | undefined;
  /** False: streams are not tried. */
  readonly stream?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ProbeResult {
  readonly dialect: EngineDialect;
  readonly contextLength: number;
  /** Why its streams cannot be used; null if they can, or were not tried. */
  readonly streamProblem: string | null;
}

/** vLLM's `--max-logprobs` unless it is given. */
const listedByVllm = 20;
/** Tokens of the stream that is tried. */
const streamedByProbe = 3;
/** Log-probabilities that are read before temperature differ by less; cold and warm prefixes differ by up to 0.026. */
const sameRow = 0.2;

/** @throws RemoteEngineError that says what the server does otherwise and how to start it; the signal's reason */
export async function probeEngine(connection: ServerConnection, options: ProbeOptions): Promise<ProbeResult> {
  const { served } = options;
  if (served.contextLength === null)
    throw new RemoteEngineError(
      "shape",
      `${connection.origin} does not say how many tokens its context holds: data[0].max_model_len is missing or invalid in its response to /v1/models. Check that the server runs a version of vLLM or SGLang that reports this value.`,
    );
  const dialect =
    served.kind === "vLLM" ? await probeVllm(connection, options) : await probeSglang(connection, options);
  const probe = new Probe(connection, dialect, options.signal);
  await checkDialect(probe, options);
  const streamProblem = options.stream === false ? null : await findStreamProblem(probe, options);
  return { dialect, contextLength: served.contextLength, streamProblem };
}

async function probeVllm(connection: ServerConnection, options: ProbeOptions): Promise<VllmDialect> {
  const { served, vocabularySize, priority, signal } = options;
  const about = await connection.get("/version", { signal });
  const version = isRecord(about) && typeof about.version === "string" ? about.version : "";
  const dialectOf = (mostListed: number, namesTokens: boolean) =>
    new VllmDialect({ model: served.id, version, vocabularySize, mostListed, namesTokens, priority });
  const lists = async (count: number): Promise<boolean> => {
    const probe = new Probe(connection, dialectOf(count, true), signal);
    return probe.isAccepted({ type: "list", text: probeText(vocabularySize), count });
  };
  const mostWanted = Math.min(longerListLength, vocabularySize - 1);
  const mostListed = (await lists(mostWanted)) ? mostWanted : Math.min(listedByVllm, mostWanted);
  const named = new Probe(connection, dialectOf(mostListed, true), signal);
  const question = { type: "name" as const, text: probeText(vocabularySize), tokens: [0, 1] };
  const namesTokens = await named.isRead(question, (answer) => named.dialect.readNamed(answer, question));
  return dialectOf(mostListed, namesTokens);
}

async function probeSglang(
  connection: ServerConnection,
  { vocabularySize, priority, signal }: ProbeOptions,
): Promise<SglangDialect> {
  const about = await connection.get("/server_info", { signal });
  const version = isRecord(about) && typeof about.version === "string" ? about.version : "";
  const mostListed = Math.min(longerListLength, vocabularySize - 1);
  return new SglangDialect({ version, vocabularySize, mostListed, priority });
}

/** @throws RemoteEngineError unless lists, scores, bans and end tokens are as the dialect expects. */
async function checkDialect(probe: Probe, { vocabularySize, endToken }: ProbeOptions): Promise<void> {
  const { dialect } = probe;
  const text = probeText(vocabularySize);
  const count = Math.min(10, dialect.mostListed);
  const row = await probe.list({ type: "list", text, count });
  const hot = await probe.list({ type: "list", text, count }, { temperature: 2 });
  if (dialect.name === "vLLM" && worstDifference(row, hot) > sameRow)
    throw new RemoteEngineError(
      "shape",
      "The server's log-probabilities are computed after the temperature is applied. Start vLLM with --logprobs-mode raw_logprobs.",
    );
  const best = row.tokens[0] as TokenId;
  const scored = await probe.list({ type: "list", text, count, token: row.tokens[1] as TokenId });
  if (Math.abs((scored.ofToken ?? 0) - (row.logprobs[1] as number)) > sameRow)
    throw new RemoteEngineError(
      "shape",
      `The server gives token ${row.tokens[1]} two log-probabilities for the same text: ${scored.ofToken} if it is asked about this token, ${row.logprobs[1]} in its list of the most likely tokens. Run \`npm run remote -- check URL\` and report its output.`,
    );
  await probe.draw(text, [best]);
  if (endToken !== undefined) await probe.list({ type: "list", text, count, token: endToken });
}

/** Faults of a stream after which single steps may still work. */
const faultsOfStream: ReadonlySet<RemoteFault> = new Set(["shape", "json", "refused", "server", "broken"]);

/** Streams a few tokens and compares each step with a request of its own. @throws faults that single steps would have too; the signal's reason */
async function findStreamProblem(
  probe: Probe,
  { vocabularySize, signal }: ProbeOptions,
): Promise<string | null> {
  const text = probeText(vocabularySize);
  const listed = Math.min(10, probe.dialect.mostListed);
  const stream = probe.stream({ text, listed, count: streamedByProbe });
  try {
    const made: TokenId[] = [];
    while (made.length < streamedByProbe) {
      const step = await stream.next(signal);
      if (!step) return `A stream ended after ${made.length} of ${streamedByProbe} tokens.`;
      const row = await probe.list({ type: "list", text: [...text, ...made], count: listed });
      if (worstDifference(row, step) > sameRow)
        return "The log-probabilities in a stream differ from those of single requests.";
      if ((step.logprobs[0] as number) - step.logprob > sameRow)
        return "At temperature 0, its stream has tokens that are not the most likely ones.";
      made.push(step.token);
    }
    return null;
  } catch (error) {
    if (error instanceof RemoteEngineError && faultsOfStream.has(error.fault)) return error.message;
    throw error;
  } finally {
    stream.close();
  }
}

class Probe {
  readonly dialect: EngineDialect;
  readonly #connection: ServerConnection;
  readonly #signal: AbortSignal | undefined;

  constructor(connection: ServerConnection, dialect: EngineDialect, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.dialect = dialect;
    this.#signal = signal;
  }

  async list(question: TopKQuestion, more: object = {}): Promise<TopKAnswer> {
    return this.dialect.readList(await this.#ask(question, more), question);
  }

  async draw(text: readonly TokenId[], banned: readonly TokenId[]): Promise<TokenId> {
    const question = { type: "draw" as const, text, banned, temperature: 0, seed: 0 };
    return this.dialect.readDrawn(await this.#ask(question), question);
  }

  stream(question: StreamQuestion): StepStream {
    const { dialect } = this;
    const { text, listed, count } = question;
    const { origin } = this.#connection;
    return new StepStream(
      { origin, listed, count, textLength: text.length },
      dialect.createStreamReader({ listed, origin, onComputed: () => undefined }),
      (onEvent, signal) =>
        this.#connection.stream(dialect.path, dialect.streamBody(question, null), { onEvent, signal }),
    );
  }

  /** False if the server refuses the question. @throws other faults */
  async isAccepted(question: EngineQuestion): Promise<boolean> {
    return this.isRead(question, () => undefined);
  }

  /** False if the server refuses the question, or its answer cannot be read. @throws other faults */
  async isRead(question: EngineQuestion, read: (answer: unknown) => unknown): Promise<boolean> {
    try {
      read(await this.#ask(question));
      return true;
    } catch (error) {
      const { fault } = error as Partial<RemoteEngineError>;
      if (fault === "refused" || fault === "shape") return false;
      throw error;
    }
  }

  #ask(question: EngineQuestion, more: object = {}): Promise<unknown> {
    const { path } = this.dialect;
    return this.#connection.post(
      path,
      { ...this.dialect.body(question, null), ...more },
      { signal: this.#signal },
    );
  }
}

/** Some tokens, which need not make sense. */
function probeText(vocabularySize: number): readonly TokenId[] {
  return [5, 6, 7, 8].map((token) => token % vocabularySize);
}

type Listed = Pick<ServerStep, "tokens" | "logprobs">;

function worstDifference(first: Listed, second: Listed): number {
  const others = new Map(
    Array.from(second.tokens, (token, place) => [token, second.logprobs[place] as number]),
  );
  const differences = Array.from(first.tokens, (token, place) => {
    const other = others.get(token);
    return other === undefined ? 0 : Math.abs(other - (first.logprobs[place] as number));
  });
  return Math.max(0, ...differences);
}
