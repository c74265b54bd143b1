/** OpenAI's chat and text calls, over any function that starts requests. */
import { importProgramPart } from "../../core/base/import-part.ts";
import type { AnswerPlan } from "./answer-plan.ts";
import { checkCallOptions } from "./call-options.ts";
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from "./chat-completion.ts";
import { startChoices } from "./choices.ts";
import type { CompletionEndpoint } from "./completion-call.ts";
import type { CallOptions, CompletionStream, Completions } from "./completions-api.ts";
import type { StartRequest } from "./start-request.ts";
import type { TextCompletion, TextCompletionRequest } from "./text-completion.ts";

export function createChatCompletions(
  start: StartRequest,
): Completions<ChatCompletionRequest, ChatCompletion, ChatCompletionChunk> {
  return createCompletions(start, async () => {
    const { chatEndpoint } = await importProgramPart(
      "The chat API",
      () => import("./chat-calls.ts"),
      "chatEndpoint",
    );
    return chatEndpoint;
  });
}

export function createTextCompletions(
  start: StartRequest,
): Completions<TextCompletionRequest, TextCompletion, TextCompletion> {
  return createCompletions(start, async () => {
    const { textEndpoint } = await importProgramPart(
      "The completions API",
      () => import("./text-calls.ts"),
      "textEndpoint",
    );
    return textEndpoint;
  });
}

/**
 * Makes one of OpenAI's calls. @param call the code that reads and answers requests, or a function that loads this code at
 * the first request
 */
export function createCompletions<Plan extends AnswerPlan, Request, Answer, Chunk>(
  start: StartRequest,
  call: CompletionEndpoint<Plan, Answer, Chunk> | (() => Promise<CompletionEndpoint<Plan, Answer, Chunk>>),
): Completions<Request, Answer, Chunk> {
  const create = async (
    request: unknown,
    options: CallOptions = {},
  ): Promise<Answer | CompletionStream<Chunk>> => {
    checkCallOptions(options);
    const { signal } = options;
    const { read, answer, chunks } = typeof call === "function" ? await call() : call;
    const plan = await read(request);
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
  // Whether the result is a stream depends on `stream`; the overloads express this in types.
  return { create: create as Completions<Request, Answer, Chunk>["create"] };
}

/** The error for a second reader, who would get no chunks and take the answer for empty. */
const alreadyRead = (): Error =>
  new Error(
    "This stream has been read already, and a stream can be read only once. Store its chunks as they arrive, or send the request again.",
  );
