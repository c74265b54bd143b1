/** A real model in Node, and one request on it with one mod. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decode } from "../../decoder/decode.ts";
import { KvCache } from "../../decoder/kv-cache.ts";
import type { ModHost } from "../../decoder/mod-host.ts";
import { createPromptFormatter } from "../../engine/chat-template.ts";
import { createGqaModel } from "../../engine/gqa-model.ts";
import { readGraph } from "../../engine/testing/exported-models.ts";
import { createWasmRunner } from "../../engine/wasm-runner.ts";
import {
  defaultSampling,
  type Message,
  type ResponseFormat,
  type SamplingSettings,
  type ToolDefinition,
} from "../../sdk/request.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import { answerFormat } from "../../session/answer-format.ts";
import { decodeRequestOf } from "../../session/decode-request.ts";
import type { RunRequest } from "../../session/protocol.ts";
import { createTokenizer, type JsonObject } from "../../tokenizer/create-tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../../trace/format.ts";

export interface Outcome {
  readonly finished: FinishedRecord;
  readonly records: readonly TraceRecord[];
  /** The records of one type. */
  recordsOf<Type extends TraceRecord["type"]>(type: Type): Extract<TraceRecord, { type: Type }>[];
  /** Texts of the spans that were taken back, in order. */
  readonly removed: readonly string[];
}

export interface Settings {
  readonly messages: readonly Message[];
  readonly maxTokens: number;
  readonly temperature?: number;
  /** Beside the temperature: neutral unless given. */
  readonly sampling?: Partial<SamplingSettings>;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly tools?: readonly ToolDefinition[];
  /** JSON Schema of the request's response format. */
  readonly schema?: Readonly<Record<string, unknown>> | null;
}

export interface TestModel {
  readonly tokenizer: Tokenizer;
  run(settings: Settings, mods?: readonly ModHost[]): Promise<Outcome>;
  dispose(): Promise<void>;
}

/** `graph` is a path in `folder`, for example `onnx/model.onnx`. */
export async function openTestModel(folder: string, graph: string): Promise<TestModel> {
  const json = (file: string): JsonObject => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const read = readGraph({ name: folder, folder, file: graph, quantized: false });
  const runner = await createWasmRunner({ ...read, cacheRows: 512 });
  const endOfSequence = [json("config.json").eos_token_id].flat() as number[];
  const model = createGqaModel(runner, { endOfSequence });
  const tokenizerConfig = json("tokenizer_config.json");
  const tokenizerData = {
    tokenizerJson: json("tokenizer.json"),
    tokenizerConfig,
    vocabSize: model.vocabularySize,
    eosTokenIds: endOfSequence,
  };
  const tokenizer = createTokenizer(tokenizerData);
  const { format } = createPromptFormatter(tokenizerConfig, tokenizer);
  const parts = { tokenizer, tokenizerData, formatPrompt: format };
  const kvCache = new KvCache(model);

  return {
    tokenizer,
    async run(
      { messages, maxTokens, temperature = 0, seed = 7, tools = [], schema = null, ...rest },
      mods = [],
    ) {
      const { stop = [] } = rest;
      const sampling = { ...defaultSampling, ...rest.sampling, temperature };
      const records: TraceRecord[] = [];
      const responseFormat: ResponseFormat | null = schema && {
        type: "json_schema",
        json_schema: { name: "answer", schema },
      };
      const request: RunRequest = {
        ...{
          requestId: "test",
          messages,
          tools,
          responseFormat,
          maxTokens,
          seed,
          stop,
          onModError: "stop",
        },
        sampling,
        mods: mods.map(({ name }) => ({ name, source: "" })),
      };
      const { prompt, host } = answerFormat(request, parts);
      const hosts = host ? [...mods, host] : mods;
      const info = {
        ...{ id: folder, revision: null, file: graph, device: "wasm" as const, adapter: "" },
        vocabularySize: model.vocabularySize,
      };
      const finished = await decode(decodeRequestOf(request, host, { prompt, model: info, createdAt: 0 }), {
        ...{ kvCache, tokenizer, mods: hosts },
        record: (record) => records.push(record),
        now: () => performance.now(),
      });
      return outcome(finished, records);
    },
    dispose: () => model.dispose(),
  };
}

function outcome(finished: FinishedRecord, records: readonly TraceRecord[]): Outcome {
  const recordsOf: Outcome["recordsOf"] = (type) =>
    records.filter((record): record is Extract<TraceRecord, { type: typeof type }> => record.type === type);
  const texts = new Map<number, string>();
  for (const { index, tokens } of recordsOf("added")) {
    tokens.forEach(({ text }, offset) => {
      texts.set(index + offset, text);
    });
  }
  const removed = recordsOf("backtracked").map((record) =>
    record.removed.map((index) => texts.get(index)).join(""),
  );
  return { finished, records, recordsOf, removed };
}
