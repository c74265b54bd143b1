/** Checks of single fields of a server's answer. Each error names the field. */
import { isRecord } from "../../core/base/record.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { isCount, leastLogprob } from "./parse-responses.ts";
import { RemoteEngineError, shownValue } from "./remote-error.ts";

const reportBack = "Run `npm run remote -- check URL` and report its output.";

interface ReadServer {
  /** Its name in errors. */
  readonly engine: string;
  readonly path: string;
  readonly vocabularySize: number;
  /** The last sentence of errors. */
  readonly advice?: string;
}

/** Reads fields of one server's answers. Each method but `fault` throws a RemoteEngineError that names the field. */
export class ResponseReader {
  readonly #engine: string;
  readonly #path: string;
  readonly #vocabularySize: number;
  readonly #advice: string;

  constructor({ engine, path, vocabularySize, advice = reportBack }: ReadServer) {
    this.#advice = advice;
    this.#engine = engine;
    this.#path = path;
    this.#vocabularySize = vocabularySize;
  }

  fault(field: string, expected: string, found: unknown): RemoteEngineError {
    return new RemoteEngineError(
      "shape",
      `The response from ${this.#engine} to ${this.#path} was not understood: ${field} is ${shownValue(found)}, but ${expected} was expected. ${this.#advice}`,
    );
  }

  record(value: unknown, field: string): Readonly<Record<string, unknown>> {
    if (isRecord(value)) return value;
    throw this.fault(field, "an object", value);
  }

  list(value: unknown, field: string): readonly unknown[] {
    if (Array.isArray(value)) return value;
    throw this.fault(field, "a list", value);
  }

  /** The only entry of a list. */
  only(value: unknown, field: string): unknown {
    return this.among(value, field, 1)[0];
  }

  /** A list of so many entries. */
  among(value: unknown, field: string, count: number): readonly unknown[] {
    const all = this.list(value, field);
    if (all.length === count) return all;
    throw this.fault(`the length of ${field}`, `${count}`, all.length);
  }

  token(value: unknown, field: string): TokenId {
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < this.#vocabularySize)
      return value as TokenId;
    throw this.fault(field, `a token id below ${this.#vocabularySize}`, value);
  }

  logprob(value: unknown, field: string): number {
    if (typeof value === "number" && value <= roundedAbove) return Math.max(Math.min(value, 0), leastLogprob);
    throw this.fault(field, "a log-probability (a number of 0 or less)", value);
  }
}

/** Rounding makes some log-probabilities a little larger than 0. */
const roundedAbove = 1e-3;

/** Tokens of a text that the server computed; null unless it tells how many it found in its cache. */
export function countComputedTokens(all: unknown, cached: unknown): number | null {
  return isCount(all) && isCount(cached) && cached <= all ? all - cached : null;
}

/** The `count` most likely of some tokens, most likely first; of equals the lower id first. */
export function selectMostLikely(
  logprobs: ReadonlyMap<TokenId, number>,
  count: number,
): { readonly tokens: Int32Array; readonly logprobs: Float32Array } {
  const ranked = [...logprobs].sort(([a, p], [b, q]) => q - p || a - b).slice(0, count);
  return {
    tokens: Int32Array.from(ranked, ([token]) => token),
    logprobs: Float32Array.from(ranked, ([, logprob]) => logprob),
  };
}
