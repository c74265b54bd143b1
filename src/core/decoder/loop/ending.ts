/** How a request ends: the reasons, and the last event. */
import type { RequestEnding } from "../ports/change.ts";
import { ModelDeadError } from "../ports/language-model.ts";
import { RequestError } from "../ports/request-error.ts";
import type { DecodeState } from "./decode-state.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { outputCapacity } from "./limits.ts";
import type { RequestTotals } from "./recorder.ts";

/**
 * The reason to end before another step: a stop sequence, an end of sequence, the limit, the budget. Null if there is none. Hidden
 * tokens count for neither stop sequence nor limit; but an end of sequence ends the request, and so does a full context.
 */
export function reachedEnd(state: DecodeState): RequestEnding | null {
  if (state.source.isKnownToContinue) return null;
  const { limits, output, counts, request } = state;
  const textLength = output.findStop(request.stop);
  if (textLength >= 0) return { reason: "stop", textLength };
  if (endsInEos(state)) return { reason: "stop" };
  if (output.visibleLength >= limits.tokens) return { reason: "length", lengthLimit: limits.setBy };
  if (output.length >= outputCapacity(state)) return { reason: "length", lengthLimit: "context" };
  return counts.passes >= limits.budget ? { reason: "budget" } : null;
}

/** The ending for an exception. @throws the exception itself if it is a bug in Midtoken. */
export function endingForError(error: unknown, signal?: AbortSignal): RequestEnding {
  if (signal?.aborted && error === signal.reason) return { reason: "cancelled" };
  if (!(error instanceof RequestError)) throw error;
  const code = error.cause instanceof ModelDeadError ? error.cause.code : null;
  return { reason: "error", error: { message: error.message, mod: null, ...(code !== null && { code }) } };
}

/** The counts and times of the request for its last record. */
export function requestTotalsOf(state: DecodeState, ending: RequestEnding): RequestTotals {
  const { output, ports, metrics } = state;
  return {
    step: output.length,
    text: responseText(state, ending),
    usage: {
      promptTokens: output.promptLength + output.healedPromptTokens,
      completionTokens: output.length,
      hiddenTokens: output.hiddenCount,
      reusedTokens: metrics.reusedTokens,
      forwardPasses: ports.kvCache.passCount - metrics.passCountBefore,
    },
    prefillMs: metrics.prefillMs,
    decodeMs: state.now() - metrics.decodeStartMs,
  };
}

/** The last event. Replies to it change nothing. */
export function finishedEvent(
  { request, output }: DecodeState,
  { reason }: RequestEnding,
  { step, text, usage }: RequestTotals,
): EventDispatch {
  const { requestId } = request;
  const { tokens } = output;
  return {
    type: "finished",
    event: () => ({ type: "finished", requestId, step, tokens, reason, text, usage }),
  };
}

/** The output without its end-of-sequence token or stop sequence; empty beside tool calls. */
function responseText(state: DecodeState, { reason, textLength }: RequestEnding): string {
  if (reason === "tool_calls") return "";
  const text = state.output.textOf(state.output.length - (endsInEos(state) ? 1 : 0));
  return text.slice(0, textLength);
}

function endsInEos({ output, ports }: DecodeState): boolean {
  const { lastToken } = output;
  return lastToken !== undefined && ports.kvCache.model.endOfSequence.includes(lastToken);
}
