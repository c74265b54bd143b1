/** Encodes actions for messages from the guest: lists become typed arrays, and edited logits become a list of changes. */
import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import {
  type Action,
  type ActionType,
  InvalidActionError,
  type SparseLogitsEdit,
} from "../../core/sdk/action.ts";
import type { Message } from "../../core/sdk/request.ts";
import { messageLimits, type WireAction, type WireLogitsEdit } from "./protocol.ts";

/** Up to this share of changed entries, sending the entries costs less than sending all logits. */
const sparseShare = 1 / 8;

/** `sent`: a copy of the logits that the mod got; null if it got none. @throws InvalidActionError if the new prompt is too long */
export function toWireAction(action: Action, sent: Float32Array | null): WireAction {
  const write = wireWriters[action.type] as (
    action: Action,
    sent: Float32Array | null,
  ) => EveryKey<WireAction>;
  return withoutUndefined<WireAction>(write(action, sent));
}

/** How each type of action is encoded. The type requires every field of an action, including optional ones. */
const wireWriters: {
  readonly [Type in ActionType]: (
    action: Extract<Action, { type: Type }>,
    sent: Float32Array | null,
  ) => EveryKey<Extract<WireAction, { type: Type }>>;
} = {
  noop: () => ({ type: "noop" }),
  adjustPrefill: ({ tokens, messages, maxSteps, heal }) => ({
    type: "adjustPrefill",
    tokens: [...withinLimit(tokens, "tokens", messageLimits.prompt)],
    messages: messages && withinLimits(messages),
    maxSteps,
    heal,
  }),
  adjustLogits: ({ logits, temperature, hidden }, sent) => ({
    type: "adjustLogits",
    edit: logits instanceof Float32Array ? rowEdit(logits, sent) : ruleEdit(logits),
    temperature,
    hidden,
  }),
  forceTokens: ({ tokens, hidden, heal }) => ({ type: "forceTokens", tokens: [...tokens], hidden, heal }),
  backtrack: ({ count, tokens, hidden, heal }) => ({
    type: "backtrack",
    count,
    tokens: tokens && [...tokens],
    hidden,
    heal,
  }),
  forceOutput: ({ tokens }) => ({ type: "forceOutput", tokens: [...tokens] }),
  toolCalls: ({ calls }) => ({
    type: "toolCalls",
    calls: calls.map((call) => ({
      id: call.id,
      name: call.function.name,
      arguments: call.function.arguments,
    })),
  }),
  steer: ({ vectors }) => ({
    type: "steer",
    vectors: vectors.map(({ layer, vector, scale }) => ({ layer, vector: vector.slice(), scale })),
  }),
  patch: ({ layer, vector }) => ({ type: "patch", layer, vector: vector.slice() }),
  error: ({ message }) => ({ type: "error", message }),
};

function rowEdit(logits: Float32Array, sent: Float32Array | null): WireLogitsEdit {
  const changed = sent === null ? null : changedEntries(logits, sent);
  if (changed === null) return { kind: "whole", logits: logits.slice() };
  return {
    kind: "entries",
    tokens: changed,
    logits: Float32Array.from(changed, (token) => logits[token] ?? 0),
  };
}

/** The changed entries; null if there are too many. */
function changedEntries(logits: Float32Array, sent: Float32Array): Int32Array | null {
  if (logits.length !== sent.length) return null;
  const most = Math.floor(logits.length * sparseShare);
  const tokens: number[] = [];
  for (let token = 0; token < logits.length; token++) {
    if (logits[token] === sent[token]) continue;
    if (tokens.length === most) return null;
    tokens.push(token);
  }
  return Int32Array.from(tokens);
}

function ruleEdit({ mask, ban, only, add }: SparseLogitsEdit): WireLogitsEdit {
  const entries = add === undefined ? null : Object.entries(add);
  return {
    kind: "rule",
    // A copy, because the message moves the array, and other code uses the state's mask.
    mask: mask?.slice() ?? null,
    ban: ban === undefined ? null : Int32Array.from(ban),
    only: only === undefined ? null : Int32Array.from(only),
    addTokens: entries === null ? null : Int32Array.from(entries, ([token]) => Number(token)),
    addAmounts: entries === null ? null : Float64Array.from(entries, ([, amount]) => amount),
  };
}

/**
 * The buffers of an action (logits, masks, vectors), which the message moves instead of copying. They are the action's own
 * copies, because the mod may return its arrays again.
 */
export function buffersToMove(action: WireAction): Transferable[] {
  if (action.type === "steer") return action.vectors.map(({ vector }) => vector.buffer);
  if (action.type === "patch") return [action.vector.buffer];
  if (action.type !== "adjustLogits") return [];
  const { edit } = action;
  if (edit.kind === "whole") return [edit.logits.buffer];
  return edit.kind === "rule" && edit.mask !== null ? [edit.mask.buffer] : [];
}

/** The engine would stop a mod whose prompt is longer. Here the mod gets an error with the size and the limit instead. */
function withinLimits(messages: readonly Message[]): readonly Message[] {
  let characters = 0;
  for (const { content } of messages)
    for (const text of typeof content === "string" ? [content] : (content ?? []).map((part) => part.text))
      characters += text?.length ?? 0;
  withinLimit({ length: characters }, "characters", messageLimits.messageText);
  return withinLimit(messages, "messages", messageLimits.messages);
}

function withinLimit<List extends { readonly length: number }>(list: List, what: string, most: number): List {
  if (list.length <= most) return list;
  const why = `the prompt has ${list.length} ${what}; the limit is ${most}: shorten it.`;
  throw new InvalidActionError("adjustPrefill", "prefilled", why);
}
