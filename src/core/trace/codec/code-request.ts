/** Writes and reads the first record: settings, prompt and mods. A link holds the fields in this order. */
import { type EveryKey, withoutUndefined } from "../../base/every-key.ts";
import { eachSampling, type SamplingSettings } from "../../base/sampling.ts";
import * as formatRequest from "../format/format-request.ts";
import { text, toolCall } from "./code-values.ts";
import { modelLayers } from "./code-vectors.ts";
import { type ColumnIo, flag, list, nullable, optional } from "./column-io.ts";

type Part = Exclude<formatRequest.TraceMessage["content"], string | null>[number];

/**
 * Default deadlines in milliseconds, from which the deadlines of a request are written as differences. Links hold those
 * differences.
 */
const usualDeadlines = { load: 2000, prefilled: 2000, event: 250 };

export function codeRequest(
  io: ColumnIo,
  value: formatRequest.RequestRecord | undefined,
): formatRequest.RequestRecord {
  const number = (each: number | undefined) => io.whole("settings.numbers", each);
  const codeDeadlines = (each: formatRequest.TraceDeadlines | undefined) => ({
    load: io.whole("settings.numbers", each?.load, usualDeadlines.load),
    prefilled: io.whole("settings.numbers", each?.prefilled, usualDeadlines.prefilled),
    event: io.whole("settings.numbers", each?.event, usualDeadlines.event),
  });
  const string = (each: string | undefined) => text(io, "settings", each);
  // Each key is named in the order in which a link holds it, so that the compiler asks for a field that is added to the record.
  const every: EveryKey<formatRequest.RequestRecord> = {
    type: "request",
    requestId: string(value?.requestId),
    createdAt: io.whole("timings.times", value?.createdAt),
    model: {
      id: string(value?.model.id),
      revision: nullable(io, "settings.numbers", value?.model.revision, string),
      file: string(value?.model.file),
      device: io.choice("settings.numbers", value?.model.device, formatRequest.modelDevices),
      adapter: string(value?.model.adapter),
      vocabularySize: number(value?.model.vocabularySize),
      ...modelLayers(io, value?.model.layers),
    },
    messages: list(io, "prompt.numbers", value?.messages, (each) => codeMessage(io, each)),
    ...codeAnswerFormat(io, value),
    sampling: codeSampling(io, value?.sampling),
    seed: io.whole("settings.numbers", value?.seed, 0),
    maxTokens: number(value?.maxTokens),
    stop: list(io, "settings.numbers", value?.stop, string),
    budget: number(value?.budget),
    onModError: io.choice("settings.numbers", value?.onModError, formatRequest.modErrorRules),
    deadlines: nullable(io, "settings.numbers", value?.deadlines, codeDeadlines),
    mods: list(io, "mods.numbers", value?.mods, (each) => codeMod(io, each)),
    branch: nullable(io, "settings.numbers", value?.branch, (each) => ({
      requestId: string(each?.requestId),
      index: number(each?.index),
      isChosen: flag(io, "settings.numbers", each?.isChosen, true),
      ...codeCaughtUp(io, each),
    })),
    maker: optional(io, "maker.numbers", value?.maker !== undefined, value?.maker, (each) =>
      text(io, "maker", each),
    ),
    rawPrompt: flag(io, "rawPrompt.numbers", value?.rawPrompt === true) ? true : undefined,
    parseSpecial: flag(io, "parseSpecial.numbers", value?.parseSpecial === true) ? true : undefined,
    heal: flag(io, "healing.request", value?.heal === false) ? false : undefined,
    ...codeThinking(io, value),
  };
  return withoutUndefined(every);
}

type Thinking = Pick<formatRequest.RequestRecord, "thinking" | "reasoning">;

function codeThinking(io: ColumnIo, value: Thinking | undefined): EveryKey<Thinking> {
  const numbers = "thinking.numbers";
  const string = (each: string | undefined) => text(io, "thinking", each);
  const thinking = optional(io, numbers, value?.thinking !== undefined, value?.thinking, (each) =>
    flag(io, numbers, each === true),
  );
  const reasoning = optional(io, numbers, value?.reasoning !== undefined, value?.reasoning, (each) => ({
    open: string(each?.open),
    close: string(each?.close),
    isBegun: flag(io, numbers, each?.isBegun === true),
  }));
  const marks = value?.reasoning?.answer;
  const answer = optional(io, "answerMarks.numbers", marks !== undefined, marks, (each) => ({
    open: text(io, "answerMarks", each?.open),
    close: text(io, "answerMarks", each?.close),
  }));
  return {
    thinking,
    reasoning: reasoning && { ...reasoning, ...(answer !== undefined && { answer }) },
  };
}

type CaughtUp = Pick<formatRequest.TraceBranch, "caughtUp" | "parentMods" | "difference">;

function codeCaughtUp(io: ColumnIo, value: CaughtUp | undefined): CaughtUp {
  const number = (each: number | undefined) => io.whole("settings.numbers", each);
  return {
    caughtUp: number(value?.caughtUp),
    parentMods: number(value?.parentMods),
    difference: nullable(io, "settings.numbers", value?.difference, (each) => ({
      record: number(each?.record),
      mod: number(each?.mod),
      now: text(io, "settings", each?.now),
      recorded: text(io, "settings", each?.recorded),
    })),
  };
}

type AnswerFormat = Pick<
  formatRequest.RequestRecord,
  "tools" | "toolChoice" | "parallelToolCalls" | "responseFormat"
>;

function codeAnswerFormat(io: ColumnIo, value: AnswerFormat | undefined): AnswerFormat {
  return {
    tools: list(io, "prompt.numbers", value?.tools, (each) => text(io, "prompt", each)),
    toolChoice: codeToolChoice(io, value?.toolChoice),
    parallelToolCalls: flag(io, "settings.numbers", value?.parallelToolCalls, true),
    responseFormat: nullable(io, "settings.numbers", value?.responseFormat, (each) =>
      text(io, "settings", each),
    ),
  };
}

function codeToolChoice(
  io: ColumnIo,
  value: formatRequest.TraceToolChoice | undefined,
): formatRequest.TraceToolChoice {
  const named = typeof value === "object" ? value : undefined;
  const isNamed = flag(io, "settings.numbers", value && named !== undefined);
  const word = typeof value === "string" ? value : undefined;
  if (!isNamed) return io.choice("settings.numbers", word, formatRequest.toolChoiceLabels);
  return { type: "function", function: { name: text(io, "settings", named?.function.name) } };
}

function codeMod(io: ColumnIo, value: formatRequest.RecordedMod | undefined): formatRequest.RecordedMod {
  const string = (each: string | undefined) => text(io, "mods", each);
  const declared = value?.maxBacktrack;
  const every: EveryKey<formatRequest.RecordedMod> = {
    name: string(value?.name),
    source: string(value?.source),
    entry: optional(io, "mods.numbers", value?.entry !== undefined, value?.entry, string),
    maxBacktrack: optional(io, "backtracks.numbers", declared !== undefined, declared, (each) =>
      io.whole("backtracks.numbers", each),
    ),
  };
  return withoutUndefined(every);
}

function codeSampling(io: ColumnIo, value: SamplingSettings | undefined): SamplingSettings {
  const float = (each: number | undefined, guess = 0) => io.number("settings.floats", each, undefined, guess);
  const biases = value && Object.entries(value.logitBias);
  const entries = list(io, "settings.numbers", biases, (each): [string, number] => [
    String(io.whole("settings.numbers", each && Number(each[0]))),
    float(each?.[1]),
  ]);
  return {
    logitBias: Object.fromEntries(entries),
    ...eachSampling((name, { neutral }) => float(value?.[name], neutral)),
  };
}

function codeMessage(
  io: ColumnIo,
  value: formatRequest.TraceMessage | undefined,
): formatRequest.TraceMessage {
  const string = (each: string | undefined) => text(io, "prompt", each);
  const role = io.choice("prompt.numbers", value?.role, formatRequest.messageRoles);
  const content = nullable(io, "prompt.numbers", value?.content, (each) => codeContent(io, each));
  const maybe = (each: string | undefined) =>
    optional(io, "prompt.numbers", each !== undefined, each, string);
  const name = maybe(value?.name);
  const calls = optional(io, "prompt.numbers", value?.tool_calls !== undefined, value?.tool_calls, (all) =>
    list(io, "prompt.numbers", all, (each) => toolCall(io, each)),
  );
  const callId = maybe(value?.tool_call_id);
  return {
    role,
    content,
    ...(name === undefined ? {} : { name }),
    ...(calls === undefined ? {} : { tool_calls: calls }),
    ...(callId === undefined ? {} : { tool_call_id: callId }),
  };
}

function codeContent(io: ColumnIo, value: string | readonly Part[] | undefined): string | readonly Part[] {
  const isText = !flag(io, "prompt.numbers", value !== undefined && typeof value !== "string");
  if (isText) return text(io, "prompt", typeof value === "string" ? value : undefined);
  return list(io, "prompt.numbers", typeof value === "object" ? value : undefined, (each) => {
    const type = text(io, "prompt", each?.type);
    const own = optional(io, "prompt.numbers", each?.text !== undefined, each?.text, (inner) =>
      text(io, "prompt", inner),
    );
    return own === undefined ? { type } : { type, text: own };
  });
}
