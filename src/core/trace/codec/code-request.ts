/** Writes and reads the first record: settings, prompt and mods. A link holds the fields in this order. */
import { type EveryKey, withoutUndefined } from "../../base/every-key.ts";
import { mapSamplingNames, type SamplingSettings } from "../../base/sampling.ts";
import * as formatRequest from "../format/format-request.ts";
import { codeText, codeToolCall } from "./code-values.ts";
import { codeModelLayers } from "./code-vectors.ts";
import { type ColumnIo, codeFlag, codeList, codeNullable, codeOptional } from "./column-io.ts";

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
  const string = (each: string | undefined) => codeText(io, "settings", each);
  // Each key is named in the order in which a link holds it, so that the compiler asks for a field that is added to the record.
  const every: EveryKey<formatRequest.RequestRecord> = {
    type: "request",
    requestId: string(value?.requestId),
    createdAt: io.whole("timings.times", value?.createdAt),
    model: {
      id: string(value?.model.id),
      revision: codeNullable(io, "settings.numbers", value?.model.revision, string),
      file: string(value?.model.file),
      device: io.choice("settings.numbers", value?.model.device, formatRequest.modelDevices),
      adapter: string(value?.model.adapter),
      vocabularySize: number(value?.model.vocabularySize),
      ...codeModelLayers(io, value?.model.layers),
    },
    messages: codeList(io, "prompt.numbers", value?.messages, (each) => codeMessage(io, each)),
    ...codeAnswerFormat(io, value),
    sampling: codeSampling(io, value?.sampling),
    seed: io.whole("settings.numbers", value?.seed, 0),
    maxTokens: number(value?.maxTokens),
    stop: codeList(io, "settings.numbers", value?.stop, string),
    budget: number(value?.budget),
    onModError: io.choice("settings.numbers", value?.onModError, formatRequest.modErrorRules),
    deadlines: codeNullable(io, "settings.numbers", value?.deadlines, codeDeadlines),
    mods: codeList(io, "mods.numbers", value?.mods, (each) => codeMod(io, each)),
    branch: codeNullable(io, "settings.numbers", value?.branch, (each) => ({
      requestId: string(each?.requestId),
      index: number(each?.index),
      isChosen: codeFlag(io, "settings.numbers", each?.isChosen, true),
      ...codeCaughtUp(io, each),
    })),
    maker: codeOptional(io, "maker.numbers", value?.maker !== undefined, value?.maker, (each) =>
      codeText(io, "maker", each),
    ),
    rawPrompt: codeFlag(io, "rawPrompt.numbers", value?.rawPrompt === true) ? true : undefined,
    parseSpecial: codeFlag(io, "parseSpecial.numbers", value?.parseSpecial === true) ? true : undefined,
    heal: codeFlag(io, "healing.request", value?.heal === false) ? false : undefined,
    ...codeThinking(io, value),
  };
  return withoutUndefined(every);
}

type Thinking = Pick<formatRequest.RequestRecord, "thinking" | "reasoning">;

function codeThinking(io: ColumnIo, value: Thinking | undefined): EveryKey<Thinking> {
  const numbers = "thinking.numbers";
  const string = (each: string | undefined) => codeText(io, "thinking", each);
  const thinking = codeOptional(io, numbers, value?.thinking !== undefined, value?.thinking, (each) =>
    codeFlag(io, numbers, each === true),
  );
  const reasoning = codeOptional(io, numbers, value?.reasoning !== undefined, value?.reasoning, (each) => ({
    open: string(each?.open),
    close: string(each?.close),
    isBegun: codeFlag(io, numbers, each?.isBegun === true),
  }));
  const marks = value?.reasoning?.answer;
  const answer = codeOptional(io, "answerMarks.numbers", marks !== undefined, marks, (each) => ({
    open: codeText(io, "answerMarks", each?.open),
    close: codeText(io, "answerMarks", each?.close),
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
    difference: codeNullable(io, "settings.numbers", value?.difference, (each) => ({
      record: number(each?.record),
      mod: number(each?.mod),
      now: codeText(io, "settings", each?.now),
      recorded: codeText(io, "settings", each?.recorded),
    })),
  };
}

type AnswerFormat = Pick<
  formatRequest.RequestRecord,
  "tools" | "toolChoice" | "parallelToolCalls" | "responseFormat"
>;

function codeAnswerFormat(io: ColumnIo, value: AnswerFormat | undefined): AnswerFormat {
  return {
    tools: codeList(io, "prompt.numbers", value?.tools, (each) => codeText(io, "prompt", each)),
    toolChoice: codeToolChoice(io, value?.toolChoice),
    parallelToolCalls: codeFlag(io, "settings.numbers", value?.parallelToolCalls, true),
    responseFormat: codeNullable(io, "settings.numbers", value?.responseFormat, (each) =>
      codeText(io, "settings", each),
    ),
  };
}

function codeToolChoice(
  io: ColumnIo,
  value: formatRequest.TraceToolChoice | undefined,
): formatRequest.TraceToolChoice {
  const named = typeof value === "object" ? value : undefined;
  const isNamed = codeFlag(io, "settings.numbers", value && named !== undefined);
  const word = typeof value === "string" ? value : undefined;
  if (!isNamed) return io.choice("settings.numbers", word, formatRequest.toolChoiceLabels);
  return { type: "function", function: { name: codeText(io, "settings", named?.function.name) } };
}

function codeMod(io: ColumnIo, value: formatRequest.RecordedMod | undefined): formatRequest.RecordedMod {
  const string = (each: string | undefined) => codeText(io, "mods", each);
  const declared = value?.maxBacktrack;
  const every: EveryKey<formatRequest.RecordedMod> = {
    name: string(value?.name),
    source: string(value?.source),
    entry: codeOptional(io, "mods.numbers", value?.entry !== undefined, value?.entry, string),
    maxBacktrack: codeOptional(io, "backtracks.numbers", declared !== undefined, declared, (each) =>
      io.whole("backtracks.numbers", each),
    ),
  };
  return withoutUndefined(every);
}

function codeSampling(io: ColumnIo, value: SamplingSettings | undefined): SamplingSettings {
  const float = (each: number | undefined, guess = 0) => io.number("settings.floats", each, undefined, guess);
  const biases = value && Object.entries(value.logitBias);
  const entries = codeList(io, "settings.numbers", biases, (each): [string, number] => [
    String(io.whole("settings.numbers", each && Number(each[0]))),
    float(each?.[1]),
  ]);
  return {
    logitBias: Object.fromEntries(entries),
    ...mapSamplingNames((name, { neutral }) => float(value?.[name], neutral)),
  };
}

function codeMessage(
  io: ColumnIo,
  value: formatRequest.TraceMessage | undefined,
): formatRequest.TraceMessage {
  const string = (each: string | undefined) => codeText(io, "prompt", each);
  const role = io.choice("prompt.numbers", value?.role, formatRequest.messageRoles);
  const content = codeNullable(io, "prompt.numbers", value?.content, (each) => codeContent(io, each));
  const maybe = (each: string | undefined) =>
    codeOptional(io, "prompt.numbers", each !== undefined, each, string);
  const name = maybe(value?.name);
  const calls = codeOptional(
    io,
    "prompt.numbers",
    value?.tool_calls !== undefined,
    value?.tool_calls,
    (all) => codeList(io, "prompt.numbers", all, (each) => codeToolCall(io, each)),
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
  const isText = !codeFlag(io, "prompt.numbers", value !== undefined && typeof value !== "string");
  if (isText) return codeText(io, "prompt", typeof value === "string" ? value : undefined);
  return codeList(io, "prompt.numbers", typeof value === "object" ? value : undefined, (each) => {
    const type = codeText(io, "prompt", each?.type);
    const own = codeOptional(io, "prompt.numbers", each?.text !== undefined, each?.text, (inner) =>
      codeText(io, "prompt", inner),
    );
    return own === undefined ? { type } : { type, text: own };
  });
}
