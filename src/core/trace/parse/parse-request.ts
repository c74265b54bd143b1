/** Checks the first record from outside. Also has readers that other records need. */
import { eachSampling, type SamplingSettings } from "../../base/sampling.ts";
import * as formatRequest from "../format/format-request.ts";
import { traceLimits } from "../format/limits.ts";
import {
  fields,
  finite,
  list,
  nullable,
  numbersById,
  oneOf,
  optional,
  type Reader,
  refuse,
  text,
  truth,
  whole,
} from "./check.ts";

export const name = text(traceLimits.textLength);
const longText = text(traceLimits.messageLength);
/** A count or a time. The limit is far above any time in microseconds, and the sum of two such numbers is still exact. */
export const count = whole(0, 2 ** 51);
const toolCall = fields<formatRequest.TraceToolCall>({
  id: name,
  type: oneOf("function"),
  function: fields<formatRequest.TraceToolCall["function"]>({ name, arguments: longText }),
});
export const toolCalls = list(toolCall, traceLimits.entries);

type Parts = Extract<formatRequest.TraceMessage["content"], readonly unknown[]>;
const parts: Reader<Parts> = list(
  fields<Parts[number]>({ type: name, text: optional(longText) }),
  traceLimits.entries,
);
/** Reads one message. Exported, since saved conversations are checked like a trace's messages. */
export const messageReader = fields<formatRequest.TraceMessage>({
  role: oneOf(...formatRequest.messageRoles),
  content: nullable<Parts | string>((value) => (typeof value === "string" ? longText(value) : parts(value))),
  name: optional(name),
  tool_calls: optional(toolCalls),
  tool_call_id: optional(name),
});

const json = text(traceLimits.jsonLength);
export const onlyFalse: Reader<false> = (value) =>
  value === false ? value : refuse("false, or left out", value);
export const onlyTrue: Reader<true> = (value) =>
  value === true ? value : refuse("true, or left out", value);

/** Reads a text that is not empty: an empty mark would match at the beginning of every text. */
const mark: Reader<string> = (value) => name(value) || refuse("a text that is not empty", value);

const namedTool = fields<Extract<formatRequest.TraceToolChoice, object>>({
  type: oneOf("function"),
  function: fields({ name }),
});
export const toolChoiceReader: Reader<formatRequest.TraceToolChoice> = (value) =>
  typeof value === "object" ? namedTool(value) : oneOf(...formatRequest.toolChoiceLabels)(value);

export const request = fields<formatRequest.RequestRecord>({
  type: oneOf("request"),
  requestId: name,
  createdAt: count,
  model: fields<formatRequest.TraceModelInfo>({
    id: name,
    revision: nullable(name),
    file: name,
    device: oneOf(...formatRequest.modelDevices),
    adapter: name,
    vocabularySize: count,
    layers: optional(
      fields<NonNullable<formatRequest.TraceModelInfo["layers"]>>({
        layerCount: whole(1, traceLimits.layers),
        hiddenSize: whole(1, traceLimits.vectorLength),
      }),
    ),
  }),
  messages: list(messageReader, traceLimits.messages),
  tools: list(json, traceLimits.entries),
  toolChoice: toolChoiceReader,
  parallelToolCalls: truth,
  responseFormat: nullable(json),
  sampling: fields<SamplingSettings>({
    logitBias: numbersById(traceLimits.entries),
    ...eachSampling(() => finite),
  }),
  seed: whole(-(2 ** 31), 2 ** 32),
  maxTokens: count,
  stop: list(name, traceLimits.entries),
  budget: count,
  onModError: oneOf(...formatRequest.modErrorRules),
  deadlines: nullable(fields<formatRequest.TraceDeadlines>({ load: count, prefilled: count, event: count })),
  mods: list(
    fields<formatRequest.RecordedMod>({
      name,
      source: longText,
      entry: optional(name),
      maxBacktrack: optional(count),
    }),
    traceLimits.mods,
  ),
  branch: nullable(
    fields<formatRequest.TraceBranch>({
      requestId: name,
      index: count,
      isChosen: truth,
      caughtUp: count,
      parentMods: count,
      difference: nullable(
        fields<formatRequest.TraceBranchDifference>({
          record: count,
          mod: count,
          now: name,
          recorded: name,
        }),
      ),
    }),
  ),
  maker: optional(name),
  rawPrompt: optional(onlyTrue),
  parseSpecial: optional(onlyTrue),
  heal: optional(onlyFalse),
  thinking: optional(truth),
  reasoning: optional(
    fields<formatRequest.TraceReasoning>({
      open: mark,
      close: mark,
      isBegun: truth,
      answer: optional(
        fields<NonNullable<formatRequest.TraceReasoning["answer"]>>({ open: mark, close: name }),
      ),
    }),
  ),
});
