/** Translates a request of the page (`RunRequest`) into a request of the decode loop (`DecodeRequest`). */

import { type EveryKey, withoutUndefined } from "../../../core/base/every-key.ts";
import { allowsSeveralCalls, sharedDefaults } from "../../../core/base/request-defaults.ts";
import type { ModelLayers } from "../../../core/decoder/ports/model-layers.ts";
import type { DecodeRequest, ModSource } from "../../../core/decoder/ports/request.ts";
import type { AnswerRequest } from "../../../core/sdk/request.ts";
import { defaultDeadlines } from "../../sandbox/deadlines.ts";
import type { ModelInfo, ModelReference } from "../shared/protocol.ts";
import type { RunRequest } from "../shared/requests.ts";

/** The fields that the engine adds to a request: the tokens of the prompt, and the trace's metadata of the model and the time. */
export type EngineFields = Pick<DecodeRequest, "prompt" | "model" | "createdAt" | "reasoning">;

/** The trace's metadata of a loaded model. `layers`: included if the request uses layers. */
export function traceModelInfoOf(
  { id, file, device, adapter, vocabularySize }: ModelInfo,
  { revision }: ModelReference,
  layers?: Pick<ModelLayers, "count" | "hiddenSize">,
): DecodeRequest["model"] {
  const known = { id, revision, file, device, adapter, vocabularySize };
  return layers ? { ...known, layers: { layerCount: layers.count, hiddenSize: layers.hiddenSize } } : known;
}

/** `builtIn`: the mod that enforces the request's tools and response format; the loop asks it after the others. */
export function decodeRequestOf(
  request: RunRequest,
  builtIn: { readonly source: string } | null,
  engineFields: EngineFields,
): DecodeRequest {
  const mods = builtIn ? [...request.mods, builtIn] : request.mods;
  // Each key is listed, so that the compiler reports a new field of the request table that is missing here.
  const answer: EveryKey<AnswerRequest> = {
    requestId: request.requestId,
    messages: request.messages,
    rawPrompt: request.rawPrompt || undefined,
    parseSpecial: request.parseSpecial || undefined,
    heal: request.heal === false ? false : undefined,
    thinking: request.thinking,
    tools: request.tools ?? [],
    toolChoice: request.toolChoice ?? sharedDefaults.toolChoice,
    parallelToolCalls: allowsSeveralCalls(request.parallelToolCalls, request.toolChoice),
    responseFormat: request.responseFormat ?? null,
    sampling: request.sampling,
    maxTokens: request.maxTokens,
    stop: request.stop,
    budget: request.budget,
    seed: request.seed,
    onModError: request.onModError,
  };
  return {
    ...engineFields,
    ...withoutUndefined(answer),
    hasRandomSeed: request.hasRandomSeed,
    modSources: mods.map(({ source, entry }: ModSource) => ({ source, ...(entry && { entry }) })),
    deadlines: request.mods.length > 0 ? { ...defaultDeadlines, ...request.deadlines } : null,
  };
}
