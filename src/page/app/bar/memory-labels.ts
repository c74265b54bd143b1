/** Describes the memory of models in a few words. Pure. */
import type { EngineMemory } from "../../../runtime/session/shared/memory-budget.ts";
import { formatBytes, formatCount } from "../../../view/ui/format.ts";

/** The memory of the model in use, with its KV cache; null without a model and for a model on a server. */
export function modelMemorySentence({ model }: EngineMemory): string | null {
  if (!model || model.bytes === 0) return null;
  const lens = lensLabels(model.lensBytes);
  if (!model.cache) return `This model uses ${formatBytes(model.bytes)} of memory.${lens}`;
  const { bytes, tokens, mostBytes, mostTokens } = model.cache;
  const room = tokens < mostTokens ? `, with room for ${formatCount(tokens)} tokens` : "";
  const most =
    bytes < mostBytes
      ? ` The cache grows in steps, up to ${formatBytes(mostBytes)} for ${formatCount(mostTokens)} tokens.`
      : ` The cache has room for ${formatCount(mostTokens)} tokens, the longest text that the model can read.`;
  const cache = `${formatBytes(bytes)} for the text so far (the KV cache)${room}.`;
  return `This model uses ${formatBytes(model.bytes)} of memory, including ${cache}${most}${lens}`;
}

function lensLabels(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  const cost = bytes > 0 ? `; this uses about ${formatBytes(bytes)} of the memory` : "";
  return ` The layers of this model can be read and steered${cost}.`;
}

/** The memory of all loaded models; null if only the one in use is loaded. */
export function loadedModelsSentence({ modelCount, bytes, budgetBytes }: EngineMemory): string | null {
  if (modelCount < 2) return null;
  return `${modelCount} models are loaded and use ${formatBytes(bytes)} of the ${formatBytes(budgetBytes)} limit.`;
}

/** Describes the default budget. @param device the device's memory; null if the browser does not report it */
export function defaultMemoryBudgetSentence(budget: number, device: number | null): string {
  const why =
    device === null ? "this browser does not report the device’s memory" : "half of this device’s memory";
  return `Default: ${formatBytes(budget)} (${why}).`;
}
