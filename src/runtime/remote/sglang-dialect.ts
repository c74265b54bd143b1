/** SGLang's `POST /generate` with token ids: one token for each request. Shapes: SGLang 0.5.17, by its documents. */
import { isRecord } from "../../core/base/record.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type {
  DrawQuestion,
  EngineDialect,
  EngineQuestion,
  GivenTokensQuestion,
  TopKAnswer,
  TopKQuestion,
} from "./dialect.ts";
import { countComputedTokens, ResponseReader, selectMostLikely } from "./response-fields.ts";

export interface SglangOptions {
  readonly version: string;
  readonly vocabularySize: number;
  readonly mostListed: number;
  readonly priority?: number | undefined;
}

const mostNamed = 1_024;
const mostBanned = 4_096;
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
    const body = this.#body(question);
    return this.#priority === undefined ? body : { ...body, priority: this.#priority };
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
    const listed = selectMostLikely(this.#entries(meta, "output_top_logprobs"), count);
    if (listed.tokens.length < count)
      throw this.#read.fault(
        "the length of meta_info.output_top_logprobs[0]",
        `${count}`,
        listed.tokens.length,
      );
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
    const [logprob, id] = read.list(read.only(meta.output_token_logprobs, field), `${field}[0]`);
    if (id !== made) throw read.fault(`${field}[0][1]`, `token ${made}`, id);
    return { made, logprob: read.logprob(logprob, `${field}[0][0]`), meta };
  }

  /** Entries of `[log-probability, id, text]` of the only place. */
  #entries(meta: Readonly<Record<string, unknown>>, name: string): Map<TokenId, number> {
    const read = this.#read;
    const field = `meta_info.${name}`;
    const entries = read.list(read.only(meta[name], field), `${field}[0]`);
    const found = new Map<TokenId, number>();
    for (const [place, entry] of entries.entries()) {
      const [logprob, id] = read.list(entry, `${field}[0][${place}]`);
      found.set(
        read.token(id, `${field}[0][${place}][1]`),
        read.logprob(logprob, `${field}[0][${place}][0]`),
      );
    }
    return found;
  }
}

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
