/** A real model in Node, and one request on it with one mod. */
import type { ModHost } from "../../../core/decoder/ports/mod-host.ts";
import {
  defaultSampling,
  type Message,
  type ResponseFormat,
  type SamplingSettings,
  type ToolDefinition,
} from "../../../core/sdk/request.ts";
import type { Tokenizer } from "../../../core/sdk/tokenizer.ts";
import type { FinishedRecord, TraceRecord } from "../../../core/trace/format/format.ts";
import type { RunRequest } from "../../../runtime/session/shared/requests.ts";
import { type ExportedModel, openExportedModel } from "./exported-model.ts";

export interface TestRunOutcome {
  readonly finished: FinishedRecord;
  readonly records: readonly TraceRecord[];
  /** The records of one type. */
  recordsOf<Type extends TraceRecord["type"]>(type: Type): Extract<TraceRecord, { type: Type }>[];
  /** Texts of the spans that were taken back, in order. */
  readonly removed: readonly string[];
}

export interface TestRunSettings {
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

export interface RealTestModel {
  readonly tokenizer: Tokenizer;
  run(settings: TestRunSettings, mods?: readonly ModHost[]): Promise<TestRunOutcome>;
  dispose(): Promise<void>;
}

/** `graph` is a path in `folder`, for example `onnx/model.onnx`. */
export async function openRealTestModel(folder: string, graph: string): Promise<RealTestModel> {
  return asRealTestModel(await openExportedModel(folder, graph));
}

export function asRealTestModel(model: ExportedModel): RealTestModel {
  return {
    tokenizer: model.tokenizer,
    async run(
      { messages, maxTokens, temperature = 0, seed = 7, tools = [], schema = null, ...rest },
      mods = [],
    ) {
      const { stop = [] } = rest;
      const sampling = { ...defaultSampling, ...rest.sampling, temperature };
      const responseFormat: ResponseFormat | null = schema && {
        type: "json_schema",
        json_schema: { name: "answer", schema },
      };
      const request: RunRequest = {
        requestId: "test",
        messages,
        tools,
        responseFormat,
        maxTokens,
        seed,
        stop,
        onModError: "stop",
        sampling,
        mods: mods.map(({ name }) => ({ name, source: "" })),
      };
      const { finished, records } = await model.run(request, mods);
      return outcome(finished, records);
    },
    dispose: () => model.dispose(),
  };
}

function outcome(finished: FinishedRecord, records: readonly TraceRecord[]): TestRunOutcome {
  const recordsOf: TestRunOutcome["recordsOf"] = (type) =>
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
