/** SmolLM2-135M-Instruct in Node on WebAssembly, with open layers: reads texts, and answers with steering. */

import { runToEnd } from "../../src/core/base/resumable-work.ts";
import type { LanguageModel } from "../../src/core/decoder/ports/language-model.ts";
import type { ModelLayers } from "../../src/core/decoder/ports/model-layers.ts";
import type { Steering } from "../../src/core/sdk/action.ts";
import { createTokenizer, type ModelTokenizer } from "../../src/core/tokenizer/create-tokenizer.ts";
import { readTokenizerFolder } from "../../src/core/tokenizer/testing/repository-tokenizers.ts";
import { placesOf, type TokenStates, type VectorTexts } from "../../src/core/vectors/text-states.ts";
import { createModel } from "../../src/runtime/engine/load/create-model.ts";
import {
  createPromptFormatter,
  type PromptFormatter,
} from "../../src/runtime/engine/prompt/chat-template.ts";
import { graphsOf, readGraph } from "../../src/runtime/engine/testing/graph-folder.ts";
import { modelFolder } from "../models-folder.ts";

export const instructModelId = "HuggingFaceTB/SmolLM2-135M-Instruct";

export interface InstructModel {
  readonly layers: ModelLayers;
  read(text: string, how: Pick<VectorTexts, "tokens" | "as">): Promise<TokenStates>;
  /** An answer at temperature 0 with at most `mostTokens` tokens; the vectors steer prompt and answer. */
  answer(question: string, vectors: readonly Steering[], mostTokens: number): Promise<string>;
  dispose(): Promise<void>;
}

/** Null if the folder in `MIDTOKEN_MODELS` does not contain the model. */
export async function loadInstructModel(): Promise<InstructModel | null> {
  const folder = modelFolder("smollm2-135m-instruct");
  const [graph] = folder ? graphsOf(folder) : [];
  if (!folder || !graph) return null;
  const endOfSequence = [2];
  const files = readGraph(graph);
  const { model } = await createModel({
    ...files,
    openLayers: true,
    device: "wasm",
    threads: 1,
    endOfSequence,
  });
  if (!model.layers) throw new Error("The model has no layers.");
  const data = {
    ...readTokenizerFolder(folder),
    vocabSize: model.vocabularySize,
    eosTokenIds: endOfSequence,
  };
  const tokenizer = createTokenizer(data);
  const formatter = createPromptFormatter(data.tokenizerConfig, tokenizer);
  return instructModel(model, model.layers, tokenizer, formatter);
}

function instructModel(
  model: LanguageModel,
  layers: ModelLayers,
  tokenizer: ModelTokenizer,
  formatter: PromptFormatter,
): InstructModel {
  const { count: layerCount, hiddenSize } = layers;
  const every = Array.from({ length: layerCount }, (_, layer) => layer);
  return {
    layers,
    async read(text, how) {
      const messages = [{ role: "user", content: text }] as const;
      const tokens =
        how.as === "message" ? formatter.format(messages) : runToEnd(formatter.formatRaw(messages));
      layers.steer(new Map());
      layers.keep(every);
      model.truncate(0);
      await model.forward(tokens, tokens.length);
      const rows = await Promise.all(every.map((layer) => layers.hidden(layer)));
      const at = (place: number) => {
        const states = new Float32Array(layerCount * hiddenSize);
        for (const [layer, row] of rows.entries())
          states.set(row.subarray(place * hiddenSize, (place + 1) * hiddenSize), layer * hiddenSize);
        return states;
      };
      return { layerCount, hiddenSize, tokens: placesOf(tokens.length, how.tokens).map(at) };
    },
    async answer(question, vectors, mostTokens) {
      layers.keep([]);
      layers.steer(summed(vectors));
      model.truncate(0);
      const output: number[] = [];
      let logits = await model.forward(formatter.format([{ role: "user", content: question }]));
      while (output.length < mostTokens) {
        const token = mostLikely(logits);
        if (model.endOfSequence.includes(token)) break;
        output.push(token);
        logits = await model.forward([token]);
      }
      return tokenizer.decode(output);
    },
    dispose: () => model.dispose(),
  };
}

/** The sum of the vectors, by layer. */
function summed(vectors: readonly Steering[]): Map<number, Float32Array> {
  const byLayer = new Map<number, Float32Array>();
  for (const { layer, vector, scale } of vectors) {
    const sum = byLayer.get(layer) ?? new Float32Array(vector.length);
    byLayer.set(
      layer,
      sum.map((value, place) => value + scale * (vector[place] as number)),
    );
  }
  return byLayer;
}

function mostLikely(logits: Float32Array): number {
  let best = 0;
  for (let token = 1; token < logits.length; token += 1)
    if ((logits[token] as number) > (logits[best] as number)) best = token;
  return best;
}
