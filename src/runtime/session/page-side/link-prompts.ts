/** A call that shows a prompt as the model sees it, without a request. */
import type { PromptRequest, PromptToken } from "../shared/requests.ts";
import type { WorkerCall } from "./worker-calls.ts";

export function createPromptCall(
  id: number,
  prompt: PromptRequest,
  signal: AbortSignal | undefined,
): WorkerCall<readonly PromptToken[]> {
  return {
    message: { type: "tokenize", id, prompt },
    signal,
    cancelText: "Showing the prompt was cancelled.",
    isRepeated: true,
    staysOpen: false,
    receive(reply) {
      if (reply.type === "tokenizeFailed") throw new Error(reply.message);
      return reply.type === "tokenized" ? reply.tokens : undefined;
    },
  };
}
