/**
 * Refuses a prompt that cannot fit the model's context before the request waits for the engine: tokenizing megabytes takes
 * seconds.
 */

import { nonSpaceLength } from "../../core/tokenizer/prompt-bytes.ts";
import type { LoadedModel } from "../../runtime/session/shared/loading.ts";
import { ApiError } from "./api-error.ts";
import type { RequestPlan } from "./start-request.ts";

export const promptFieldOf = ({ request }: RequestPlan): "prompt" | "messages" =>
  request.rawPrompt ? "prompt" : "messages";

/**
 * Counts the users' texts without white space: a chat template always includes these texts, but it may leave out the
 * assistant's reasoning. So every prompt that fits passes this check. Some prompts that are too long pass it too; the engine
 * refuses them later.
 * @throws ApiError, 400
 */
export function checkPromptSize(plan: RequestPlan, model: LoadedModel): void {
  const { promptBytes, capacity } = model;
  if (promptBytes === undefined) return;
  let bytes = 0;
  let length = 0;
  for (const { role, content } of plan.request.messages) {
    if (role !== "user") continue;
    const texts = typeof content === "string" ? [content] : (content ?? []).map(({ text }) => text ?? "");
    for (const text of texts) {
      length += text.length;
      bytes += nonSpaceLength(text, promptBytes + 1 - bytes);
    }
  }
  if (bytes <= promptBytes) return;
  throw promptTooLongError(
    `The prompt has ${length} characters, which are more than the model's context of ${capacity} tokens can hold: shorten the prompt.`,
    promptFieldOf(plan),
  );
}

/** OpenAI's error for a prompt that is longer than the context. */
export function promptTooLongError(message: string, param: "prompt" | "messages" | "input"): ApiError {
  return new ApiError(message, {
    status: 400,
    type: "invalid_request_error",
    code: "context_length_exceeded",
    param,
  });
}
