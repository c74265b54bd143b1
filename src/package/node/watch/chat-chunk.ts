/** Reads the events of a streamed chat completion with log-probabilities, as OpenAI's API and compatible services send them. */
import { isRecord } from "../../../core/base/record.ts";
import { isCount } from "../../../runtime/remote/parse-responses.ts";
import { ResponseReader } from "../../../runtime/remote/response-fields.ts";

/** A token without its id: such services send none. */
export interface WatchedToken {
  /** Null if the service sends no bytes, or the token has none. */
  readonly bytes: Uint8Array | null;
  readonly text: string;
  readonly logprob: number;
}

/** A token of the output, with the most likely tokens at its place. */
export interface WatchedStep extends WatchedToken {
  readonly top: readonly WatchedToken[];
}

export interface ChatChunk {
  readonly text: string;
  readonly steps: readonly WatchedStep[];
  readonly finishReason: string | null;
  /** Tokens of the prompt, in the chunk that tells them. */
  readonly promptTokens: number | null;
}

const read = new ResponseReader({
  engine: "the service",
  path: "/chat/completions",
  vocabularySize: 0,
  advice: "Midtoken needs streamed log-probabilities as OpenAI's API sends them.",
});

/** @throws RemoteEngineError that names the field which is not understood */
export function parseChatChunk(event: unknown): ChatChunk {
  const { choices, usage } = read.record(event, "the event");
  const promptTokens = isRecord(usage) && isCount(usage.prompt_tokens) ? usage.prompt_tokens : null;
  const [first] = read.list(choices, "choices");
  // The chunk with the usage has no choice.
  if (first === undefined) return { text: "", steps: [], finishReason: null, promptTokens };
  const choice = read.record(first, "choices[0]");
  const delta = isRecord(choice.delta) ? choice.delta : {};
  const text = `${textOf(delta.content)}${textOf(delta.refusal)}`;
  const steps = stepsOf(choice.logprobs);
  if (text !== "" && steps.length === 0)
    throw read.fault(
      "choices[0].logprobs.content",
      "the log-probabilities of the tokens (many models and services give none)",
      isRecord(choice.logprobs) ? choice.logprobs.content : choice.logprobs,
    );
  const { finish_reason: reason } = choice;
  return { text, steps, finishReason: typeof reason === "string" ? reason : null, promptTokens };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function stepsOf(logprobs: unknown): readonly WatchedStep[] {
  if (!isRecord(logprobs)) return [];
  return (["content", "refusal"] as const).flatMap((name) => {
    const field = `choices[0].logprobs.${name}`;
    const listed = logprobs[name] ?? [];
    return read.list(listed, field).map((entry, place): WatchedStep => {
      const at = `${field}[${place}]`;
      const { top_logprobs: top } = read.record(entry, at);
      return {
        ...tokenOf(entry, at),
        top: read
          .list(top, `${at}.top_logprobs`)
          .map((each, rank) => tokenOf(each, `${at}.top_logprobs[${rank}]`)),
      };
    });
  });
}

function tokenOf(value: unknown, field: string): WatchedToken {
  const { token, bytes, logprob } = read.record(value, field);
  if (typeof token !== "string") throw read.fault(`${field}.token`, "a string", token);
  return { text: token, bytes: bytesOf(bytes, field), logprob: read.logprob(logprob, `${field}.logprob`) };
}

function bytesOf(value: unknown, field: string): Uint8Array | null {
  if (value === null || value === undefined) return null;
  const bytes = read.list(value, `${field}.bytes`);
  const wrong = bytes.find((byte) => !isCount(byte) || byte > 255);
  if (wrong !== undefined) throw read.fault(`a byte of ${field}.bytes`, "a number from 0 to 255", wrong);
  return Uint8Array.from(bytes as readonly number[]);
}
