/** Actions on their way out of the guest: lists become typed arrays, and logits travel as what changed in them. */
import { type EveryKey, withoutUndefined } from "../../core/base/every-key.ts";
import type { Action, ActionType, SparseLogitsEdit } from "../../core/sdk/action.ts";
import type { WireAction, WireEdit } from "./protocol.ts";

/** Up to this share of changed entries, the entries cost less than the whole. */
const sparseShare = 1 / 8;

/** `sent` is the row that the mod was given, as it was; null when it was given none. */
export function toWireAction(action: Action, sent: Float32Array | null): WireAction {
  const write = wireWriters[action.type] as (
    action: Action,
    sent: Float32Array | null,
  ) => EveryKey<WireAction>;
  return withoutUndefined<WireAction>(write(action, sent));
}

/** How each type of action is written. The type asks for each field of an action, the optional ones too. */
const wireWriters: {
  readonly [Type in ActionType]: (
    action: Extract<Action, { type: Type }>,
    sent: Float32Array | null,
  ) => EveryKey<Extract<WireAction, { type: Type }>>;
} = {
  noop: () => ({ type: "noop" }),
  adjustPrefill: ({ tokens, messages, maxSteps, heal }) => ({
    type: "adjustPrefill",
    tokens: [...tokens],
    messages,
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

function rowEdit(logits: Float32Array, sent: Float32Array | null): WireEdit {
  const changed = sent === null ? null : changedEntries(logits, sent);
  if (changed === null) return { kind: "whole", logits: logits.slice() };
  return {
    kind: "entries",
    tokens: changed,
    logits: Float32Array.from(changed, (token) => logits[token] ?? 0),
  };
}

/** Null when there are too many to be worth it. */
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

function ruleEdit({ mask, ban, only, add }: SparseLogitsEdit): WireEdit {
  const entries = add === undefined ? null : Object.entries(add);
  return {
    kind: "rule",
    // A copy: the mask is shared by all who ask its state for it, and what travels is gone here.
    mask: mask?.slice() ?? null,
    ban: ban === undefined ? null : Int32Array.from(ban),
    only: only === undefined ? null : Int32Array.from(only),
    addTokens: entries === null ? null : Int32Array.from(entries, ([token]) => Number(token)),
    addAmounts: entries === null ? null : Float64Array.from(entries, ([, amount]) => amount),
  };
}

/**
 * The arrays that are moved instead of copied: logits, masks and vectors. They are copies made for the message,
 * because the mod may return the action again.
 */
export function transferOf(action: WireAction): Transferable[] {
  if (action.type === "steer") return action.vectors.map(({ vector }) => vector.buffer);
  if (action.type === "patch") return [action.vector.buffer];
  if (action.type !== "adjustLogits") return [];
  const { edit } = action;
  if (edit.kind === "whole") return [edit.logits.buffer];
  return edit.kind === "rule" && edit.mask !== null ? [edit.mask.buffer] : [];
}
