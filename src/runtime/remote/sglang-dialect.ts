/** SGLang's `POST /generate` with token ids: single steps and streams. Shapes: SGLang 0.5.17, by its documents. */
import { isRecord } from "../../core/base/record.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type {
  DrawQuestion,
  EngineDialect,
  EngineQuestion,
  GivenTokensQuestion,
  StreamQuestion,
  StreamReaderOptions,
  TopKAnswer,
  TopKQuestion,
} from "./dialect.ts";
import { dataText } from "./event-stream.ts";
import { isCount, type ServerStep } from "./parse-responses.ts";
import { countComputedTokens, ResponseReader, selectMostLikely } from "./response-fields.ts";
import { parseStreamEvent, type StreamEvent, type StreamReader } from "./step-stream.ts";

export interface SglangOptions {
  readonly version: string;
  readonly vocabularySize: number;
  readonly mostListed: number;
  readonly priority?: number | undefined;
}

const mostNamed = 1_024;
const mostBanned = 4_096;
/** Without `--incremental-streaming-output` each event repeats the lists of all steps before, so a stream is short. */
const mostStreamed = 16;
/** Added to a logit: no token that has it is drawn. */
const ban = -10_000;

export class SglangDialect implements EngineDialect {
  readonly name = "SGLang";
  readonly path = "/generate";
  /** Some attention backends of SGLang cache pages of 64 tokens. */
  readonly cache = {
    blockTokens: 64,
    advice: "Send each conversation to the same server, and start SGLang without --disable-radix-cache.",
  };
  readonly version: string;
  readonly vocabularySize: number;
  readonly mostListed: number;
  readonly mostNamed = mostNamed;
  readonly mostBanned = mostBanned;
  readonly mostStreamed = mostStreamed;
  readonly #read: ResponseReader;
  readonly #priority: number | undefined;

  constructor({ version, vocabularySize, mostListed, priority }: SglangOptions) {
    this.#priority = priority;
    this.version = version;
    this.vocabularySize = vocabularySize;
    this.mostListed = mostListed;
    this.#read = new ResponseReader({ engine: this.name, path: this.path, vocabularySize });
  }

  body(question: EngineQuestion): object {
    return this.#withPriority(this.#body(question));
  }

  /** Top-k of 1 at temperature 1 is the most likely token; temperature 0 would be the same to SGLang. */
  streamBody({ text, listed, count }: StreamQuestion): object {
    const settings = { max_new_tokens: count, top_k: 1 };
    return this.#withPriority({ ...base(text, settings), top_logprobs_num: listed, stream: true });
  }

  #withPriority(body: object): object {
    return this.#priority === undefined ? body : { ...body, priority: this.#priority };
  }

  createStreamReader({ listed, origin, onComputed }: StreamReaderOptions): StreamReader {
    let given = 0;
    const isEnd = (text: string): boolean => text === "[DONE]";
    return {
      isEnd: (data) => isEnd(dataText(data)) || finishField.test(dataText(data)),
      read: (data): StreamEvent => {
        if (isEnd(dataText(data))) return { steps: [], end: "over" };
        const event = this.#readEvent(parseStreamEvent(data, { origin, program: this.name }), {
          given,
          listed,
        });
        if (given === 0 && event.steps[0]) onComputed(event.steps[0].computed);
        given += event.steps.length;
        return event;
      },
    };
  }

  /** @param before `given`: steps of the events before. The lists of an event have only its own steps, or all steps so far. */
  #readEvent(event: unknown, before: { readonly given: number; readonly listed: number }): StreamEvent {
    const { given, listed } = before;
    const read = this.#read;
    const whole = read.record(event, "the response");
    const meta = read.record(whole.meta_info, "meta_info");
    const { completion_tokens: all, finish_reason: reason } = meta;
    if (!isCount(all) || all < given)
      throw read.fault("meta_info.completion_tokens", `a whole number of at least ${given}`, all);
    const count = all - given;
    const news = (value: unknown, field: string): readonly unknown[] => {
      const list = read.list(value, field);
      return list.length === all ? list.slice(given) : read.among(list, field, count);
    };
    const of = (name: string): readonly unknown[] => news(meta[name], `meta_info.${name}`);
    const end = reason === undefined || reason === null ? undefined : "over";
    if (count === 0) return { steps: [], end };
    const ids = news(whole.output_ids, "output_ids");
    const [made, tops] = [of("output_token_logprobs"), of("output_top_logprobs")];
    const computed = countComputedTokens(meta.prompt_tokens, meta.cached_tokens);
    const steps = ids.map((id, place): ServerStep => {
      const token = read.token(id, `output_ids[${place}]`);
      const logprob = this.#logprobOfMade(made[place], token, place);
      const top = this.#entriesAt(tops[place], `meta_info.output_top_logprobs[${place}]`);
      return { token, logprob, ...this.#listed(top, listed, place), computed };
    });
    return { steps, end };
  }

  #logprobOfMade(entry: unknown, made: TokenId, place: number): number {
    const read = this.#read;
    const field = `meta_info.output_token_logprobs[${place}]`;
    const [logprob, id] = read.list(entry, field);
    if (id !== made) throw read.fault(`${field}[1]`, `token ${made}`, id);
    return read.logprob(logprob, `${field}[0]`);
  }

  #listed(top: ReadonlyMap<TokenId, number>, count: number, place: number) {
    const listed = selectMostLikely(top, count);
    if (listed.tokens.length === count) return listed;
    const field = `the length of meta_info.output_top_logprobs[${place}]`;
    throw this.#read.fault(field, `${count}`, listed.tokens.length);
  }

  #body(question: EngineQuestion): object {
    const { text } = question;
    switch (question.type) {
      case "list": {
        const { count, token } = question;
        const named = token === undefined ? {} : { token_ids_logprob: [token] };
        return { ...base(text, {}), top_logprobs_num: count, ...named };
      }
      case "name":
        return { ...base(text, {}), top_logprobs_num: 1, token_ids_logprob: question.tokens };
      case "draw": {
        const { banned, temperature, seed } = question;
        const bias = Object.fromEntries(banned.map((token) => [String(token), ban]));
        const settings = { temperature, sampling_seed: seed, logit_bias: bias };
        return { ...base(text, settings), top_logprobs_num: 1 };
      }
    }
  }

  readList(answer: unknown, { count, token }: TopKQuestion): TopKAnswer {
    const { made, logprob, meta } = this.#step(answer);
    const listed = this.#listed(this.#entries(meta, "output_top_logprobs"), count, 0);
    const { prompt_tokens: all, cached_tokens: cached } = meta;
    const computed = countComputedTokens(all, cached);
    const ofToken = token === undefined ? null : this.#logprobOf(meta, token);
    return { token: made, logprob, ...listed, computed, ofToken };
  }

  readNamed(answer: unknown, { tokens }: GivenTokensQuestion): readonly number[] {
    const { meta } = this.#step(answer);
    const found = this.#entries(meta, "output_token_ids_logprobs");
    return tokens.map((token) => this.#found(found, token));
  }

  readDrawn(answer: unknown, { banned }: DrawQuestion): TokenId {
    const { made } = this.#step(answer);
    if (!banned.includes(made)) return made;
    throw this.#read.fault("output_ids[0]", "a token that is not banned", made);
  }

  #logprobOf(meta: Readonly<Record<string, unknown>>, token: TokenId): number {
    return this.#found(this.#entries(meta, "output_token_ids_logprobs"), token);
  }

  #found(logprobs: ReadonlyMap<TokenId, number>, token: TokenId): number {
    const found = logprobs.get(token);
    if (found !== undefined) return found;
    throw this.#read.fault(
      "meta_info.output_token_ids_logprobs[0]",
      `an entry for token ${token}`,
      undefined,
    );
  }

  #step(answer: unknown) {
    const read = this.#read;
    const whole = read.record(answer, "the response");
    const made = read.token(read.only(whole.output_ids, "output_ids"), "output_ids[0]");
    const meta = read.record(whole.meta_info, "meta_info");
    const field = "meta_info.output_token_logprobs";
    const logprob = this.#logprobOfMade(read.only(meta.output_token_logprobs, field), made, 0);
    return { made, logprob, meta };
  }

  /** Entries of `[log-probability, id, text]` of the only place. */
  #entries(meta: Readonly<Record<string, unknown>>, name: string): Map<TokenId, number> {
    const read = this.#read;
    const field = `meta_info.${name}`;
    return this.#entriesAt(read.only(meta[name], field), `${field}[0]`);
  }

  #entriesAt(value: unknown, field: string): Map<TokenId, number> {
    const read = this.#read;
    const found = new Map<TokenId, number>();
    for (const [place, entry] of read.list(value, field).entries()) {
      const [logprob, id] = read.list(entry, `${field}[${place}]`);
      found.set(read.token(id, `${field}[${place}][1]`), read.logprob(logprob, `${field}[${place}][0]`));
    }
    return found;
  }
}

/** The field of the last event; within a string its quotes would be escaped. It is null in the events before. */
const finishField = /"finish_reason"\s*:\s*\{/;

/** Temperature 1 without a bias: SGLang gives the row after both. */
function base(text: readonly TokenId[], settings: object): object {
  return {
    input_ids: text,
    return_logprob: true,
    // Log-probabilities of the prompt would be computed again at each step.
    logprob_start_len: -1,
    return_text_in_logprobs: false,
    stream: false,
    sampling_params: {
      max_new_tokens: 1,
      // The end token is then one of the answer's ids like any other.
      ignore_eos: true,
      temperature: 1,
      top_p: 1,
      top_k: -1,
      min_p: 0,
      frequency_penalty: 0,
      presence_penalty: 0,
      repetition_penalty: 1,
      ...settings,
    },
  };
}

export function isSglangInfo(value: unknown): boolean {
  return isRecord(value) && typeof value.model_path === "string";
}
