/** Makes changes to the output. The only place that appends to it or removes from it; text, tokens and trace stay together. */
import type { TokenSource } from "../sdk/event.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Change } from "./change.ts";
import type { DecodeState } from "./decode-state.ts";
import { askMods } from "./mods.ts";
import { addedText } from "./output.ts";
import { mayRunAhead, runAhead, takeBackPassAhead } from "./pass-ahead.ts";
import { chooseFrom } from "./step-logits.ts";

/** Gives the change that a mod answered to this one; null when all are content. */
export async function apply(
  state: DecodeState,
  change: Exclude<Change, { type: "end" }>,
): Promise<Change | null> {
  switch (change.type) {
    case "sampled":
      return emit(state, { tokens: [change.token], source: "sampled", mod: null });
    case "forceTokens":
      return countChange(state) ?? emit(state, { ...change, source: "forced" });
    case "backtrack":
      return (
        countChange(state) ??
        (await remove(state, change.count, change)) ??
        (await emit(state, { ...change, source: "reinjected" }))
      );
    case "forceOutput":
      return (
        (await remove(state, state.output.length, change)) ??
        (await emit(state, { ...change, source: "forced", isFinal: true })) ?? {
          type: "end",
          ending: { reason: "forced" },
        }
      );
  }
}

/**
 * Mods that answer one another's changes need no forward pass to go on for ever, so changes have a budget as passes have,
 * of the same size.
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
  readonly isFinal?: boolean;
}

async function emit(
  state: DecodeState,
  { tokens, source, mod, isFinal = false }: Group,
): Promise<Change | null> {
  if (tokens.length === 0) return null;
  const { output, request } = state;
  const ghost =
    source === "sampled" || state.stepLogits?.step !== output.length
      ? null
      : chooseFrom(state, state.stepLogits).token;
  const group = output.append(tokens, source);
  const isEos = state.ports.kvCache.model.endOfSequence.includes(tokens[tokens.length - 1] ?? -1);
  const step = output.length;
  state.recorder.added(group, { step, mod, isEos, ghost });
  const name = mod === null ? null : (state.mods[mod]?.host.name ?? null);
  const asked = askMods(state, {
    type: "added",
    isFinal,
    event: () => ({
      type: "added",
      ...{ requestId: request.requestId, step, tokens, source, mod: name, isEos },
      ...{ text: addedText(group), emitted: output.emitted },
    }),
  });
  if (source !== "sampled" || !mayRunAhead(state)) return asked;
  const ahead = runAhead(state);
  const change = await asked.finally(() => ahead);
  if (change) takeBackPassAhead(state);
  return change;
}

/** Takes tokens off the end. Gives the end of the request when a mod fails at the event, else null. */
async function remove(
  state: DecodeState,
  count: number,
  { mod, tokens: replacement }: { readonly mod: number; readonly tokens: readonly TokenId[] },
): Promise<Change | null> {
  if (count === 0) return null;
  const { output, request } = state;
  const group = output.remove(count);
  state.ports.kvCache.truncate(output.sequence.length);
  if (state.stepLogits && state.stepLogits.step > output.length) state.stepLogits = null;
  const step = output.length;
  state.recorder.backtracked(step, mod, group, replacement.length);
  const removed = group.map(({ token }) => token);
  return askMods(state, {
    type: "backtracked",
    event: () => ({
      type: "backtracked",
      ...{ requestId: request.requestId, step, removed, mod: state.mods[mod]?.host.name ?? "" },
      ...{ text: addedText(group), emitted: output.emitted },
    }),
  });
}
