/** The tool calls of a run that has ended. The last one may be cut. Pure. */
import { measureJson } from "../../core/base/json-bounds.ts";
import { isRecord } from "../../core/base/record.ts";
import { parseJson } from "../../core/tools/json-text.ts";
import { type CutCallRules, readCutCalls } from "../../core/tools/recorded-calls.ts";
import type { FinishedRecord } from "../../core/trace/format/format.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { splitReasoning } from "../../core/trace/text/reasoning.ts";

export interface ShownToolCall {
  /** "" if the call was cut before its name was complete. */
  readonly name: string;
  /** JSON text of an object; only its beginning if the call was cut; the whole text of the call so far if `name` is "". */
  readonly arguments: string;
  /** Why the call was cut, for example "cut by the token limit"; null for a whole call. */
  readonly cut: string | null;
}

/** Cached lists, so that each ended run is searched once. */
const known = new WeakMap<FinishedRecord, readonly ShownToolCall[]>();

export function answerToolCalls({ finished, request }: TraceModel): readonly ShownToolCall[] {
  if (!finished) return [];
  const list = known.get(finished) ?? callsOf(finished, request);
  known.set(finished, list);
  return list;
}

function callsOf(finished: FinishedRecord, request: TraceModel["request"]): readonly ShownToolCall[] {
  if (finished.toolCalls.length > 0) {
    return finished.toolCalls.map(({ function: { name, arguments: written } }) => {
      return { name, arguments: written, cut: null };
    });
  }
  const { answer } = splitReasoning(finished.text, request?.reasoning);
  const cut = shortenText(finished);
  return readCutCalls(answer, offeredTools(finished, request)).map(
    ({ name, arguments: written, isWhole }) => {
      return { name, arguments: written, cut: isWhole ? null : cut };
    },
  );
}

function offeredTools({ reason }: FinishedRecord, request: TraceModel["request"]): CutCallRules {
  if (!request || request.toolChoice === "none") return { names: [], unnamed: "text" };
  const names = toolNames(request.tools);
  if (reason === "stop" || reason === "forced") return { names, unnamed: "text" };
  if (request.toolChoice !== "auto") return { names, unnamed: "call" };
  return { names, unnamed: request.responseFormat === null ? "either" : "text" };
}

/** @param definitions the JSON text of each tool, from the trace */
function toolNames(definitions: readonly string[]): readonly string[] {
  return definitions.flatMap((text) => {
    const tool = measureJson(text).depth > deepestTool ? null : parseJson(text);
    const called = isRecord(tool) ? tool.function : null;
    return isRecord(called) && typeof called.name === "string" ? [called.name] : [];
  });
}

/** Definitions with deeper nesting are not read, because a trace may come from a stranger. */
const deepestTool = 100;

function shortenText({ reason, lengthLimit }: FinishedRecord): string {
  return reason === "length" ? limits[lengthLimit ?? "maxTokens"] : reasons[reason];
}

const limits: Readonly<Record<NonNullable<FinishedRecord["lengthLimit"]>, string>> = {
  maxTokens: "cut by the token limit",
  maxSteps: "cut by a mod’s step limit",
  context: "cut because the context is full",
};

const reasons: Readonly<Record<Exclude<FinishedRecord["reason"], "length">, string>> = {
  stop: "incomplete, because the model ended its answer early",
  forced: "cut by a mod",
  tool_calls: "cut",
  error: "cut by an error",
  budget: "cut by the limit of forward passes",
  cancelled: "cut when the run was stopped",
};
