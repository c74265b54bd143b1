/** Reads and answers text completions. Loaded with the first such call. */
import type { CompletionEndpoint } from "./completion-call.ts";
import { readTextRequest, type TextPlan } from "./read-text-request.ts";
import { collectTextCompletion, textChunks } from "./text-answer.ts";
import type { TextCompletion } from "./text-completion.ts";

export const textEndpoint: CompletionEndpoint<TextPlan, TextCompletion, TextCompletion> = {
  read: readTextRequest,
  answer: collectTextCompletion,
  chunks: textChunks,
};
