/** The first event: the prompt, which mods may replace before anything is computed. */

import { messageOf } from "../../base/message-of.ts";
import { countWithNoun, formatCount } from "../../base/number-text.ts";
import { type Action, InvalidActionError } from "../../sdk/action.ts";
import type { MessageSpan } from "../../sdk/event.ts";
import type { Message, TokenId } from "../../sdk/request.ts";
import type { EndError } from "../../trace/format/format.ts";
import type { Change } from "../ports/change.ts";
import type { DecodeState } from "./decode-state.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { applyMaxSteps, limitByContext } from "./limits.ts";
import { Output } from "./output.ts";
import { waitIfPaused } from "./pause-point.ts";

/** Announces the prompt to the mods (`prefilled`), which may replace it. */
export function promptEvent(state: DecodeState): EventDispatch {
  const { requestId, tools, responseFormat } = state.request;
  return {
    type: "prefilled",
    event: () => ({
      type: "prefilled",
      requestId,
      step: 0,
      tokens: [...state.output.sequence],
      ...messagesForMods(state, state.messages, state.output.sequence),
      tools,
      responseFormat,
      maxTokens: state.limits.tokens,
      ...(state.activations && { sizes: state.activations.sizes }),
    }),
    complete: (action) => renderMessagesOfAction(state, action, state.messages),
    edit: (action) => replacePrompt(state, action),
  };
}

/**
 * Records the prompt with the mods' changes, and limits the output to the rest of the context. Returns the change that the mods
 * ask for, or the end of the request if the prompt is too long for the model. If the request ends with an error, a prompt that is
 * too long is not recorded: its tokens may be hundreds of thousands.
 */
export async function recordPrompt(state: DecodeState, change: Change | null): Promise<Change | null> {
  const { prompt } = state.request;
  const { sequence } = state.output;
  const { capacity } = state.ports.kvCache.model;
  const isTooLong = sequence.length > capacity;
  if (isTooLong && change === null)
    return { type: "end", ending: { reason: "error", error: tooLong(state) } };
  if (isTooLong && change?.type === "end" && change.ending.reason === "error") return change;
  const isReplaced = sequence.length !== prompt.length || sequence.some((token, at) => token !== prompt[at]);
  state.recorder.prefilled(sequence, isReplaced ? prompt.length : null, state.output.healableEnd !== null);
  const pause = waitIfPaused(state);
  if (pause) await pause;

  limitByContext(state);
  return change;
}

function tooLong({ output, ports }: DecodeState): EndError {
  const { length } = output.sequence;
  const { capacity } = ports.kvCache.model;
  const message = `The prompt has ${countWithNoun(length, "token")}, but the model's context holds ${formatCount(capacity)}: shorten the prompt.`;
  return { message, mod: null, code: "context_length_exceeded" };
}

function replacePrompt(state: DecodeState, action: Action): void {
  if (action.type !== "adjustPrefill") return;
  state.output = new Output(action.tokens, state.ports.tokenizer, action.heal === true);
  state.messages = action.messages ?? null;
  if (action.maxSteps !== undefined) applyMaxSteps(state, action.maxSteps);
}

/**
 * The messages of a prompt as a mod gets them, and their spans if known. Give null for `messages` if a mod replaced the
 * prompt by tokens or a text: mods then get the messages of the request.
 */
export function messagesForMods(
  { request, ports }: DecodeState,
  messages: readonly Message[] | null,
  tokens: readonly TokenId[],
): { readonly messages: readonly Message[]; readonly spans?: readonly (MessageSpan | null)[] } {
  const spans = messages && ports.prompts?.spans(messages, tokens);
  return { messages: messages ?? request.messages, ...(spans && { spans }) };
}

/**
 * The action with the tokens of its messages. @throws InvalidActionError if they cannot be rendered, or are too many for the
 * model
 */
export async function renderMessagesOfAction(
  { ports }: DecodeState,
  action: Action,
  current: readonly Message[] | null,
): Promise<Action> {
  if (action.type !== "adjustPrefill" || !action.messages) return action;
  const refuse = (reason: string): never => {
    throw new InvalidActionError("adjustPrefill", "prefilled", reason);
  };
  if (current === null) {
    const why =
      "an earlier mod replaced the prompt with tokens or text, so the prompt is no longer made from the messages";
    return refuse(`${why}: change event.tokens, or move this mod to the front.`);
  }
  if (!ports.prompts) return refuse("the model has no chat template that can render messages: give tokens.");
  const tokens = await ports.prompts.render(action.messages).catch((error: unknown) => {
    ports.signal?.throwIfAborted();
    return refuse(`the messages cannot be rendered: ${messageOf(error)}`);
  });
  const { capacity } = ports.kvCache.model;
  if (tokens.length <= capacity) return { ...action, tokens };
  return refuse(
    `the messages have ${countWithNoun(tokens.length, "token")}, but the context holds ${formatCount(capacity)}: shorten the messages.`,
  );
}
