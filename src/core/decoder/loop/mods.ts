import type { TraceScores, TraceTopK } from "../../trace/format/format.ts";
import type { Change } from "../ports/change.ts";
import { type ModReply, readsLogits } from "../ports/mod-host.ts";
import type { DecodeState, RunningMod } from "./decode-state.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { noteReply } from "./idle-streak.ts";
import { askForReply, endingChangeForFault, interpretReply, stopMod } from "./mod-replies.ts";
import { waitIfPaused } from "./pause-point.ts";
import { scorerOf } from "./score-continuations.ts";

/**
 * Asks every mod that handles the event. Gives the first change that a mod wants, in the mods' order; later ones are
 * recorded as superseded. A mod at fault is stopped for good; unless the request goes on without it, its error is the
 * change that wins. A mod that is shown what the mods before it edited is asked after them. The other mods are asked all at
 * once, since each has a sandbox of its own: three mods then take as long as the slowest.
 */
export async function askMods(state: DecodeState, dispatch: EventDispatch): Promise<Change | null> {
  const replies: Replies = [];
  try {
    return await heardInTurn(state, dispatch, replies);
  } catch (error) {
    // A replay ends at the first reply that differs. Mods that were asked at the same time must reply before they are asked
    // again.
    await Promise.all(replies);
    throw error;
  }
}

/** One entry for each asked mod, in their order; null for a mod that is not asked yet. */
type Replies = (Promise<TimedReply> | null)[];

async function heardInTurn(
  state: DecodeState,
  dispatch: EventDispatch,
  replies: Replies,
): Promise<Change | null> {
  const asked = state.mods.filter(({ isStopped, host }) => !isStopped && host.handles.has(dispatch.type));
  const step = state.output.length;
  // At `finished` the request does not pause, because it has ended.
  const pauseIfAsked = () => (dispatch.type === "finished" ? null : waitIfPaused(state));
  const pauseBefore = pauseIfAsked();
  if (pauseBefore) await pauseBefore;
  // The first mod has no edits before it to see.
  for (const [index, mod] of asked.entries()) {
    replies.push(index > 0 && seesEdits(mod, dispatch) ? null : put(state, mod, dispatch));
  }
  const meanwhile = dispatch.meanwhile?.();
  if (meanwhile) await meanwhile;
  if (asked.length > 0) dispatch.prepare?.();
  const pauseMeanwhile = pauseIfAsked();
  if (pauseMeanwhile) await pauseMeanwhile;
  let first: Change | null = null;
  let fatal: Change | null = null;
  for (const [index, mod] of asked.entries()) {
    const answered = await replies[index];
    // If a mod fails, the replies of mods that had already been asked are still recorded.
    if (!answered) continue;
    // A stopped request ends its mods: a missing reply is then not the mod's fault.
    if (answered.reply.fault && dispatch.type !== "finished") state.ports.signal?.throwIfAborted();
    const { reply, durationMs, given, scores } = answered;
    const { action, fault, change } = await interpretReply(state, mod, reply, dispatch);
    const superseded = change !== null && (first !== null || fatal !== null || dispatch.isFinal === true);
    if (fault && state.request.onModError === "stop") {
      fatal ??= endingChangeForFault(mod, dispatch.type, step, fault);
    }
    const next = asked[index + 1];
    // The next mod is asked before this reply is recorded, to save time.
    if (next && !fatal) replies[index + 1] ??= put(state, next, dispatch);
    state.recorder.modCall({
      mod: mod.index,
      event: dispatch.type,
      step,
      durationMs,
      reply,
      given,
      scores,
      superseded,
      fault,
      action,
    });
    if (fault) stopMod(state, mod);
    if (dispatch.type === "added")
      noteReply(mod.idleStreak, change === null && !fault, state.speculation.pass !== null);
    if (!superseded) first ??= change;
    const pauseAfter = pauseIfAsked();
    if (pauseAfter) await pauseAfter;
  }
  return fatal ?? first;
}

/** Whether replies of earlier mods change the event that this mod gets. */
function seesEdits({ host }: RunningMod, { type, edit }: EventDispatch): boolean {
  return edit !== undefined && (type !== "forwardPass" || readsLogits(host));
}

/**
 * Asks one mod, and measures the time of its reply.
 * @throws ReplayError if the event differs from the event that the mod was asked about in advance.
 */
function put(state: DecodeState, mod: RunningMod, dispatch: EventDispatch): Promise<TimedReply> {
  const startMs = state.ports.now();
  const scores: TraceScores[] = [];
  const asked = askForReply(state, mod, dispatch.event(mod.index), scorerOf(state, scores));
  // Runs while the mod replies: later replies change the logits that this mod was sent.
  const given = dispatch.given?.(mod.host, mod.index) ?? null;
  return asked.then((reply) => {
    // If the model computes on this thread, a pass that ran meanwhile has ended before a reply is read.
    const passMs = state.speculation.pass?.elapsedMs ?? 0;
    return { reply, given, scores, durationMs: Math.max(0, state.ports.now() - startMs - passMs) };
  });
}

interface TimedReply {
  readonly reply: ModReply;
  readonly given: TraceTopK | null;
  readonly scores: readonly TraceScores[];
  readonly durationMs: number;
}
