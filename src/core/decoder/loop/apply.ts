/** Applies changes to the output: the only place that appends tokens or removes them. Output, KV cache and trace stay together. */
import type { TokenSource } from "../../sdk/event.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { Change } from "../ports/change.ts";
import type { DecodeState } from "./decode-state.ts";
import { discardSpeculativePass } from "./end-speculative-pass.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { addedText } from "./output.ts";
import { chooseStepToken } from "./sample.ts";

/** One step of a change of the output. A change has up to three. */
export type OutputEdit =
  | {
      readonly type: "append";
      readonly tokens: readonly TokenId[];
      readonly source: TokenSource;
      /** Index of the mod that asked for the tokens. */
      readonly mod: number | null;
      /** Index of the mod that wants the tokens hidden; null if no mod does. */
      readonly hiddenBy: number | null;
      /** The tokens are a text whose end may be healed. */
      readonly heal: boolean;
      /** The request ends afterwards; replies of mods do not change this. */
      readonly isFinal: boolean;
    }
  | {
      readonly type: "remove";
      readonly count: number;
      readonly mod: number;
      readonly replacement: readonly TokenId[];
    }
  | Extract<Change, { type: "end" }>;

/**
 * Yields the edits of a change, in their order, and counts a change of a mod for the budget. The caller applies each edit before
 * it asks for the next, and stops at an edit that ends the request.
 */
export function* outputEditsOf(
  state: DecodeState,
  change: Exclude<Change, { type: "end" }>,
): Generator<OutputEdit> {
  if (change.type === "sampled") {
    const { token, hiddenBy } = change;
    yield {
      type: "append",
      tokens: [token],
      source: "sampled",
      mod: null,
      hiddenBy,
      heal: false,
      isFinal: false,
    };
    return;
  }
  const { tokens, mod } = change;
  if (change.type === "forceOutput") {
    yield { type: "remove", count: state.output.length, mod, replacement: tokens };
    yield { type: "append", tokens, source: "forced", mod, hiddenBy: null, heal: false, isFinal: true };
    // A branch may begin in the middle of a forced output; it continues from there.
    if (state.output.length >= tokens.length) yield { type: "end", ending: { reason: "forced" } };
    return;
  }
  state.counts.changes += 1;
  // Two mods that reply to each other's changes could continue for ever without a forward pass, so changes have a budget
  // too.
  if (state.counts.changes > state.limits.budget && !state.source.isKnownToContinue)
    yield { type: "end", ending: { reason: "budget" } };
  const hiddenBy = change.hidden ? mod : null;
  if (change.type === "backtrack") yield { type: "remove", count: change.count, mod, replacement: tokens };
  const source = change.type === "backtrack" ? "reinjected" : "forced";
  yield { type: "append", tokens, source, mod, hiddenBy, heal: change.heal, isFinal: false };
}

/**
 * The change that removes the hidden tokens of a mod that was stopped, or that took part only before a branch, because no
 * other mod would remove them. Null if there are none.
 */
export function removalOfOrphanedTokens({ output, mods }: DecodeState): Change | null {
  const { hiddenBy: mod } = output;
  if (mod === null || mods[mod]?.isStopped === false) return null;
  return {
    type: "backtrack",
    mod,
    count: output.length - output.visibleLength,
    tokens: [],
    hidden: false,
    heal: false,
  };
}

/** The edit that removes the hidden tokens at the end of a request, because they are not part of the response. Null if there are none. */
export function removalOfHidden({ output }: DecodeState): OutputEdit | null {
  const { hiddenBy: mod } = output;
  if (mod === null) return null;
  return { type: "remove", count: output.length - output.visibleLength, mod, replacement: [] };
}

/** Applies an edit. Returns the event to ask the mods about; null if the output did not change. @throws ForwardError */
export function applyOutputEdit(
  state: DecodeState,
  edit: Exclude<OutputEdit, { type: "end" }>,
): Promise<EventDispatch | null> | EventDispatch | null {
  return edit.type === "append" ? append(state, edit) : remove(state, edit);
}

async function append(
  state: DecodeState,
  edit: Extract<OutputEdit, { type: "append" }>,
): Promise<EventDispatch | null> {
  const { output, request, source: steps } = state;
  const { source, mod, hiddenBy } = edit;
  const isSampled = source === "sampled";
  const tokens = isSampled ? edit.tokens : steps.tokensToPreserve(edit.tokens);
  if (tokens.length === 0) return null;
  const counterfactual = isSampled ? null : await counterfactualToken(state);
  const group = output.append(tokens, source, hiddenBy);
  const isOpen = edit.heal && tokens.length === edit.tokens.length;
  if (isOpen) output.markLastHealable(tokens.length, mod);
  state.healed = null;
  const isEos = state.ports.kvCache.model.endOfSequence.includes(tokens[tokens.length - 1] ?? -1);
  const step = output.length;
  state.recorder.added(group, { step, mod, isEos, counterfactual, isOpen });
  return {
    type: "added",
    isFinal: edit.isFinal || steps.overrules,
    event: () => ({
      type: "added",
      requestId: request.requestId,
      step,
      tokens,
      source,
      mod: mod === null ? null : (state.mods[mod]?.host.name ?? null),
      isEos,
      text: addedText(group),
      hidden: output.hiddenBy !== null,
      emitted: output.emitted,
    }),
  };
}

/** The token that the sampler would have chosen in place of the forced tokens; null without logits. */
async function counterfactualToken(state: DecodeState): Promise<TokenId | null> {
  const { output, source } = state;
  const { current, knownChoice } = state.logits;
  if (knownChoice?.step === output.length) return knownChoice.token;
  if (current?.step !== output.length) return null;
  return current.recorded ? source.counterfactualToken : (await chooseStepToken(state, current)).token;
}

/** Removes the tokens after the end of the output's sequence from the cache. */
export function forgetRemoved({ activations, output, ports, source }: DecodeState): void {
  activations?.text.truncate(output.sequence.length);
  // After a failure the cache holds nothing.
  if (!ports.kvCache.hasFailed && !source.leavesCacheAlone) ports.kvCache.truncate(output.sequence.length);
}

function remove(
  state: DecodeState,
  { count, mod, replacement }: Extract<OutputEdit, { type: "remove" }>,
): EventDispatch | null {
  if (count === 0) return null;
  discardSpeculativePass(state);
  const { output, request, logits } = state;
  const group = output.remove(count);
  const step = output.length;
  state.healed = null;
  forgetRemoved(state);
  if (logits.current && logits.current.step > step) logits.current = null;
  if (logits.knownChoice && logits.knownChoice.step > step) logits.knownChoice = null;
  state.recorder.backtracked(step, mod, group, replacement.length);
  return {
    type: "backtracked",
    event: () => ({
      type: "backtracked",
      requestId: request.requestId,
      step,
      removed: group.map(({ token }) => token),
      mod: state.mods[mod]?.host.name ?? "",
      text: addedText(group),
      hidden: group.every(({ isHidden }) => isHidden),
      emitted: output.emitted,
    }),
  };
}
