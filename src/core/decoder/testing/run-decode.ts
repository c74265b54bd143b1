/** Runs one request of a scripted model: a prompt, some mods, and what came of it. */
import { defaultSampling } from "../../sdk/request.ts";
import type { Tokenizer } from "../../sdk/tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../../trace/format/format.ts";
import { KvCache } from "../kv-cache/kv-cache.ts";
import { decode } from "../loop/decode.ts";
import type { DecodePorts } from "../loop/decode-state.ts";
import type { ModHost } from "../ports/mod-host.ts";
import type { DecodeRequest } from "../ports/request.ts";
import type { BranchPoint } from "../replay/branch-point.ts";
import { RecordedSteps } from "../replay/recorded-steps.ts";
import { alphabetLogits, byteTokenizer, END } from "./byte-tokenizer.ts";
import { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from "./scripted-model.ts";

export interface RunOptions {
  readonly prompt?: string;
  readonly mods?: readonly ModHost[];
  readonly request?: Partial<DecodeRequest>;
  readonly model?: Partial<ScriptedModelOptions>;
  /** A KV cache that has served before. */
  readonly kvCache?: KvCache;
  readonly tokenizer?: Tokenizer;
  readonly signal?: AbortSignal;
  readonly pausePoint?: DecodePorts["pausePoint"];
  readonly pausedMs?: () => number;
  readonly waitsForAdded?: boolean;
  readonly promptLookup?: boolean;
  readonly onCatchUp?: DecodePorts["onCatchUp"];
  /** Milliseconds; a clock that ticks a millisecond each time it is read unless given. */
  readonly now?: () => number;
  /** Where the request branches off another one. */
  readonly branchPoint?: BranchPoint;
  /** Called with each record as it is written. */
  readonly onRecord?: (record: TraceRecord) => void;
}

export interface RunResult {
  readonly finished: FinishedRecord;
  readonly records: readonly TraceRecord[];
  readonly model: ScriptedModel;
  readonly kvCache: KvCache;
}

/** A request of the byte tokenizer: greedy, at most 8 tokens. */
export function decodeRequest(prompt: string, overrides: Partial<DecodeRequest> = {}): DecodeRequest {
  return {
    requestId: "request-1",
    prompt: byteTokenizer.encode(prompt),
    messages: [{ role: "user", content: prompt }],
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    responseFormat: null,
    sampling: { ...defaultSampling, temperature: 0 },
    maxTokens: 8,
    stop: [],
    seed: 1,
    onModError: "stop",
    model: {
      id: "scripted",
      revision: null,
      file: "",
      device: "scripted",
      adapter: "",
      vocabularySize: byteTokenizer.vocabSize,
    },
    modSources: [],
    deadlines: null,
    createdAt: 0,
    ...overrides,
  };
}

/** The alphabet model unless `model` says otherwise: after "abcd" it says "efgh…". */
export async function runDecode(options: RunOptions): Promise<RunResult> {
  const { prompt = "abcd", mods = [], request = {}, model = {}, signal, pausePoint, waitsForAdded } = options;
  const kvCache =
    options.kvCache ??
    new KvCache(
      scriptedModel({
        vocabularySize: byteTokenizer.vocabSize,
        endOfSequence: [END],
        logits: alphabetLogits,
        ...model,
      }),
    );
  const records: TraceRecord[] = [];
  let clock = 0;
  const finished = await decode(
    decodeRequest(prompt, {
      modSources: mods.map(({ name }) => ({ source: `source of ${name}` })),
      ...request,
    }),
    {
      kvCache,
      tokenizer: options.tokenizer ?? byteTokenizer,
      mods,
      record: (record) => {
        records.push(record);
        options.onRecord?.(record);
      },
      now: options.now ?? (() => (clock += 1)),
      signal,
      pausePoint,
      pausedMs: options.pausedMs,
      waitsForAdded,
      promptLookup: options.promptLookup,
      onCatchUp: options.onCatchUp,
    },
    options.branchPoint && new RecordedSteps(options.branchPoint),
  );
  return { finished, records, model: kvCache.model as ScriptedModel, kvCache };
}
