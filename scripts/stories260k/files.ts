/** All files of the bundled model folder, made in memory. */
import { encodeModel } from "../../src/runtime/engine/onnx/codec.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { storyGraph } from "./graph.ts";
import { widenedHeadSize } from "./heads.ts";
import { readVocabularyPieces, specialTokensMap, tokenizerConfig, tokenizerJson } from "./tokenizer-files.ts";

/** As in llama2.c, the model ends a story with the begin-of-sequence token; the end-of-sequence token never occurs. */
const endOfSequence = [1, 2];

/** File contents by path inside the folder. */
export function storyModelFiles(
  checkpointBytes: Uint8Array,
  tokenizerBytes: Uint8Array,
): Map<string, Uint8Array> {
  const checkpoint = readCheckpoint(checkpointBytes);
  const pieces = readVocabularyPieces(tokenizerBytes);
  if (pieces.length !== checkpoint.vocabulary) {
    throw new RangeError(`${pieces.length} tokens for a vocabulary of ${checkpoint.vocabulary}.`);
  }
  const json = (value: object) => new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);
  return new Map([
    ["config.json", json(config(checkpoint))],
    ["generation_config.json", json(generationConfig)],
    ["tokenizer.json", json(tokenizerJson(pieces))],
    ["tokenizer_config.json", json(tokenizerConfig(checkpoint.sequenceLength))],
    ["special_tokens_map.json", json(specialTokensMap())],
    ["onnx/model.onnx", encodeModel(storyGraph(checkpoint, "fp32"))],
    ["onnx/model_q4.onnx", encodeModel(storyGraph(checkpoint, "q4"))],
  ]);
}

/** `head_dim` is the width of the graph's cache, padding included: readers create the empty cache from this field. */
function config(checkpoint: Checkpoint): object {
  return {
    architectures: ["LlamaForCausalLM"],
    attention_bias: false,
    bos_token_id: 1,
    dtype: "float32",
    eos_token_id: endOfSequence,
    head_dim: widenedHeadSize,
    hidden_act: "silu",
    hidden_size: checkpoint.dim,
    intermediate_size: checkpoint.hiddenDim,
    max_position_embeddings: checkpoint.sequenceLength,
    mlp_bias: false,
    model_type: "llama",
    num_attention_heads: checkpoint.heads,
    num_hidden_layers: checkpoint.layers,
    num_key_value_heads: checkpoint.kvHeads,
    pad_token_id: 2,
    rms_norm_eps: 1e-5,
    rope_scaling: null,
    rope_theta: 10000,
    tie_word_embeddings: true,
    use_cache: true,
    vocab_size: checkpoint.vocabulary,
  };
}

const generationConfig = { bos_token_id: 1, eos_token_id: endOfSequence, pad_token_id: 2 };
