/** A language model with only the metadata of a trace. A request for its logits throws an error. */
import type { LayerSizes } from "../../sdk/wire-event.ts";
import type { TraceRecord } from "../../trace/format/format.ts";
import { type LanguageModel, ModelDeadError } from "../ports/language-model.ts";
import type { ModelLayers } from "../ports/model-layers.ts";

/**
 * The model as the record describes it. `endOfSequence`: the end tokens, if they are known from elsewhere, such as
 * the tokenizer.
 */
export function modelFromRecords(
  records: readonly TraceRecord[],
  endOfSequence: readonly number[],
): LanguageModel {
  const [request] = records;
  const { vocabularySize = 0, layers } = request?.type === "request" ? request.model : {};
  return {
    vocabularySize,
    capacity: capacityOf(records),
    promptPassTokens: 1,
    endOfSequence,
    length: 0,
    async forward() {
      throw new ModelDeadError("The trace does not have these logits, and no model is loaded.");
    },
    truncate() {},
    ...(layers && { layers: recordedLayers(layers) }),
    async dispose() {},
  };
}

/** The layers are only used to check the sizes of vectors; the vectors steer nothing. */
function recordedLayers({ layerCount, hiddenSize }: LayerSizes): ModelLayers {
  const missing = async () => {
    throw new ModelDeadError(
      "The trace does not have the hidden states of the layers, and no model is loaded.",
    );
  };
  return { count: layerCount, hiddenSize, steer() {}, keep() {}, hidden: missing, lens: missing };
}

/** The size of the model's context if the output filled it; otherwise the size does not matter and is infinite. */
function capacityOf(records: readonly TraceRecord[]): number {
  const last = records.at(-1);
  if (last?.type !== "finished" || last.lengthLimit !== "context") return 2 ** 31;
  // The last token is never computed.
  return last.usage.promptTokens + last.step - 1;
}
