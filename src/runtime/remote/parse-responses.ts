/** Checks what a llama.cpp server says, field by field. A server is not trusted. */
import { isRecord } from "../../core/base/record.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import { type RemoteEngineError, shapeError } from "./remote-error.ts";

/** The server's description of its model. */
export interface LlamaServerDescription {
  /** Last part of the path of its file. */
  readonly name: string;
  readonly vocabularySize: number;
  /** Tokens that the context of one conversation holds. */
  readonly contextLength: number;
  /** Conversations that it holds at once. */
  readonly slots: number;
  readonly version: string;
}

/** More entries or tokens are refused before memory is taken for them. */
export const serverResponseLimits = { vocabulary: 4_000_000, context: 16_000_000, slots: 65_536 };

const [modelsPath, propsPath, completionPath] = ["/v1/models", "/props", "/completion"];

/** @throws RemoteEngineError */
export function parseLlamaServerDescription(models: unknown, props: unknown): LlamaServerDescription {
  const data = fieldOf(models, "data", modelsPath);
  const first: unknown = Array.isArray(data) ? data[0] : undefined;
  const meta = isRecord(first) ? first.meta : undefined;
  const vocabularySize = count(
    meta,
    "n_vocab",
    "data[0].meta.n_vocab",
    modelsPath,
    serverResponseLimits.vocabulary,
  );
  const settings = fieldOf(props, "default_generation_settings", propsPath);
  const contextLength = count(
    settings,
    "n_ctx",
    "default_generation_settings.n_ctx",
    propsPath,
    serverResponseLimits.context,
  );
  const slots = count(props, "total_slots", "total_slots", propsPath, serverResponseLimits.slots);
  const id = isRecord(first) && typeof first.id === "string" ? first.id : "";
  const build = isRecord(props) && typeof props.build_info === "string" ? props.build_info : "";
  return {
    name: fileName(id),
    vocabularySize,
    contextLength,
    slots,
    version: toPrintableAscii(build, 60),
  };
}

/** The last part of a model's path. */
export function fileName(path: string): string {
  return toPrintableAscii(path.split(/[\\/]/).at(-1) ?? "", 200) || "model";
}

/** The printable ASCII characters of a name that a server gave, at most `length`. */
export function toPrintableAscii(text: string, length: number): string {
  return text.replace(/[^\x20-\x7e]/g, "").slice(0, length);
}

function fieldOf(value: unknown, name: string, path: string): unknown {
  if (isRecord(value)) return value[name];
  throw shapeError(path, "the response", "an object", value);
}

function count(of: unknown, name: string, field: string, path: string, largest: number): number {
  const value = isRecord(of) ? of[name] : undefined;
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= largest)
    return value as number;
  throw shapeError(path, field, `a whole number from 1 to ${largest}`, value);
}

/** The most likely tokens of a step, in the order in which the server listed them. */
export interface ListedTokens {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
}

/** One token that a server made, and the most likely tokens in its place. */
export interface ServerStep extends ListedTokens {
  readonly token: TokenId;
  /** The log-probability of `token` in the model's own distribution. */
  readonly logprob: number;
  /** Tokens that the server computed for the answer; null if it does not say. */
  readonly computed: number | null;
}

/** The expected form of the answer. */
export interface ExpectedStepShape {
  readonly vocabularySize: number;
  /** Entries that were asked for. */
  readonly listed: number;
}

/**
 * Log-probability of tokens whose probability the server's float32 does not tell from 0. The smallest that it can tell is
 * -103.3; the server says null, or the smallest float32, for those below.
 */
export const leastLogprob = -104;

/** The token that a server made. @throws RemoteEngineError */
export function parseToken(answer: unknown, vocabularySize: number): TokenId {
  const tokens = fieldOf(answer, "tokens", completionPath);
  const made: unknown = Array.isArray(tokens) && tokens.length === 1 ? tokens[0] : undefined;
  if (isToken(made, vocabularySize)) return made;
  throw shapeError(completionPath, "tokens", "one token id", tokens);
}

/**
 * Whether a server made a token and left the probabilities out. llama.cpp does so if the token is part of a character, such as one
 * byte of "你", since the text so far is then not valid UTF-8.
 */
export function hasNoProbabilities(answer: unknown): boolean {
  return isRecord(answer) && answer.tokens !== undefined && answer.completion_probabilities === undefined;
}

/** Tokens of the text that the server has to compute, from an event of a stream that says so; null for any other event. */
export function parseTokensToCompute(event: unknown): number | null {
  const progress = isRecord(event) ? event.prompt_progress : undefined;
  if (!isRecord(progress)) return null;
  const { total, cache } = progress;
  return isCount(total) && isCount(cache) && cache <= total ? total - cache : null;
}

/** Tokens that a stream has made so far. @throws RemoteEngineError */
export function parsePredictedTokenCount(event: unknown): number {
  const made = fieldOf(event, "tokens_predicted", completionPath);
  if (isCount(made)) return made;
  throw shapeError(completionPath, "tokens_predicted", "a whole number", made);
}

/** Tokens that a stream made in all, from its last event; null if the event does not say. */
export function parseStreamLength(event: unknown): number | null {
  const timings = isRecord(event) ? event.timings : undefined;
  const made = isRecord(timings) ? timings.predicted_n : undefined;
  return isCount(made) ? made : null;
}

/** @param cut the list, if it was cut out of the answer. @throws RemoteEngineError */
export function parseStep(
  answer: unknown,
  shape: ExpectedStepShape,
  cut: ListedTokens | null = null,
): ServerStep {
  const path = completionPath;
  const made = parseToken(answer, shape.vocabularySize);
  const all = fieldOf(answer, "completion_probabilities", path);
  const place: unknown = Array.isArray(all) && all.length === 1 ? all[0] : undefined;
  if (!isRecord(place)) throw shapeError(path, "completion_probabilities", "a list with one object", all);
  if (place.id !== made) throw shapeError(path, "completion_probabilities[0].id", `token ${made}`, place.id);
  const logprob = readLogprob(place.logprob);
  if (logprob === null)
    throw shapeError(path, "completion_probabilities[0].logprob", aLogprob, place.logprob);
  const { tokens, logprobs } = cut ?? parseList(place.top_logprobs, shape);
  const { timings } = answer as Readonly<Record<string, unknown>>;
  return {
    token: made,
    logprob,
    tokens,
    logprobs,
    computed: isRecord(timings) && isCount(timings.prompt_n) ? timings.prompt_n : null,
  };
}

/** @throws RemoteEngineError */
function parseList(top: unknown, { listed, vocabularySize }: ExpectedStepShape): ListedTokens {
  const expected = Math.min(listed, vocabularySize);
  if (!Array.isArray(top) || top.length !== expected) {
    const field = "the length of completion_probabilities[0].top_logprobs";
    throw shapeError(completionPath, field, `${expected}`, Array.isArray(top) ? top.length : top);
  }
  const tokens = new Int32Array(top.length);
  const logprobs = new Float32Array(top.length);
  const seen = new Set<TokenId>();
  // A step has up to some thousand entries: nothing is made for an entry that is as it should be.
  for (let index = 0; index < top.length; index++) {
    const entry: unknown = top[index];
    const id = isRecord(entry) ? entry.id : undefined;
    if (!isToken(id, vocabularySize)) throw entryError(index, "id", "a token id", id);
    seen.add(id);
    if (seen.size === index) throw entryError(index, "id", "a token that is not listed yet", id);
    const logprob = (entry as Readonly<Record<string, unknown>>).logprob;
    const read = readLogprob(logprob);
    if (read === null) throw entryError(index, "logprob", aLogprob, logprob);
    tokens[index] = id;
    logprobs[index] = read;
  }
  return { tokens, logprobs };
}

function entryError(index: number, name: string, expected: string, found: unknown): RemoteEngineError {
  const field = `completion_probabilities[0].top_logprobs[${index}].${name}`;
  return shapeError(completionPath, field, expected, found);
}

function isToken(value: unknown, vocabularySize: number): value is TokenId {
  return isCount(value) && value < vocabularySize;
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Rounding makes some a little larger than 0. */
const roundedAbove = 1e-3;

const aLogprob = "a number of 0 or less";

/** Null for what is not a log-probability. */
export function readLogprob(value: unknown): number | null {
  if (value === null) return leastLogprob;
  if (typeof value === "number" && value <= roundedAbove) return Math.max(Math.min(value, 0), leastLogprob);
  return null;
}

/** Probabilities after bias and temperature, by token; tokens that no bias raised may be among them. @throws RemoteEngineError */
export function parseProbabilities(answer: unknown, vocabularySize: number): ReadonlyMap<TokenId, number> {
  const all = fieldOf(answer, "completion_probabilities", completionPath);
  const place: unknown = Array.isArray(all) && all.length === 1 ? all[0] : undefined;
  const top = isRecord(place) ? place.top_probs : undefined;
  if (!Array.isArray(top))
    throw shapeError(completionPath, "completion_probabilities[0].top_probs", "a list", top);
  const found = new Map<TokenId, number>();
  for (const [index, entry] of top.entries()) {
    const field = `completion_probabilities[0].top_probs[${index}]`;
    const { id, prob } = isRecord(entry) ? entry : {};
    if (!isToken(id, vocabularySize)) throw shapeError(completionPath, `${field}.id`, "a token id", id);
    if (typeof prob !== "number" || !(prob >= 0 && prob <= 1 + roundedAbove))
      throw shapeError(completionPath, `${field}.prob`, "a number from 0 to 1", prob);
    found.set(id, prob);
  }
  return found;
}

/** The text of some tokens. @throws RemoteEngineError */
export function parseDetokenized(answer: unknown): string {
  const content = fieldOf(answer, "content", "/detokenize");
  if (typeof content === "string") return content;
  throw shapeError("/detokenize", "content", "a string", content);
}
