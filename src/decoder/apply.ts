/** Makes changes to the output. The only place that appends to it or removes from it; text, tokens and trace stay together. */
import type { TokenSource } from "../sdk/event.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Change } from "./change.ts";
import type { DecodeState } from "./decode-state.ts";
import { askMods } from "./mods.ts";
import { addedText } from "./output.ts";
import { mayRunAhead, runAhead, takeBackPassAhead } from "./pass-ahead.ts";
import { chooseFrom } from "./step-logits.ts";

/** Makes the change. Gives the change that a mod answers to it; null when all mods are content. */
export async function apply(
  state: DecodeState,
  change: Exclude<Change, { type: "end" }>,
): Promise<Change | null> {
  switch (change.type) {
    case "sampled":
      return emit(state, {
        ...{ tokens: [change.token], source: "sampled", mod: null },
        hiddenBy: change.hiddenBy,
      });
    case "forceTokens":
      return countChange(state) ?? emit(state, { ...change, source: "forced", hiddenBy: hiddenBy(change) });
    case "backtrack":
      return (
        countChange(state) ??
        (await remove(state, change.count, change)) ??
        (await emit(state, { ...change, source: "reinjected", hiddenBy: hiddenBy(change) }))
      );
    case "forceOutput":
      return (
        (await remove(state, state.output.length, change)) ??
        (await emit(state, { ...change, source: "forced", hiddenBy: null, isFinal: true })) ??
        // A branch that cuts the forced output goes on from there.
        (state.replay && state.output.length < change.tokens.length
          ? null
          : { type: "end", ending: { reason: "forced" } })
      );
  }
}

/**
 * Two mods that answer each other's changes could go on for ever without a forward pass. So changes have a budget of their own,
 * as large as that of passes.
 */
function countChange(state: DecodeState): Change | null {
  state.changes += 1;
  return state.changes > state.budget ? { type: "end", ending: { reason: "budget" } } : null;
}

interface Group {
  readonly tokens: readonly TokenId[];
  readonly source: TokenSource;
  /** Index of the mod that put them there. */
  readonly mod: number | null;
  /** Index of the mod that wants them hidden; null where none does. */
  readonly hiddenBy: number | null;
  readonly isFinal?: boolean;
}

function hiddenBy({ hidden, mod }: { readonly hidden: boolean; readonly mod: number }): number | null {
  return hidden ? mod : null;
}

/** What takes the hidden tokens out whose mod was stopped, or took part only before a branch: nobody else would. Null where there are none. */
export function takeOutAbandoned({ output, mods }: DecodeState): Change | null {
  const { hiddenBy: mod } = output;
  if (mod === null || mods[mod]?.isStopped === false) return null;
  return { type: "backtrack", mod, count: output.length - output.keptLength, tokens: [], hidden: false };
}

/** Takes hidden tokens out at the end of a request: they never were part of the answer. @throws ForwardError */
export async function takeOutHidden(state: DecodeState): Promise<void> {
  const { output } = state;
  if (output.hiddenBy === null) return;
  await remove(state, output.length - output.keptLength, { mod: output.hiddenBy, tokens: [] });
}

async function emit(
  state: DecodeState,
  { tokens: wanted, source, mod, hiddenBy, isFinal = false }: Group,
): Promise<Change | null> {
  const tokens = source === "sampled" ? wanted : (state.replay?.keptOf(wanted) ?? wanted);
  if (tokens.length === 0) return null;
  const { output, request } = state;
  const ghost = source === "sampled" ? null : await ghostHere(state);
  const group = output.append(tokens, source, hiddenBy);
  const isEos = state.ports.kvCache.model.endOfSequence.includes(tokens[tokens.length - 1] ?? -1);
  const step = output.length;
  state.recorder.added(group, { step, mod, isEos, ghost });
  const name = mod === null ? null : (state.mods[mod]?.host.name ?? null);
  const asked = askMods(state, {
    type: "added",
    isFinal: isFinal || state.replay?.overrules === true,
    event: () => ({
      type: "added",
      ...{ requestId: request.requestId, step, tokens, source, mod: name, isEos },
      ...{ text: addedText(group), hidden: output.hiddenBy !== null, emitted: output.emitted },
    }),
  });
  if (source !== "sampled" || !mayRunAhead(state)) return asked;
  const ahead = runAhead(state);
  const change = await asked.finally(() => ahead);
  if (change) takeBackPassAhead(state);
  return change;
}

/** What the sampler would have taken in place of forced tokens. */
async function ghostHere(state: DecodeState): Promise<TokenId | null> {
  const { output, stepLogits, toldChoice } = state;
  if (toldChoice?.step === output.length) return toldChoice.token;
  if (stepLogits?.step !== output.length) return null;
  return stepLogits.recorded ? (state.replay?.ghost ?? null) : (await chooseFrom(state, stepLogits)).token;
}

/** Takes tokens off the end. Gives the end of the request when a mod fails at the event, else null. */
async function remove(
  state: DecodeState,
  count: number,
  { mod, tokens: replacement }: { readonly mod: number; readonly tokens: readonly TokenId[] },
): Promise<Change | null> {
  if (count === 0) return null;
  takeBackPassAhead(state);
  const { output, request, ports } = state;
  const group = output.remove(count);
  state.inside?.text.truncate(output.sequence.length);
  // After a failure the cache holds nothing.
  // A replay computes nothing: what the cache holds may be of use at the branch point.
  const isReplay = state.replay?.isActive && state.replay.showsRecordedLogits;
  if (!ports.kvCache.hasFailed && !isReplay) ports.kvCache.truncate(output.sequence.length);
  if (state.stepLogits && state.stepLogits.step > output.length) state.stepLogits = null;
  if (state.toldChoice && state.toldChoice.step > output.length) state.toldChoice = null;
  const step = output.length;
  state.recorder.backtracked(step, mod, group, replacement.length);
  const removed = group.map(({ token }) => token);
  return askMods(state, {
    type: "backtracked",
    event: () => ({
      type: "backtracked",
      ...{ requestId: request.requestId, step, removed, mod: state.mods[mod]?.host.name ?? "" },
      ...{ text: addedText(group), hidden: group.every(({ isHidden }) => isHidden), emitted: output.emitted },
    }),
  });
}
