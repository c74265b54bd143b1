/** Makes changes to the output. The only place that appends to it or removes from it; text, tokens and trace stay together. */
import type { TokenSource } from "../sdk/event.ts";
import type { TokenId } from "../sdk/request.ts";
import { ask } from "./mods.ts";
import { addedText } from "./output.ts";
import { chooseFrom } from "./row.ts";
import type { Change, Run } from "./run.ts";

/** Gives the change that a mod answered to this one; null when all are content. */
export async function apply(run: Run, change: Exclude<Change, { type: "end" }>): Promise<Change | null> {
  switch (change.type) {
    case "sampled":
      return emit(run, { tokens: [change.token], source: "sampled", mod: null });
    case "forceTokens":
      return countChange(run) ?? emit(run, { ...change, source: "forced" });
    case "backtrack":
      return (
        countChange(run) ??
        (await remove(run, change.count, change)) ??
        (await emit(run, { ...change, source: "reinjected" }))
      );
    case "forceOutput":
      return (
        (await remove(run, run.output.length, change)) ??
        (await emit(run, { ...change, source: "forced", isFinal: true })) ?? {
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
function countChange(run: Run): Change | null {
  run.changes += 1;
  return run.changes > run.budget ? { type: "end", ending: { reason: "budget" } } : null;
}

interface Group {
  readonly tokens: readonly TokenId[];
  readonly source: TokenSource;
  /** Index of the mod that put them there. */
  readonly mod: number | null;
  readonly isFinal?: boolean;
}

async function emit(run: Run, { tokens, source, mod, isFinal = false }: Group): Promise<Change | null> {
  if (tokens.length === 0) return null;
  const { output, request } = run;
  const ghost =
    source === "sampled" || run.row?.step !== output.length ? null : chooseFrom(run, run.row).token;
  const group = output.append(tokens, source);
  const isEos = run.ports.model.model.endOfSequence.includes(tokens[tokens.length - 1] ?? -1);
  const step = output.length;
  run.recorder.added(group, { step, mod, isEos, ghost });
  const name = mod === null ? null : (run.mods[mod]?.host.name ?? null);
  return ask(run, {
    type: "added",
    isFinal,
    event: () => ({
      type: "added",
      ...{ requestId: request.requestId, step, tokens, source, mod: name, isEos },
      ...{ text: addedText(group), emitted: output.emitted },
    }),
  });
}

/** Takes tokens off the end. Gives the end of the request when a mod fails at the event, else null. */
async function remove(
  run: Run,
  count: number,
  { mod, tokens: replacement }: { readonly mod: number; readonly tokens: readonly TokenId[] },
): Promise<Change | null> {
  if (count === 0) return null;
  const { output, request } = run;
  const group = output.remove(count);
  run.ports.model.truncate(output.sequence.length);
  if (run.row && run.row.step > output.length) run.row = null;
  const step = output.length;
  run.recorder.backtracked(step, mod, group, replacement.length);
  const removed = group.map(({ token }) => token);
  return ask(run, {
    type: "backtracked",
    event: () => ({
      type: "backtracked",
      ...{ requestId: request.requestId, step, removed, mod: run.mods[mod]?.host.name ?? "" },
      ...{ text: addedText(group), emitted: output.emitted },
    }),
  });
}
