/** How a request ends: the reasons, and the last words. */
import type { FinishedRecord } from "../trace/format.ts";
import { ForwardError } from "./advance.ts";
import type { RequestEnding } from "./change.ts";
import { type DecodeState, outputCapacity } from "./decode-state.ts";
import { askMods } from "./mods.ts";
import { ReplayError } from "./replay.ts";

/**
 * The reason to end before another step, if there is one: a stop text, an end of sequence, the limit, the budget. Hidden
 * tokens count for neither stop text nor limit; but an end of sequence ends, and so does a full context.
 */
export function reachedEnd(state: DecodeState): RequestEnding | null {
  const textLength = state.output.findStop(state.request.stop);
  if (textLength >= 0) return { reason: "stop", textLength };
  if (endsInEos(state)) return { reason: "stop" };
  const { keptLength, length } = state.output;
  if (keptLength >= state.limit) return { reason: "length", lengthLimit: state.limitedBy };
  if (length >= outputCapacity(state)) return { reason: "length", lengthLimit: "context" };
  return state.passes >= state.budget ? { reason: "budget" } : null;
}

/** The ending that an exception means. @throws the exception itself when it is a bug of ours. */
export function endingOf(error: unknown, signal?: AbortSignal): RequestEnding {
  if (signal?.aborted && error === signal.reason) return { reason: "cancelled" };
  if (error instanceof ForwardError || error instanceof ReplayError)
    return { reason: "error", error: { message: error.message, mod: null } };
  throw error;
}

/** Tells the mods, whose answers change nothing any more, and writes the last record. */
export async function finish(state: DecodeState, ending: RequestEnding): Promise<FinishedRecord> {
  const { output, request, ports } = state;
  const usage = {
    promptTokens: output.promptLength,
    completionTokens: output.length,
    hiddenTokens: output.hiddenCount,
    reusedTokens: state.reusedTokens,
    forwardPasses: ports.kvCache.passCount - state.passCountBefore,
  };
  const decodeMs = state.now() - state.decodeStartMs;
  const { reason } = ending;
  const text = answerText(state, ending);
  const about = { requestId: request.requestId, step: output.length, tokens: output.tokens };
  await askMods(state, {
    type: "finished",
    event: () => ({ type: "finished", ...about, reason, text, usage }),
  });
  return state.recorder.finished(ending, {
    step: output.length,
    text,
    usage,
    prefillMs: state.prefillMs,
    decodeMs,
  });
}

/** The output without its end-of-sequence token or stop text; nothing beside tool calls. */
function answerText(state: DecodeState, { reason, textLength }: RequestEnding): string {
  if (reason === "tool_calls") return "";
  const text = state.output.textOf(state.output.length - (endsInEos(state) ? 1 : 0));
  return text.slice(0, textLength);
}

function endsInEos({ output, ports }: DecodeState): boolean {
  const { lastToken } = output;
  return lastToken !== undefined && ports.kvCache.model.endOfSequence.includes(lastToken);
}
