/** Describes a model that runs on servers to the engine: how to start a conversation, and the metadata that the page shows. */
import type { LanguageModel } from "../../core/decoder/ports/language-model.ts";
import type { ModelInfo, ModelReference } from "../engine/base/model-reference.ts";
import type { BundleWithoutWeights, ModelBundle } from "../engine/load/load-model.ts";

/** @param startConversation makes a model with an empty context of its own */
export function createServedModelBundle(
  reference: ModelReference,
  { bytesOfToken, ...parts }: Omit<BundleWithoutWeights, "endOfSequence">,
  startConversation: () => LanguageModel,
  about: Pick<ModelInfo, "file" | "adapter" | "conversations">,
): ModelBundle {
  const model = startConversation();
  const { vocabularySize, capacity } = model;
  return {
    ...parts,
    model,
    startConversation,
    info: {
      ...parts.info,
      ...about,
      id: reference.id,
      device: "server",
      reason: "The model runs on your own server.",
      vocabularySize,
      capacity,
      bytes: 0,
      ...(bytesOfToken !== null && { promptBytes: bytesOfToken * capacity }),
    },
  };
}
