/** A request as the page sends it → as the decode loop takes it. */
import type { DecodeRequest } from "../decoder/request.ts";
import type { RunRequest } from "./protocol.ts";

/** What the engine adds to a request: what the model reads, and what the trace says of the model and of the mods that are asked. */
export type EngineFields = Pick<DecodeRequest, "prompt" | "model" | "modSources" | "createdAt">;

export function decodeRequestOf(request: RunRequest, engineFields: EngineFields): DecodeRequest {
  return {
    ...engineFields,
    requestId: request.requestId,
    messages: request.messages,
    tools: request.tools ?? [],
    toolChoice: request.toolChoice ?? "auto",
    parallelToolCalls: request.parallelToolCalls ?? true,
    responseFormat: request.responseFormat ?? null,
    sampling: request.sampling,
    maxTokens: request.maxTokens,
    stop: request.stop,
    ...(request.budget !== undefined && { budget: request.budget }),
    seed: request.seed,
    onModError: request.onModError,
  };
}
