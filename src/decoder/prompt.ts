/** The first event: the prompt, which mods may replace before anything is computed. */
import type { Action } from "../sdk/action.ts";
import type { Change } from "./change.ts";
import { type DecodeState, outputCapacity } from "./decode-state.ts";
import { heldHere } from "./hold.ts";
import { askMods } from "./mods.ts";
import { Output } from "./output.ts";
import { defaultBudget } from "./request.ts";

/** Asks the mods about the prompt. Gives the end of the request when one of them, or the prompt's length, means it. */
export async function readPrompt(state: DecodeState): Promise<Change | null> {
  const { request, ports } = state;
  const { requestId, messages, tools, responseFormat, prompt } = request;
  const change = await askMods(state, {
    type: "prefilled",
    event: () => ({
      type: "prefilled",
      step: 0,
      tokens: [...state.output.sequence],
      maxTokens: state.limit,
      ...{ requestId, messages, tools, responseFormat },
      ...(state.inside && { sizes: state.inside.sizes }),
    }),
    edit: (action) => replacePrompt(state, action),
  });
  const { sequence } = state.output;
  const isReplaced = sequence.length !== prompt.length || sequence.some((token, at) => token !== prompt[at]);
  state.recorder.prefilled(sequence, isReplaced ? prompt.length : null);
  const held = heldHere(state);
  if (held) await held;

  limitByContext(state);
  const { capacity } = ports.kvCache.model;
  if (change || sequence.length <= capacity) return change;
  const message = `The prompt has ${sequence.length} tokens, but the model's context holds ${capacity}: shorten it.`;
  return { type: "end", ending: { reason: "error", error: { message, mod: null } } };
}

function replacePrompt(state: DecodeState, action: Action): void {
  if (action.type !== "adjustPrefill") return;
  state.output = new Output(action.tokens, state.ports.tokenizer);
  if (action.maxSteps !== undefined) limitSteps(state, action.maxSteps);
}

/** A mod says how many tokens there may be. */
export function limitSteps(state: DecodeState, maxSteps: number): void {
  state.limit = maxSteps;
  state.limitedBy = "maxSteps";
  const { capacity } = state.ports.kvCache.model;
  state.budget = state.request.budget ?? defaultBudget(Math.min(maxSteps, capacity));
}

/** There may be no more tokens than the model's context holds beside the prompt. */
export function limitByContext(state: DecodeState): void {
  const room = outputCapacity(state);
  if (room >= state.limit) return;
  state.limit = room;
  state.limitedBy = "context";
}
