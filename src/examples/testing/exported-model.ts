/** A model as it was exported, loaded in Node without a hub, and requests on it as the page sends them; mods run in this process. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "../../decoder/decode.ts";
import { KvCache } from "../../decoder/kv-cache.ts";
import type { ModHost } from "../../decoder/mod-host.ts";
import { createPromptFormatter, promptsOf } from "../../engine/chat-template.ts";
import { createDecoderModel } from "../../engine/decoder-model.ts";
import { readGraph } from "../../engine/testing/exported-models.ts";
import { createWasmRunner } from "../../engine/wasm-runner.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import { answerFormat } from "../../session/answer-format.ts";
import { decodeRequestOf } from "../../session/decode-request.ts";
import type { RunRequest } from "../../session/protocol.ts";
import { createTokenizer, type JsonObject } from "../../tokenizer/create-tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../../trace/format.ts";

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

/** `graph` is a path in `folder`, for example `onnx/model.onnx`; `id` is what a trace calls the model. */
export async function openExportedModel(folder: string, graph: string, id = folder): Promise<ExportedModel> {
  const json = (file: string): JsonObject => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const read = readGraph({ name: folder, folder, file: graph, quantized: false });
  const runner = await createWasmRunner({ ...read, cacheRows: 512 });
  const endOfSequence = [json("config.json").eos_token_id].flat() as number[];
  const languageModel = createDecoderModel(runner, { endOfSequence });
  const { vocabularySize } = languageModel;
  const tokenizerConfig = json("tokenizer_config.json");
  const tokenizerData = {
    tokenizerJson: json("tokenizer.json"),
    tokenizerConfig,
    vocabSize: vocabularySize,
    eosTokenIds: endOfSequence,
  };
  const tokenizer = createTokenizer(tokenizerData);
  const prompts = promptsOf(createPromptFormatter(tokenizerConfig, tokenizer));
  let kvCache = new KvCache(languageModel);
  const model = { id, revision: null, file: graph, device: "wasm" as const, adapter: "", vocabularySize };
  return {
    tokenizer,
    async run(request, mods, createdAt = 0) {
      const { prompt, host, reasoning } = answerFormat(request, { tokenizer, tokenizerData, ...prompts });
      const records: TraceRecord[] = [];
      const finished = await decode(decodeRequestOf(request, host, { prompt, reasoning, model, createdAt }), {
        ...{ kvCache, tokenizer, mods: host ? [...mods, host] : mods },
        record: (record) => records.push(record),
        now: () => performance.now(),
      });
      return { finished, records };
    },
    forget() {
      languageModel.truncate(0);
      kvCache = new KvCache(languageModel);
    },
    dispose: () => languageModel.dispose(),
  };
}
