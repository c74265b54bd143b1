/** Reads from config.json the metadata that decides which weights a device can use. Pure. */
import { isRecord } from "../../../core/base/record.ts";
import type { ModelArchitecture } from "./catalog.ts";
import type { ModelMetadata } from "./choose-weights.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** Families whose activations do not fit float16: https://github.com/microsoft/onnxruntime/issues/26732 */
const overflowing = /^gemma3/;

/** If config.json lacks a number that has no usual default, the architecture is null. `needs` is empty: config.json names none. */
export function modelMetadataOf(config: JsonObject): ModelMetadata {
  const text = isRecord(config.text_config) ? config.text_config : config;
  const family = typeof text.model_type === "string" ? text.model_type : "";
  return { architecture: architectureOf(text), float16Overflows: overflowing.test(family), needs: [] };
}

function architectureOf(config: JsonObject): ModelArchitecture | null {
  const count = (name: string): number | null => {
    const value = config[name];
    return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  const vocabularySize = count("vocab_size");
  const hiddenSize = count("hidden_size");
  const heads = count("num_attention_heads");
  const keyValueHeads = count("num_key_value_heads") ?? heads;
  const headSize = count("head_dim") ?? (hiddenSize !== null && heads !== null ? hiddenSize / heads : null);
  const layers = count("num_hidden_layers");
  if (vocabularySize === null || hiddenSize === null || keyValueHeads === null || layers === null)
    return null;
  if (headSize === null || !Number.isInteger(headSize)) return null;
  const attentionLayers = attentionAmong(config.layer_types, layers);
  const stateLayers = layers - attentionLayers;
  return {
    vocabularySize,
    hiddenSize,
    attentionLayers,
    keyValueHeads,
    headSize,
    ...(stateLayers > 0 && { stateLayers }),
  };
}

/** Number of layers with a KV cache; `layer_types` names them in hybrid models. */
function attentionAmong(types: unknown, layers: number): number {
  if (!Array.isArray(types) || types.length !== layers) return layers;
  return types.filter((type) => typeof type === "string" && type.includes("attention")).length;
}
