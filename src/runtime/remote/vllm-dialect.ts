/** vLLM's `POST /v1/completions` with token ids: single steps and streams. Shapes: vLLM 0.32, by its documents. */
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
import type { ServerStep } from "./parse-responses.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { countComputedTokens, ResponseReader, selectMostLikely } from "./response-fields.ts";
import { parseStreamEvent, type StreamEvent, type StreamReader } from "./step-stream.ts";

export interface VllmOptions {
  /** As `/v1/models` names the model. */
  readonly model: string;
  readonly version: string;
  readonly vocabularySize: number;
  readonly mostListed: number;
  /** Whether this version knows `logprob_token_ids`; without it each named token is a request. */
  readonly namesTokens: boolean;
  readonly priority?: number | undefined;
}

/** More ids in a request end vLLM's engine for all users. */
const mostIds = 1_024;
const mostNamed = 128;
/** As long as a stream of llama.cpp. */
const mostStreamed = 512;
/** vLLM clamps biases to this range. */
const ban = -100;

export class VllmDialect implements EngineDialect {
  readonly name = "vLLM";
  readonly path = "/v1/completions";
  readonly cache = {
    blockTokens: 16,
    advice:
      "Send each conversation to the same server, and start vLLM with prefix caching (--enable-prefix-caching).",
  };
  readonly version: string;
  readonly vocabularySize: number;
  readonly mostListed: number;
  readonly mostNamed: number;
  readonly mostBanned = mostIds;
  readonly mostStreamed = mostStreamed;
  readonly #options: VllmOptions;
  readonly #read: ResponseReader;

  constructor(options: VllmOptions) {
    const { version, vocabularySize, mostListed, namesTokens } = options;
    this.#options = options;
    this.version = version;
    this.vocabularySize = vocabularySize;
    this.mostListed = mostListed;
    this.mostNamed = namesTokens ? mostNamed : 1;
    this.#read = new ResponseReader({ engine: this.name, path: this.path, vocabularySize });
  }

  body(question: EngineQuestion): object {
    switch (question.type) {
      case "list": {
        const { text, count, token } = question;
        // The answer always tells the log-probability of the token that the server chose.
        return { ...this.#base(text, count), ...(token !== undefined && { allowed_token_ids: [token] }) };
      }
      case "name": {
        const { text, tokens } = question;
        if (this.#options.namesTokens)
          return { ...this.#base(text, tokens.length), logprob_token_ids: tokens };
        return { ...this.#base(text, 1), allowed_token_ids: tokens };
      }
      case "draw": {
        const { text, banned, temperature, seed } = question;
        if (banned.length > mostIds) throw tooManyIds(banned.length);
        const bias = Object.fromEntries(banned.map((token) => [String(token), ban]));
        return { ...this.#base(text, 1), temperature, seed, ...(banned.length > 0 && { logit_bias: bias }) };
      }
    }
  }

  streamBody({ text, listed, count }: StreamQuestion): object {
    return { ...this.#base(text, listed), max_tokens: count, stream: true };
  }

  createStreamReader({ listed, origin, onComputed }: StreamReaderOptions): StreamReader {
    let hasComputed = false;
    const isEnd = (text: string): boolean => text === "[DONE]";
    return {
      isEnd: (data) => isEnd(dataText(data)) || finishField.test(dataText(data)),
      read: (data): StreamEvent => {
        if (isEnd(dataText(data))) return { steps: [], end: "over" };
        const read = this.#readChunk(parseStreamEvent(data, { origin, program: this.name }), listed);
        if (!hasComputed) onComputed(null);
        hasComputed = true;
        return read;
      },
    };
  }

  /** A chunk of a stream has several tokens if the server gathers or guesses them, and none beside its usage. */
  #readChunk(chunk: unknown, listed: number): StreamEvent {
    const read = this.#read;
    const choices = read.list(read.record(chunk, "the response").choices, "choices");
    if (choices.length === 0) return { steps: [] };
    const choice = read.record(read.only(choices, "choices"), "choices[0]");
    const ids = read.list(choice.token_ids, "choices[0].token_ids");
    const steps = ids.map((_, place): ServerStep => {
      const { made, logprob, top } = this.#place(choice, place);
      return { token: made, logprob, ...this.#listed(top, listed, place), computed: null };
    });
    return { steps, end: isSet(choice.finish_reason) ? "over" : undefined };
  }

  #listed(top: ReadonlyMap<TokenId, number>, count: number, place: number) {
    const listed = selectMostLikely(top, count);
    if (listed.tokens.length === count) return listed;
    const field = `the number of entries in choices[0].logprobs.top_logprobs[${place}]`;
    throw this.#read.fault(field, `${count}`, listed.tokens.length);
  }

  /** The model's own defaults would change what a field that is left out means. */
  #base(text: readonly TokenId[], logprobs: number): object {
    const { model, priority } = this.#options;
    return {
      model,
      prompt: text,
      max_tokens: 1,
      logprobs,
      return_token_ids: true,
      return_tokens_as_token_ids: true,
      // The end token is then one of the answer's ids like any other.
      ignore_eos: true,
      add_special_tokens: false,
      temperature: 0,
      top_p: 1,
      top_k: 0,
      min_p: 0,
      presence_penalty: 0,
      frequency_penalty: 0,
      repetition_penalty: 1,
      // A server without priority scheduling refuses the field.
      ...(priority !== undefined && { priority }),
    };
  }

  readList(answer: unknown, { count, token }: TopKQuestion): TopKAnswer {
    const { made, logprob, top } = this.#step(answer);
    return {
      token: made,
      logprob,
      ...this.#listed(top, count, 0),
      computed: computedOf(answer),
      ofToken: this.#named(token, made, logprob),
    };
  }

  #named(token: TokenId | undefined, made: TokenId, logprob: number): number | null {
    if (token === undefined) return null;
    if (made === token) return logprob;
    throw this.#read.fault("choices[0].token_ids[0]", `the only allowed token ${token}`, made);
  }

  readNamed(answer: unknown, { tokens }: GivenTokensQuestion): readonly number[] {
    const { made, logprob, top } = this.#step(answer);
    return tokens.map((token) => {
      const found = token === made ? logprob : top.get(token);
      if (found !== undefined) return found;
      throw this.#read.fault(
        "choices[0].logprobs.top_logprobs[0]",
        `a value for token_id:${token}`,
        undefined,
      );
    });
  }

  readDrawn(answer: unknown, { banned }: DrawQuestion): TokenId {
    const { made } = this.#step(answer);
    if (!banned.includes(made)) return made;
    throw this.#read.fault("choices[0].token_ids[0]", "a token that is not banned", made);
  }

  #step(answer: unknown): Place {
    const read = this.#read;
    const choice = read.record(
      read.only(read.record(answer, "the response").choices, "choices"),
      "choices[0]",
    );
    read.only(choice.token_ids, "choices[0].token_ids");
    return this.#place(choice, 0);
  }

  /** One of the tokens of a choice. */
  #place(choice: Readonly<Record<string, unknown>>, place: number): Place {
    const read = this.#read;
    const ids = read.list(choice.token_ids, "choices[0].token_ids");
    const made = read.token(ids[place], `choices[0].token_ids[${place}]`);
    const field = "choices[0].logprobs";
    const logprobs = read.record(choice.logprobs, field);
    const at = (name: string): unknown => read.among(logprobs[name], `${field}.${name}`, ids.length)[place];
    const logprob = read.logprob(at("token_logprobs"), `${field}.token_logprobs[${place}]`);
    const topField = `${field}.top_logprobs[${place}]`;
    const top = new Map<TokenId, number>();
    for (const [key, value] of Object.entries(read.record(at("top_logprobs"), topField))) {
      const id = /^token_id:(\d{1,9})$/.exec(key)?.[1];
      if (id === undefined) throw read.fault(`a property name in ${topField}`, '"token_id:" and an id', key);
      top.set(read.token(Number(id), topField), read.logprob(value, `${topField}["${key}"]`));
    }
    return { made, logprob, top };
  }
}

/** A token that the server made, and the tokens that are listed in its place. */
interface Place {
  readonly made: TokenId;
  readonly logprob: number;
  readonly top: ReadonlyMap<TokenId, number>;
}

/** The field of the last chunk of a choice; within a string its quotes would be escaped. */
const finishField = /"finish_reason"\s*:\s*"/;

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Tokens that the server computed; null unless it was started with `--enable-prompt-tokens-details`. */
function computedOf(answer: unknown): number | null {
  const usage = isRecord(answer) && isRecord(answer.usage) ? answer.usage : {};
  const details = isRecord(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return countComputedTokens(usage.prompt_tokens, details.cached_tokens);
}

function tooManyIds(count: number): RemoteEngineError {
  return new RemoteEngineError(
    "refused",
    `This step would ban ${count} tokens in one request, but more than ${mostIds} would crash vLLM's engine for all users. To ban fewer, use top_k, top_p or min_p, or a smaller number for the option "listed".`,
  );
}
