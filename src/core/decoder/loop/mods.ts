import type { TraceScores, TraceTopK } from "../../trace/format/format.ts";
import type { Change } from "../ports/change.ts";
import { type ModReply, readsLogits } from "../ports/mod-host.ts";
import type { DecodeState, RunningMod } from "./decode-state.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { noteReply } from "./idle-streak.ts";
import { faultError, replyTo, stop, understood } from "./mod-replies.ts";
import { pauseHere } from "./pause-point.ts";
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
    // A replay ends at the first other answer. Mods that were asked at the same time answer before they are asked again.
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
  // The last words of a request are not held: its end has come already.
  const held = () => (dispatch.type === "finished" ? null : pauseHere(state));
  const pauseBefore = held();
  if (pauseBefore) await pauseBefore;
  // The first mod has no edits before it to see.
  for (const [index, mod] of asked.entries()) {
    replies.push(index > 0 && seesEdits(mod, dispatch) ? null : put(state, mod, dispatch));
  }
  const meanwhile = dispatch.meanwhile?.();
  if (meanwhile) await meanwhile;
  if (asked.length > 0) dispatch.prepare?.();
  const pauseMeanwhile = held();
  if (pauseMeanwhile) await pauseMeanwhile;
  let first: Change | null = null;
  let fatal: Change | null = null;
  for (const [index, mod] of asked.entries()) {
    const answered = await replies[index];
    // A mod that was asked before another one's error came is still heard: its answer is recorded.
    if (!answered) continue;
    // A stopped request ends its mods: a missing reply is then not the mod's fault.
    if (answered.reply.fault && dispatch.type !== "finished") state.ports.signal?.throwIfAborted();
    const { reply, durationMs, given, scores } = answered;
    const { action, fault, change } = await understood(state, mod, reply, dispatch);
    const superseded = change !== null && (first !== null || fatal !== null || dispatch.isFinal === true);
    if (fault && state.request.onModError === "stop") {
      fatal ??= faultError(mod, dispatch.type, step, fault);
    }
    const next = asked[index + 1];
    // The next mod is asked first: it need not wait until this reply is recorded.
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
    if (fault) stop(state, mod);
    if (dispatch.type === "added")
      noteReply(mod.idleStreak, change === null && !fault, state.speculation.pass !== null);
    if (!superseded) first ??= change;
    const pauseAfter = held();
    if (pauseAfter) await pauseAfter;
  }
  return fatal ?? first;
}

/** Whether what earlier mods answer to the question changes the event that this one is sent. */
function seesEdits({ host }: RunningMod, { type, edit }: EventDispatch): boolean {
  return edit !== undefined && (type !== "forwardPass" || readsLogits(host));
}

/** One question to one mod, and how long it took. @throws ReplayError when it is not the one that was asked ahead. */
function put(state: DecodeState, mod: RunningMod, dispatch: EventDispatch): Promise<TimedReply> {
  const startMs = state.ports.now();
  const scores: TraceScores[] = [];
  const asked = replyTo(state, mod, dispatch.event(mod.index), scorerOf(state, scores));
  // Runs while the mod replies: later replies change the logits that this mod was sent.
  const given = dispatch.given?.(mod.host, mod.index) ?? null;
  return asked.then((reply) => {
    // A pass that ran meanwhile is over before an answer is read, where the model computes on this thread.
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
