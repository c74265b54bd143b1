/** A model as it was exported, loaded in Node without a hub, and requests on it as the page sends them; mods run in this process. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { needsLayers } from "../../../core/decoder/activations/needs-layers.ts";
import { KvCache } from "../../../core/decoder/kv-cache/kv-cache.ts";
import { decode } from "../../../core/decoder/loop/decode.ts";
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import type { ModHost } from "../../../core/decoder/ports/mod-host.ts";
import type { Tokenizer } from "../../../core/sdk/tokenizer.ts";
import { createTokenizer, type JsonObject } from "../../../core/tokenizer/create-tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../../../core/trace/format/format.ts";
import { createDecoderModel } from "../../../runtime/engine/graph/decoder-model.ts";
import { openGraphLayers } from "../../../runtime/engine/graph/layered-graph.ts";
import { createPromptFormatter, promptFunctionsOf } from "../../../runtime/engine/prompt/chat-template.ts";
import { readGraph } from "../../../runtime/engine/testing/graph-folder.ts";
import { createWasmRunner } from "../../../runtime/engine/wasm/wasm-runner.ts";
import { makePromptAndFormat } from "../../../runtime/session/engine-side/answer-format.ts";
import { decodeRequestOf } from "../../../runtime/session/engine-side/decode-request.ts";
import { createPromptMaker } from "../../../runtime/session/engine-side/prompt-maker.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";

export interface ExportedModel {
  readonly tokenizer: Tokenizer;
  /** `mods` in the order of the request's; `createdAt` as the trace has it. */
  run(
    request: RunRequest,
    mods: readonly ModHost[],
    createdAt?: number,
  ): Promise<{ readonly finished: FinishedRecord; readonly records: readonly TraceRecord[] }>;
  /** The next request reads its whole prompt, as the first one did. */
  forget(): void;
  dispose(): Promise<void>;
}

interface LoadedModel {
  readonly languageModel: LanguageModel;
  kvCache: KvCache;
}

/**
 * `graph` is a path in `folder`, for example `onnx/model.onnx`; `id` is what a trace calls the model.
 * @param elsewhere a model with the same tokenizer, whose passes do not run on the graph; its layers stay closed
 */
export async function openExportedModel(
  folder: string,
  graph: string,
  id = folder,
  elsewhere?: LanguageModel,
): Promise<ExportedModel> {
  const json = (file: string): JsonObject => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const endOfSequence = [json("config.json").eos_token_id].flat() as number[];
  async function load(opensLayers: boolean): Promise<LoadedModel> {
    if (elsewhere) return { languageModel: elsewhere, kvCache: new KvCache(elsewhere) };
    const read = readGraph({ name: folder, folder, file: graph, quantized: false });
    const files = opensLayers ? openGraphLayers(read, graph) : read;
    const runner = await createWasmRunner({ ...read, ...files, cacheRows: 512 });
    const languageModel = createDecoderModel(runner, { endOfSequence });
    return { languageModel, kvCache: new KvCache(languageModel) };
  }
  const closed = await load(false);
  /** Loaded for the first request whose mods work with layers. */
  let open: LoadedModel | null = null;
  const { vocabularySize } = closed.languageModel;
  const tokenizerConfig = json("tokenizer_config.json");
  const tokenizerData = {
    tokenizerJson: json("tokenizer.json"),
    tokenizerConfig,
    vocabSize: vocabularySize,
    eosTokenIds: endOfSequence,
  };
  const tokenizer = createTokenizer(tokenizerData);
  const prompts = promptFunctionsOf(createPromptFormatter(tokenizerConfig, tokenizer));
  const model = { id, revision: null, file: graph, device: "wasm" as const, adapter: "", vocabularySize };
  return {
    tokenizer,
    async run(request, mods, createdAt = 0) {
      const parts = { tokenizer, tokenizerData, ...prompts };
      const { prompt, host, reasoning } = runToEnd(makePromptAndFormat(request, parts));
      const records: TraceRecord[] = [];
      if (needsLayers(mods)) open ??= await load(true);
      const { languageModel, kvCache } = needsLayers(mods) && open ? open : closed;
      const { layers } = languageModel;
      const opened = layers && { layers: { layerCount: layers.count, hiddenSize: layers.hiddenSize } };
      const engine = { prompt, reasoning, createdAt, model: { ...model, ...opened } };
      const finished = await decode(decodeRequestOf(request, host, engine), {
        kvCache,
        tokenizer,
        mods: host ? [...mods, host] : mods,
        prompts: createPromptMaker(request, parts, async (steps) => runToEnd(steps)),
        record: (record) => records.push(record),
        now: () => performance.now(),
      });
      return { finished, records };
    },
    forget() {
      for (const each of [closed, open]) {
        each?.languageModel.truncate(0);
        if (each) each.kvCache = new KvCache(each.languageModel);
      }
    },
    async dispose() {
      await closed.languageModel.dispose();
      await open?.languageModel.dispose();
    },
  };
}
