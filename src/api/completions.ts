/** OpenAI's two calls, on any way to start a request. */
import type { AnswerPlan } from "./answer-plan.ts";
import { chatAnswer, chatChunks } from "./chat-answer.ts";
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from "./chat-completion.ts";
import { type Choices, startChoices } from "./choices.ts";
import type { CallOptions, CompletionStream, Completions } from "./midtoken-engine.ts";
import { readChatRequest } from "./read-chat-request.ts";
import { readTextRequest } from "./read-text-request.ts";
import type { StartRequest } from "./start-request.ts";
import { textAnswer, textChunks } from "./text-answer.ts";
import type { TextCompletion, TextCompletionRequest } from "./text-completion.ts";

export function createChatCompletions(
  start: StartRequest,
): Completions<ChatCompletionRequest, ChatCompletion, ChatCompletionChunk> {
  return createCalls({ start, read: readChatRequest, answer: chatAnswer, chunks: chatChunks });
}

export function createTextCompletions(
  start: StartRequest,
): Completions<TextCompletionRequest, TextCompletion, TextCompletion> {
  return createCalls({ start, read: readTextRequest, answer: textAnswer, chunks: textChunks });
}

interface Call<Plan extends AnswerPlan, Answer, Chunk> {
  readonly start: StartRequest;
  /** @throws ApiError, 400 */
  read(request: unknown): Plan;
  answer(plan: Plan, choices: Choices): Promise<Answer>;
  chunks(plan: Plan, choices: Choices): AsyncGenerator<Chunk, void, undefined>;
}

function createCalls<Plan extends AnswerPlan, Request, Answer, Chunk>({
  start,
  read,
  answer,
  chunks,
}: Call<Plan, Answer, Chunk>): Completions<Request, Answer, Chunk> {
  const create = async (
    request: unknown,
    { signal }: CallOptions = {},
  ): Promise<Answer | CompletionStream<Chunk>> => {
    const plan = read(request);
    if (!plan.isStreamed) return answer(plan, await startChoices(start, plan.requests, signal));
    const stop = new AbortController();
    const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const choices = await startChoices(start, plan.requests, ended);
    let isRead = false;
    return {
      requestIds: choices.started.map(({ id }) => id),
      abort: () => stop.abort(new DOMException("The stream was aborted.", "AbortError")),
      [Symbol.asyncIterator]: () => {
        if (isRead) throw alreadyRead();
        isRead = true;
        return chunks(plan, choices);
      },
    };
  };
  // `create` gives what `stream` asks for: the overloads say it in types.
  return { create: create as Completions<Request, Answer, Chunk>["create"] };
}

/** A second reader would find nothing, and take the answer for an empty one. */
const alreadyRead = (): Error =>
  new Error(
    "This stream has been read already: its pieces come once. Keep them while they come, or ask again.",
  );
