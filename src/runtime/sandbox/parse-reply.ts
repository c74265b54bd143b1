/**
 * Checks every message of a guest field by field and builds it anew, so no object of the guest is passed on. Each reader
 * throws ProtocolViolation for a value that an honest guest never sends. NaN among logits, which an honest mod may compute,
 * is an InvalidActionError.
 */
import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import { describeValue } from "../../core/base/show.ts";
import type { ConsoleLine, ModFault } from "../../core/decoder/ports/mod-host.ts";
import {
  type Action,
  type ActionType,
  InvalidActionError,
  type SparseLogitsEdit,
} from "../../core/sdk/action.ts";
import { type EventType, eventTypes } from "../../core/sdk/event.ts";
import { greatestMaxBacktrack, type ModNeeds, maximumTopK } from "../../core/sdk/mod.ts";
import type { TokenId, ToolCall } from "../../core/sdk/request.ts";
import type { VectorCheckContext } from "../../core/sdk/vector-arguments.ts";
import { parseActivationNeeds, readPatch, readSteerings } from "./parse-activations.ts";
import { readMessages } from "./parse-messages.ts";
import {
  type Fields,
  readCount,
  readFields,
  readList,
  readNumbers,
  readText,
  requireOwnBuffer,
  violate,
} from "./parse-values.ts";
import { messageLimits, type SourcePosition } from "./protocol.ts";

export interface ReadyMod {
  readonly handles: ReadonlySet<EventType>;
  readonly needs: ModNeeds;
}

export function readReady(message: Fields): ReadyMod {
  const list = readList(message.handles, eventTypes.length, "handles");
  const handles = list.map(
    (name) =>
      eventTypes.find((type) => type === name) ??
      violate(`${describeValue(name)} is not the name of an event`),
  );
  const needs = readFields(message.needs, "needs");
  if (typeof needs.logits !== "boolean") violate(`needs.logits is ${describeValue(needs.logits)}`);
  const activations = needs.activations === undefined ? null : parseActivationNeeds(needs.activations);
  const { maxBacktrack } = needs;
  return {
    handles: new Set(handles),
    needs: {
      topK: readCount(needs.topK, maximumTopK, "needs.topK"),
      logits: needs.logits as boolean,
      ...(activations && { activations }),
      ...(maxBacktrack !== undefined && {
        maxBacktrack: readCount(maxBacktrack, greatestMaxBacktrack, "needs.maxBacktrack"),
      }),
    },
  };
}

export function readConsole(value: unknown): readonly ConsoleLine[] {
  return readList(value, messageLimits.consoleLines, "console").map((line) => {
    const { level, text } = readFields(line, "a console line");
    return {
      level:
        consoleLevels.find((name) => name === level) ??
        violate(`the level of a console line is ${describeValue(level)}`),
      text: readText(text, messageLimits.console, "a console line"),
    };
  });
}

const consoleLevels = [
  "debug",
  "log",
  "info",
  "warn",
  "error",
] as const satisfies readonly ConsoleLine["level"][];

/** A fault as the guest reports it; its position refers to the compiled text. */
export interface GuestFault {
  readonly kind: ModFault["kind"];
  readonly message: string;
  readonly stack: string;
  readonly position: SourcePosition | null;
}

export function readFault(value: unknown): GuestFault {
  const fields = readFields(value, "fault");
  const kind = (["invalid-action", "threw"] as const).find((name) => name === fields.kind);
  return {
    kind: kind ?? violate(`fault.kind is ${describeValue(fields.kind)}`),
    message: readText(fields.message, messageLimits.message, "fault.message"),
    stack: readText(fields.stack, messageLimits.stack, "fault.stack"),
    position: readPosition(fields.position),
  };
}

export function readPosition(value: unknown): SourcePosition | null {
  if (value === null) return null;
  const { line, column } = readFields(value, "position");
  return { line: readCount(line, 1e7, "line"), column: readCount(column, 1e7, "column") };
}

/** The request against which an action is checked. */
export interface ActionContext {
  readonly event: EventType;
  readonly vocabularySize: number;
  /** The logits of the event `forwardPass`; null for other events. */
  readonly logits: Float32Array | null;
  /** The layers that the mod declared, and the sizes of the model that the mod got; null if it declared none. */
  readonly activations: VectorCheckContext | null;
}

export function readAction(value: unknown, context: ActionContext): Action {
  const fields = readFields(value, "action");
  const { type } = fields;
  if (typeof type !== "string" || !Object.hasOwn(actionReaders, type))
    return violate(`action.type is ${describeValue(type)}`);
  const read = actionReaders[type as ActionType](fields, context);
  return withoutUndefined<Action>(read as EveryKey<Action>);
}

/** How each type of action is read. The type requires every field of an action, including optional ones. */
const actionReaders: {
  readonly [Type in ActionType]: (
    fields: Fields,
    context: ActionContext,
  ) => EveryKey<Extract<Action, { type: Type }>>;
} = {
  noop: () => ({ type: "noop" }),
  adjustPrefill: ({ tokens, messages, maxSteps, heal }, context) => ({
    type: "adjustPrefill",
    tokens: readTokens(tokens, messageLimits.prompt, context),
    messages: messages === undefined ? undefined : readMessages(messages),
    maxSteps: maxSteps === undefined ? undefined : readCount(maxSteps, 2 ** 31, "maxSteps"),
    heal: readHeal(heal),
  }),
  adjustLogits: ({ edit, temperature, hidden }, context) => ({
    type: "adjustLogits",
    logits: readEdit(edit, context),
    hidden: readHidden(hidden),
    temperature: temperature === undefined ? undefined : readTemperature(temperature),
  }),
  forceTokens: ({ tokens, hidden, heal }, context) => ({
    type: "forceTokens",
    tokens: readTokens(tokens, messageLimits.tokens, context),
    hidden: readHidden(hidden),
    heal: readHeal(heal),
  }),
  backtrack: ({ count, tokens, hidden, heal }, context) => ({
    type: "backtrack",
    count: readCount(count, 2 ** 31, "count"),
    hidden: readHidden(hidden),
    heal: readHeal(heal),
    tokens: tokens === undefined ? undefined : readTokens(tokens, messageLimits.tokens, context),
  }),
  forceOutput: ({ tokens }, context) => ({
    type: "forceOutput",
    tokens: readTokens(tokens, messageLimits.tokens, context),
  }),
  toolCalls: ({ calls }) => ({ type: "toolCalls", calls: readToolCalls(calls) }),
  steer: ({ vectors }, context) => ({ type: "steer", vectors: readSteerings(vectors, context) }),
  patch: (fields, context) => ({ type: "patch", ...readPatch(fields, context) }),
  error: ({ message }) => ({
    type: "error",
    message: readText(message, messageLimits.message, "message"),
  }),
};

function readHidden(hidden: unknown): boolean | undefined {
  if (hidden === undefined || typeof hidden === "boolean") return hidden;
  return violate(`hidden is ${describeValue(hidden)}`);
}

function readHeal(heal: unknown): true | undefined {
  return heal === undefined || heal === true ? heal : violate(`heal is ${describeValue(heal)}`);
}

function readToolCalls(value: unknown): ToolCall[] {
  const calls = readList(value, messageLimits.toolCalls, "calls").map(readToolCall);
  const size = calls.reduce((sum, call) => sum + call.function.arguments.length, 0);
  if (size <= messageLimits.toolArguments) return calls;
  return violate(
    `the arguments of its tool calls have ${size} characters; the limit is ${messageLimits.toolArguments}`,
  );
}

function readToolCall(value: unknown): ToolCall {
  const call = readFields(value, "a tool call");
  return {
    id: readText(call.id, messageLimits.name, "a tool call's id"),
    type: "function",
    function: {
      name: readText(call.name, messageLimits.name, "a tool call's name"),
      arguments: readText(call.arguments, messageLimits.toolArguments, "a tool call's arguments"),
    },
  };
}

function readEdit(value: unknown, context: ActionContext): Float32Array | SparseLogitsEdit {
  const edit = readFields(value, "edit");
  if (edit.kind === "whole") {
    const logits = readNumbers(edit.logits, Float32Array, "edit.logits");
    if (logits.length !== context.vocabularySize)
      violate(`edit.logits has ${logits.length} numbers, but the model has ${context.vocabularySize} tokens`);
    return checkLogits(logits, context);
  }
  if (edit.kind === "entries") return readEntries(edit, context);
  if (edit.kind !== "rule") return violate(`edit.kind is ${describeValue(edit.kind)}`);
  const mask = readMask(edit.mask, context);
  const ban = readIds(edit.ban, context, "ban");
  const only = readIds(edit.only, context, "only");
  const add = readAmounts(edit, context);
  return { ...(mask && { mask }), ...(ban && { ban }), ...(only && { only }), ...(add && { add }) };
}

/** Reads a mask. The decode loop checks whether any token is left, because other mods may have set masks before. */
function readMask(value: unknown, { vocabularySize }: ActionContext): Uint32Array | null {
  if (value === null) return null;
  if (!(value instanceof Uint32Array)) return violate(`edit.mask is ${describeValue(value)}`);
  const words = Math.ceil(vocabularySize / 32);
  return value.length === words
    ? requireOwnBuffer(value, "edit.mask")
    : violate(`edit.mask has ${value.length} numbers, not ${words}`);
}

function readEntries(edit: Fields, context: ActionContext): Float32Array {
  const row =
    context.logits?.slice() ?? violate("the action changes individual logits at an event that has no logits");
  const tokens =
    readIds(edit.tokens, context, "edit.tokens") ??
    violate("the action changes individual logits without naming their tokens");
  const logits = checkLogits(readNumbers(edit.logits, Float32Array, "edit.logits"), context, tokens);
  if (tokens.length !== logits.length)
    violate(`edit has ${tokens.length} tokens, but ${logits.length} logits`);
  for (const [place, token] of tokens.entries()) row[token] = logits[place] as number;
  return row;
}

/** Returns the logits after a check for NaN and Infinity. A -0 is harmless. */
function checkLogits(
  logits: Float32Array,
  { event }: ActionContext,
  tokens?: readonly TokenId[],
): Float32Array {
  for (let place = 0; place < logits.length; place++) {
    const logit = logits[place] as number;
    if (logit < Number.POSITIVE_INFINITY) continue;
    throw new InvalidActionError(
      "adjustLogits",
      event,
      `the logit of token ${tokens?.[place] ?? place} is ${logit}: give finite numbers, or -Infinity to ban a token.`,
    );
  }
  return logits;
}

function readAmounts(edit: Fields, context: ActionContext): Record<TokenId, number> | null {
  const tokens = readIds(edit.addTokens, context, "addTokens");
  if (tokens === null) return null;
  const amounts = readNumbers(edit.addAmounts, Float64Array, "addAmounts");
  if (amounts.length !== tokens.length)
    violate(`edit has ${tokens.length} tokens, but ${amounts.length} amounts to add`);
  const add: Record<TokenId, number> = {};
  for (const [place, token] of tokens.entries()) {
    const amount = amounts[place] as number;
    if (!(amount < Number.POSITIVE_INFINITY))
      violate(`the amount to add to the logit of token ${token} is ${amount}`);
    add[token] = amount + 0;
  }
  return add;
}

/** Token ids in a typed array, each within the vocabulary; null for null. */
function readIds(value: unknown, { vocabularySize }: ActionContext, what: string): TokenId[] | null {
  if (value === null) return null;
  const ids = readNumbers(value, Int32Array, what);
  if (ids.length > vocabularySize)
    violate(`${what} has ${ids.length} tokens, but the model has only ${vocabularySize}`);
  return Array.from(ids, (id) =>
    id >= 0 && id < vocabularySize ? id : violate(`${what} has token ${id}, which the model does not have`),
  );
}

function readTokens(value: unknown, most: number, { vocabularySize }: ActionContext): TokenId[] {
  return readList(value, most, "tokens").map((token) => readCount(token, vocabularySize - 1, "a token"));
}

function readTemperature(value: unknown): number {
  const isTemperature = typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
  return isTemperature ? value + 0 : violate(`the temperature is ${describeValue(value)}`);
}
