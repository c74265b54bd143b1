/** Runs one request with an enforced format, on any model. Returns the answer and the trace. */

import { KvCache } from "../../decoder/kv-cache/kv-cache.ts";
import { decode } from "../../decoder/loop/decode.ts";
import type { LanguageModel } from "../../decoder/ports/language-model.ts";
import type { ModHost } from "../../decoder/ports/mod-host.ts";
import type { DecodeRequest } from "../../decoder/ports/request.ts";
import { decodeRequest } from "../../decoder/testing/run-decode.ts";
import { scriptedModel } from "../../decoder/testing/scripted-model.ts";
import { checkTrace } from "../../decoder/testing/trace-log.ts";
import { defaultSampling, type TokenId, type ToolDefinition } from "../../sdk/request.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import {
  createTokenizer,
  type ModelTokenizer,
  type TokenizerData,
} from "../../tokenizer/create-tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../../trace/format/format.ts";
import type { TraceReasoning } from "../../trace/format/format-request.ts";
import type { ToolFormat } from "../format.ts";
import { readRequestFormat } from "../request-format.ts";
import { createRequestFormatHost } from "../request-host.ts";

export interface RequestCase {
  readonly model: LanguageModel;
  readonly tokenizer: Tokenizer;
  readonly format: ToolFormat;
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: unknown;
  readonly parallelToolCalls?: boolean;
  readonly responseFormat?: unknown;
  readonly reasoning?: TraceReasoning | null;
  readonly mods?: readonly ModHost[];
  readonly prompt?: readonly TokenId[];
  readonly request?: Partial<DecodeRequest>;
}

export interface RequestCaseResult {
  readonly finished: FinishedRecord;
  readonly records: readonly TraceRecord[];
  /** The whole output, with special tokens written by their names and without end-of-sequence tokens. */
  readonly text: string;
  readonly tokens: readonly TokenId[];
}

/** Seeded sampling at temperature 1 unless the request says otherwise. */
export async function runRequestCase(requestCase: RequestCase): Promise<RequestCaseResult> {
  const { model, tokenizer, format, tools, toolChoice, parallelToolCalls, responseFormat } = requestCase;
  const mods = [...(requestCase.mods ?? [])];
  const request = readRequestFormat({ tools, toolChoice, parallelToolCalls, responseFormat });
  const host = createRequestFormatHost({
    request,
    tokenizer,
    format,
    modNames: mods.map(({ name }) => name),
    reasoning: requestCase.reasoning ?? null,
  });
  const hosts = host ? [...mods, host] : mods;
  const records: TraceRecord[] = [];
  const finished = await decode(
    decodeRequest("", {
      prompt: requestCase.prompt ?? tokenizer.encode("Rain in Oslo?"),
      tools: request.tools,
      responseFormat: request.responseFormat,
      sampling: { ...defaultSampling, temperature: 1 },
      maxTokens: 600,
      modSources: [...mods.map(() => ({ source: "" })), ...(host ? [{ source: host.source }] : [])],
      ...requestCase.request,
    }),
    {
      kvCache: new KvCache(model),
      tokenizer,
      mods: hosts,
      record: (record) => records.push(record),
      now: () => performance.now(),
    },
  );
  const { tokens } = checkTrace(records);
  const said = tokens.filter((token) => !tokenizer.eosTokenIds.includes(token));
  return { finished, records, tokens, text: tokenizer.decode(said, { specialTokens: "parse" }) };
}

/** A model with random logits, which depend only on seed, length and last token of the context. */
export function randomModel(tokenizer: Tokenizer, seed: number): LanguageModel {
  const { vocabSize } = tokenizer;
  return scriptedModel({
    vocabularySize: vocabSize,
    endOfSequence: tokenizer.eosTokenIds,
    logits: (context) => {
      let state = seed * 2654435761 + context.length * 40503 + (context.at(-1) ?? 0) * 97;
      const row = new Float32Array(vocabSize);
      for (let token = 0; token < vocabSize; token++) {
        state = (Math.imul(state, 1664525) + 1013904223) | 0;
        row[token] = ((state >>> 8) / 2 ** 24) * 8;
      }
      return row;
    },
  });
}

/** A model that prefers the tokens of `wish`, one after another by position, and then the end of the sequence. */
export function recitingModel(
  tokenizer: Tokenizer,
  promptLength: number,
  wish: readonly TokenId[],
): LanguageModel {
  return scriptedModel({
    vocabularySize: tokenizer.vocabSize,
    endOfSequence: tokenizer.eosTokenIds,
    logits: (context) => {
      const row = new Float32Array(tokenizer.vocabSize);
      row[wish[context.length - promptLength] ?? tokenizer.eosTokenIds[0] ?? 0] = 30;
      return row;
    },
  });
}

/** A tokenizer with some of its special tokens renamed, for example to the special tokens of another family. */
export function renamedTokenizer(
  data: TokenizerData,
  renamed: Readonly<Record<string, string>>,
): ModelTokenizer {
  const tokenizerJson = structuredClone(data.tokenizerJson);
  const added = tokenizerJson.added_tokens as { content: string }[];
  const model = tokenizerJson.model as { vocab: Record<string, number> };
  for (const token of added) {
    const name = renamed[token.content];
    if (name === undefined) continue;
    model.vocab[name] = model.vocab[token.content] ?? 0;
    delete model.vocab[token.content];
    token.content = name;
  }
  return createTokenizer({ ...data, tokenizerJson });
}
