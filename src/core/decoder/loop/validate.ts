/**
 * Decides whether an action is allowed here and now. Actions from mods may have any shape; this file copies each
 * valid one field by field.
 */
import { type EveryKey, withoutUndefined } from "../../base/every-key.ts";
import { countWithNoun, formatCount } from "../../base/number-text.ts";
import { isRecord } from "../../base/record.ts";
import { describeValue } from "../../base/show.ts";
import { isTemperature, temperatureAdvice } from "../../base/temperature.ts";
import {
  type Action,
  type ActionType,
  allowedActions,
  InvalidActionError,
  type SparseLogitsEdit,
} from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import type { Message, TokenId } from "../../sdk/request.ts";
import { readPatch, readSteerings, type VectorSizes } from "../activations/validate-vectors.ts";
import { readModToolCalls } from "./tool-calls.ts";

/** Longer than any vocabulary or context, and still fast to check. */
const LONGEST_LIST = 1_000_000;

/** The state against which an action is checked. */
export interface ActionCheckContext {
  readonly event: EventType;
  readonly vocabularySize: number;
  /** Emitted tokens. */
  readonly emitted: number;
  /** The most tokens that the model's context holds. */
  readonly capacity: number;
  /** Makes an id for the n-th tool call, if the call has none. */
  readonly toolCallId: (call: number) => string;
  /** The text that the mod may not remove; null if the mod declared no `maxBacktrack`. */
  readonly settled: SettledOutput | null;
  /** Null if the mod declares no layers. */
  readonly layers: VectorSizes | null;
}

/** The part of the output that a mod cannot remove, because streams may have sent it already: see `maxBacktrack` of mods. */
export interface SettledOutput {
  readonly maxBacktrack: number;
  /** The number of settled tokens. */
  readonly length: number;
  readonly text: string;
  textOf(tokens: readonly TokenId[]): string;
}

/** @throws InvalidActionError that names the action, the event and the reason. */
export function validateAction(value: unknown, situation: ActionCheckContext): Action {
  const fields = isRecord(value) ? value : {};
  const type = isRecord(value) ? String(fields.type) : describeValue(value);
  const allowed: readonly string[] = allowedActions[situation.event];
  if (!allowed.includes(type)) throw new InvalidActionError(type, situation.event);
  const refuse = (reason: string): never => {
    throw new InvalidActionError(type, situation.event, reason);
  };
  const read = actionReaders[type as ActionType](fields, { ...situation, refuse });
  return withoutUndefined<Action>(read as EveryKey<Action>);
}

interface Reading extends ActionCheckContext {
  /** Throws; the reason is a sentence with the value and what to do. */
  readonly refuse: (reason: string) => never;
}

type ReaderOf<Type extends ActionType> = (
  fields: Record<string, unknown>,
  reading: Reading,
) => EveryKey<Extract<Action, { type: Type }>>;

/** How each type of action is read. The type asks for each field of an action, the optional ones too. */
const actionReaders: { readonly [Type in ActionType]: ReaderOf<Type> } = {
  noop: () => ({ type: "noop" }),
  adjustPrefill: ({ tokens, messages, maxSteps, heal }, reading) => ({
    type: "adjustPrefill",
    // The engine renders messages (`prompt.ts`), and their tokens are checked then.
    tokens: isGivenMessages(messages) ? [] : readPrompt(tokens, reading),
    messages: isGivenMessages(messages) ? messages : undefined,
    maxSteps: given(maxSteps, (value) => readCount(value, "maxSteps", reading)),
    heal: readHeal(heal, reading),
  }),
  adjustLogits: ({ logits, temperature, hidden }, reading) => ({
    type: "adjustLogits",
    logits: readLogits(logits, reading),
    temperature: given(temperature, (value) => readTemperature(value, reading)),
    hidden: readHidden(hidden, reading),
  }),
  forceTokens: ({ tokens, hidden, heal }, reading) => ({
    type: "forceTokens",
    tokens: readSomeTokens(tokens, "return noop to force nothing", reading),
    hidden: readHidden(hidden, reading),
    heal: readHeal(heal, reading),
  }),
  backtrack: ({ count, tokens, hidden, heal }, reading) => ({
    type: "backtrack",
    count: readBacktrackCount(count, reading),
    tokens: given(tokens, (value) => readTokens(value, "tokens", reading)),
    hidden: readHidden(hidden, reading),
    heal: readHeal(heal, reading),
  }),
  forceOutput: ({ tokens }, reading) => ({
    type: "forceOutput",
    tokens: readWholeOutput(tokens, reading),
  }),
  toolCalls: ({ calls }, { toolCallId, refuse, settled }) => {
    const read = readModToolCalls(calls, toolCallId);
    if (settled && settled.text !== "") refuse(`it would remove ${removedText(settled, "")}`);
    return { type: "toolCalls", calls: typeof read === "string" ? refuse(read) : read };
  },
  steer: ({ vectors }, reading) => ({ type: "steer", vectors: readSteerings(vectors, reading) }),
  patch: (fields, reading) => ({ type: "patch", ...readPatch(fields, reading) }),
  error: ({ message }, { refuse }) => ({
    type: "error",
    message:
      typeof message === "string"
        ? message
        : refuse(`the message is ${describeValue(message)}: give a string.`),
  }),
};

function isGivenMessages(value: unknown): value is readonly Message[] {
  return Array.isArray(value) && value.length > 0;
}

/** Undefined for a field that was left out; null counts as left out. */
function given<Value>(value: unknown, read: (value: unknown) => Value): Value | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

function readHidden(hidden: unknown, { refuse }: Reading): boolean | undefined {
  return given(hidden, (value) =>
    typeof value === "boolean" ? value : refuse(`hidden is ${describeValue(value)}: give true or false.`),
  );
}

function readHeal(heal: unknown, { refuse }: Reading): true | undefined {
  return given(heal, (value) =>
    value === true ? true : refuse(`heal is ${describeValue(value)}: give true, or leave it out.`),
  );
}

function readTokens(value: unknown, where: string, { vocabularySize, refuse }: Reading): TokenId[] {
  if (!Array.isArray(value)) return refuse(`${where} is ${describeValue(value)}: give a list of tokens.`);
  if (value.length > LONGEST_LIST)
    return refuse(`${where} is ${describeValue(value)}: give at most ${LONGEST_LIST}.`);
  return Array.from(value, (token: unknown, place) =>
    isCount(token) && token < vocabularySize
      ? token
      : refuse(
          `${where}[${place}] is ${describeValue(token)}: ids are whole numbers from 0 to ${vocabularySize - 1}.`,
        ),
  );
}

function readSomeTokens(value: unknown, instead: string, reading: Reading): TokenId[] {
  const tokens = readTokens(value, "tokens", reading);
  return tokens.length > 0 ? tokens : reading.refuse(`there are no tokens: ${instead}.`);
}

function readPrompt(value: unknown, reading: Reading): TokenId[] {
  const tokens = readSomeTokens(value, "a prompt needs at least one token", reading);
  if (tokens.length <= reading.capacity) return tokens;
  return reading.refuse(
    `the prompt has ${countWithNoun(tokens.length, "token")}, but the context holds ${formatCount(reading.capacity)}: give fewer tokens.`,
  );
}

function readCount(value: unknown, where: string, { refuse }: Reading): number {
  return isCount(value)
    ? value
    : refuse(`${where} is ${describeValue(value)}: give a whole number of 0 or more.`);
}

function readBacktrackCount(value: unknown, reading: Reading): number {
  const count = readCount(value, "count", reading);
  const { emitted, settled, refuse } = reading;
  if (count > emitted)
    return refuse(
      `count is ${count}, but the output has only ${countWithNoun(emitted, "token")}, and the prompt cannot be removed: give at most ${emitted}.`,
    );
  if (!settled || emitted - count >= settled.length) return count;
  return refuse(
    `count is ${count}, but the mod declared maxBacktrack: ${settled.maxBacktrack}, so the first ${settled.length} of ${emitted} output tokens can no longer be removed: declare a larger maxBacktrack, or leave maxBacktrack out.`,
  );
}

function readWholeOutput(value: unknown, reading: Reading): TokenId[] {
  const tokens = readTokens(value, "tokens", reading);
  const { settled, refuse } = reading;
  if (!settled || settled.text === "") return tokens;
  const text = settled.textOf(tokens);
  return text.startsWith(settled.text) ? tokens : refuse(`it would remove ${removedText(settled, text)}`);
}

/** A sentence that names the settled text which the other text lacks, and the remedy. */
function removedText({ text, maxBacktrack }: SettledOutput, other: string): string {
  const shown = describeValue(text.slice(sharedLength(text, other)));
  return `${shown}, but the mod declared maxBacktrack: ${maxBacktrack}. Declare a larger maxBacktrack, or leave maxBacktrack out.`;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function readTemperature(value: unknown, { refuse }: Reading): number {
  return isTemperature(value)
    ? value
    : refuse(`temperature is ${describeValue(value)}: ${temperatureAdvice}.`);
}

function readLogits(value: unknown, reading: Reading): Float32Array | SparseLogitsEdit {
  if (value instanceof Float32Array) {
    if (value.length === reading.vocabularySize) return value;
    return reading.refuse(
      `there are ${value.length} logits, but the vocabulary has ${reading.vocabularySize} tokens: give one for each.`,
    );
  }
  if (!isRecord(value)) {
    return reading.refuse(
      `logits is ${describeValue(value)}: give a Float32Array, or { mask, ban, only, add }.`,
    );
  }
  const unknown = Object.keys(value).find((name) => !["mask", "ban", "only", "add"].includes(name));
  if (unknown !== undefined) {
    return reading.refuse(`an edit has no "${unknown}": it has mask, ban, only and add.`);
  }
  return withoutUndefined<SparseLogitsEdit>({
    mask: given(value.mask, (mask) => readMask(mask, reading)),
    ban: given(value.ban, (tokens) => readTokens(tokens, "ban", reading)),
    only: given(value.only, (tokens) => readTokens(tokens, "only", reading)),
    add: given(value.add, (amounts) => readAmounts(amounts, reading)),
  });
}

function readMask(value: unknown, { vocabularySize, refuse }: Reading): Uint32Array {
  const words = Math.ceil(vocabularySize / 32);
  if (value instanceof Uint32Array && value.length === words) return value;
  const found =
    value instanceof Uint32Array ? `a Uint32Array of length ${value.length}` : describeValue(value);
  return refuse(`the mask is ${found}: give a Uint32Array of length ${words}, with one bit for each token.`);
}

function readAmounts(value: unknown, reading: Reading): Record<TokenId, number> {
  if (!isRecord(value)) return reading.refuse(`add is ${describeValue(value)}: give { [token]: amount }.`);
  return Object.fromEntries(
    Object.entries(value).map(([name, amount]) => {
      const [token] = readTokens([name === "" ? Number.NaN : Number(name)], "add", reading);
      if (typeof amount === "number" && amount < Number.POSITIVE_INFINITY) return [token, amount];
      return reading.refuse(
        `add[${name}] is ${describeValue(amount)}: give a finite number, or -Infinity to ban it.`,
      );
    }),
  );
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
