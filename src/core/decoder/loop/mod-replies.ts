/** One mod's reply to an event: asks for the reply, checks it, applies its edit, and says which change the mod wants. */
import { type Action, InvalidActionError } from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { EndError, TraceAction, TraceFault } from "../../trace/format/format.ts";
import { toolCallId } from "../../trace/text/tool-call-id.ts";
import { vectorSizes } from "../activations/needs-layers.ts";
import { allowedCount } from "../logits/logits-edits.ts";
import type { Change } from "../ports/change.ts";
import type { LoopEvent, ModFault, ModReply } from "../ports/mod-host.ts";
import type { DecodeState, RunningMod } from "./decode-state.ts";
import { digestOfLogitsEdit } from "./edit-digest.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { outputCapacity } from "./limits.ts";
import { steeringsForTrace, vectorWithoutNumbers } from "./recorded-vectors.ts";
import { type SettledOutput, validateAction } from "./validate.ts";

/** The mod's reply to an event. A replay may have asked for the reply in advance. */
export function askForReply(
  state: DecodeState,
  mod: RunningMod,
  event: LoopEvent,
  score: ScoreContinuations,
): Promise<ModReply> {
  const { refusal } = mod;
  if (refusal) return Promise.resolve({ action: noop, fault: refusal, console: [] });
  return state.source.ask(mod, event, score);
}

/** The meaning of a mod's reply. */
interface Understood {
  /** The action in the form of the trace. */
  readonly action: TraceAction;
  readonly fault: TraceFault | null;
  /** The change that the mod asks for; null for edits, noop and faults. */
  readonly change: Change | null;
}

/**
 * Checks a mod's reply, applies its edit of the prompt, the logits or the steering, and returns the action, the fault and the
 * change that it means.
 */
export async function interpretReply(
  state: DecodeState,
  mod: RunningMod,
  reply: ModReply,
  dispatch: Pick<EventDispatch, "type" | "complete" | "edit" | "isPast">,
): Promise<Understood> {
  const { action, fault } = await judge(state, mod, reply, dispatch);
  const recorded = state.source.recordedCall(mod, dispatch.type)?.action;
  const room = recorded && "tokens" in recorded ? recorded.tokens.length : null;
  const change = fault ? null : changeOf(state, mod, action, room);
  return { action: traceAction(state, action, change, dispatch.isPast), fault, change };
}

async function judge(
  state: DecodeState,
  mod: RunningMod,
  reply: ModReply,
  dispatch: Pick<EventDispatch, "type" | "complete" | "edit">,
): Promise<Verdict> {
  if (reply.fault) return { action: noop, fault: traceFault(reply.fault, reply.line) };
  try {
    const { request, ports, output } = state;
    const asked = validateAction(reply.action, {
      event: dispatch.type,
      vocabularySize: ports.kvCache.model.vocabularySize,
      emitted: output.length,
      settled: settledOutput(state, mod),
      capacity: ports.kvCache.model.capacity,
      layers: vectorSizes(mod.host, state.activations?.sizes ?? null),
      toolCallId: (call) => toolCallId(request.seed, output.prompt, call),
    });
    const action = (await dispatch.complete?.(asked)) ?? asked;
    state.activations?.take(action, mod.index, dispatch.type);
    const edited = dispatch.edit?.(action, mod.index);
    if (edited) await edited;
    return { action, fault: null };
  } catch (error) {
    if (!(error instanceof InvalidActionError)) throw error;
    return {
      action: noop,
      fault: traceFault({ kind: "invalid-action", message: error.message }, reply.line),
    };
  }
}

/** Number of tokens that must stay: streams hold back only the last `maxBacktrack` tokens of the longest output so far. Fewer may be left if another mod removed more. */
function settledOutput({ output, ports }: DecodeState, { host }: RunningMod): SettledOutput | null {
  const { maxBacktrack } = host.needs;
  if (maxBacktrack === undefined) return null;
  const length = Math.min(output.visibleLength, Math.max(0, output.longest - maxBacktrack));
  return {
    maxBacktrack,
    length,
    get text() {
      return output.textOf(length);
    },
    textOf: (tokens) => ports.tokenizer.decode(tokens),
  };
}

interface Verdict {
  readonly action: Action;
  readonly fault: TraceFault | null;
}

const noop: Action = { type: "noop" };

/**
 * The change that an action asks for, its tokens cut to what may be emitted; null for edits and noop. `room`: in a replay, how many
 * tokens of this action were recorded; otherwise null.
 */
function changeOf(
  state: DecodeState,
  { index: mod }: RunningMod,
  action: Action,
  room: number | null,
): Change | null {
  const cut = (tokens: readonly TokenId[], emitted: number, hidden: boolean) =>
    room === null ? emittable(state, tokens, emitted, hidden) : tokens.slice(0, room);
  switch (action.type) {
    case "noop":
    case "adjustPrefill":
    case "adjustLogits":
    case "steer":
    case "patch":
      return null;
    case "forceTokens": {
      const { type, tokens, hidden = false, heal = false } = action;
      return { type, mod, tokens: cut(tokens, state.output.length, hidden), hidden, heal };
    }
    case "backtrack": {
      const { type, count, tokens = [], hidden = false, heal = false } = action;
      const rest = cut(tokens, state.output.length - count, hidden);
      return { type, mod, count, tokens: rest, hidden, heal };
    }
    case "forceOutput":
      return { type: action.type, mod, tokens: cut(action.tokens, 0, false) };
    case "toolCalls":
      return { type: "end", ending: { reason: "tool_calls", toolCalls: action.calls } };
    case "error":
      return errorEnd({ message: action.message, mod });
  }
}

/**
 * Cuts a list of tokens after an end of sequence and at the limit of the output: the request's limit, or for hidden tokens
 * the model's context, minus the `emitted` tokens.
 */
function emittable(
  state: DecodeState,
  tokens: readonly TokenId[],
  emitted: number,
  hidden: boolean,
): readonly TokenId[] {
  const end = tokens.findIndex((token) => state.ports.kvCache.model.endOfSequence.includes(token));
  const isHidden = hidden || emitted > state.output.visibleLength;
  const room = (isHidden ? outputCapacity(state) : state.limits.tokens) - emitted;
  return tokens.slice(0, Math.min(room, end < 0 ? tokens.length : end + 1));
}

/** An action in the form of the trace: the tokens that are added, and how many were cut; of edits only the sizes. */
function traceAction(state: DecodeState, action: Action, change: Change | null, isPast = false): TraceAction {
  const kept = (vector: Float32Array) => (isPast ? vectorWithoutNumbers(vector) : state.vectors.of(vector));
  const span = () => {
    const kept = change && "tokens" in change ? change.tokens : [];
    const asked = "tokens" in action ? (action.tokens ?? []) : [];
    return { tokens: kept, text: state.recorder.text(kept), cut: asked.length - kept.length };
  };
  switch (action.type) {
    case "noop":
    case "toolCalls":
    case "error":
      return action;
    case "adjustPrefill":
      return { type: action.type, tokenCount: action.tokens.length, maxSteps: action.maxSteps ?? null };
    case "adjustLogits": {
      const { logits, temperature = null, hidden = false } = action;
      if (logits instanceof Float32Array)
        return { type: action.type, ban: 0, only: 0, add: 0, dense: true, digest: null, temperature };
      const { ban = [], add = {} } = logits;
      const only = allowedCount(logits, state.ports.kvCache.model.vocabularySize);
      const sizes = { ban: ban.length, only, add: Object.keys(add).length };
      return {
        type: action.type,
        ...sizes,
        dense: false,
        digest: digestOfLogitsEdit(logits, hidden),
        temperature,
      };
    }
    case "backtrack":
      return { type: action.type, count: action.count, ...span() };
    case "forceTokens":
    case "forceOutput":
      return { type: action.type, ...span() };
    case "steer":
      return { type: action.type, vectors: steeringsForTrace(action.vectors, kept) };
    case "patch":
      return { type: action.type, layer: action.layer, vector: kept(action.vector) };
  }
}

/** Stops a mod: it gets no more events, and its steering ends. */
export function stopMod({ activations }: DecodeState, mod: RunningMod): void {
  mod.isStopped = true;
  mod.host.dispose();
  activations?.present.drop(mod.index);
}

/** Ends the request with an error that names the mod, the step and, if known, the line. */
export function endingChangeForFault(
  mod: RunningMod,
  event: EventType,
  step: number,
  fault: TraceFault,
): Change {
  const where = fault.line === null ? `step ${step}` : `step ${step}, line ${fault.line}`;
  // The message of a sandbox already names the mod that it stopped: the name does not come twice.
  const namesMod = fault.kind === "timeout" || fault.kind === "crashed";
  const message = namesMod
    ? `${fault.message.replace(/\.$/, "")} (${where}).`
    : `The mod "${mod.host.name}" failed in ${event}(), ${where}: ${fault.message}`;
  return errorEnd({ message, mod: mod.index, code: "mod_failed" });
}

function errorEnd(error: EndError): Change {
  return { type: "end", ending: { reason: "error", error } };
}

function traceFault(fault: ModFault, actionLine: number | undefined): TraceFault {
  const { kind, message, stack = null, line = actionLine ?? null, column = null } = fault;
  return { kind, message, stack, line, column };
}
