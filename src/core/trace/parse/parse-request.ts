/** Checks the first record from outside. Also has readers that other records need. */
import { mapSamplingNames, type SamplingSettings } from "../../base/sampling.ts";
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

export const nameReader = text(traceLimits.textLength);
const longText = text(traceLimits.messageLength);
/** A count or a time. The limit is far above any time in microseconds, and the sum of two such numbers is still exact. */
export const countReader = whole(0, 2 ** 51);
const toolCall = fields<formatRequest.TraceToolCall>({
  id: nameReader,
  type: oneOf("function"),
  function: fields<formatRequest.TraceToolCall["function"]>({ name: nameReader, arguments: longText }),
});
export const toolCallsReader = list(toolCall, traceLimits.entries);

type Parts = Extract<formatRequest.TraceMessage["content"], readonly unknown[]>;
const parts: Reader<Parts> = list(
  fields<Parts[number]>({ type: nameReader, text: optional(longText) }),
  traceLimits.entries,
);
/** Reads one message. Exported, since saved conversations are checked like a trace's messages. */
export const messageReader = fields<formatRequest.TraceMessage>({
  role: oneOf(...formatRequest.messageRoles),
  content: nullable<Parts | string>((value) => (typeof value === "string" ? longText(value) : parts(value))),
  name: optional(nameReader),
  tool_calls: optional(toolCallsReader),
  tool_call_id: optional(nameReader),
});

const json = text(traceLimits.jsonLength);
export const onlyFalse: Reader<false> = (value) =>
  value === false ? value : refuse("false, or left out", value);
export const onlyTrue: Reader<true> = (value) =>
  value === true ? value : refuse("true, or left out", value);

/** Reads a text that is not empty: an empty mark would match at the beginning of every text. */
const mark: Reader<string> = (value) => nameReader(value) || refuse("a non-empty string", value);

const namedTool = fields<Extract<formatRequest.TraceToolChoice, object>>({
  type: oneOf("function"),
  function: fields({ name: nameReader }),
});
export const toolChoiceReader: Reader<formatRequest.TraceToolChoice> = (value) =>
  typeof value === "object" ? namedTool(value) : oneOf(...formatRequest.toolChoiceLabels)(value);

export const requestReader = fields<formatRequest.RequestRecord>({
  type: oneOf("request"),
  requestId: nameReader,
  createdAt: countReader,
  model: fields<formatRequest.TraceModelInfo>({
    id: nameReader,
    revision: nullable(nameReader),
    file: nameReader,
    device: oneOf(...formatRequest.modelDevices),
    adapter: nameReader,
    vocabularySize: countReader,
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
    ...mapSamplingNames(() => finite),
  }),
  seed: whole(-(2 ** 31), 2 ** 32),
  maxTokens: countReader,
  stop: list(nameReader, traceLimits.entries),
  budget: countReader,
  onModError: oneOf(...formatRequest.modErrorRules),
  deadlines: nullable(
    fields<formatRequest.TraceDeadlines>({ load: countReader, prefilled: countReader, event: countReader }),
  ),
  mods: list(
    fields<formatRequest.RecordedMod>({
      name: nameReader,
      source: longText,
      entry: optional(nameReader),
      maxBacktrack: optional(countReader),
    }),
    traceLimits.mods,
  ),
  branch: nullable(
    fields<formatRequest.TraceBranch>({
      requestId: nameReader,
      index: countReader,
      isChosen: truth,
      caughtUp: countReader,
      parentMods: countReader,
      difference: nullable(
        fields<formatRequest.TraceBranchDifference>({
          record: countReader,
          mod: countReader,
          now: nameReader,
          recorded: nameReader,
        }),
      ),
    }),
  ),
  maker: optional(nameReader),
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
        fields<NonNullable<formatRequest.TraceReasoning["answer"]>>({ open: mark, close: nameReader }),
      ),
    }),
  ),
});
