/** Reads and answers chat completions. Loaded with the first such call. */
import type { AnswerPlan } from "./answer-plan.ts";
import { chatChunks, collectChatCompletion } from "./chat-answer.ts";
import type { ChatCompletion, ChatCompletionChunk } from "./chat-completion.ts";
import type { CompletionEndpoint } from "./completion-call.ts";
import { readChatRequest } from "./read-chat-request.ts";

export const chatEndpoint: CompletionEndpoint<AnswerPlan, ChatCompletion, ChatCompletionChunk> = {
  read: readChatRequest,
  answer: collectChatCompletion,
  chunks: chatChunks,
};
