/** How a request ends: the reasons, and the last words. */
import type { FinishedRecord } from "../trace/format.ts";
import { ForwardError } from "./context.ts";
import { ask } from "./mods.ts";
import type { Ending, Run } from "./run.ts";

/** The reason to end before another step, if there is one: a stop text, an end of sequence, the limit, the budget. */
export function reachedEnd(run: Run): Ending | null {
  const textLength = run.output.findStop(run.request.stop);
  if (textLength >= 0) return { reason: "stop", textLength };
  if (endsInEos(run)) return { reason: "stop" };
  if (run.output.length >= run.limit) return { reason: "length", lengthLimit: run.limitedBy };
  return run.passes >= run.budget ? { reason: "budget" } : null;
}

/** The ending that an exception means. @throws the exception itself when it is a bug of ours. */
export function endingOf(error: unknown, signal?: AbortSignal): Ending {
  if (signal?.aborted && error === signal.reason) return { reason: "cancelled" };
  if (error instanceof ForwardError) return { reason: "error", error: { message: error.message, mod: null } };
  throw error;
}

/** Tells the mods, whose answers change nothing any more, and writes the last record. */
export async function finish(run: Run, ending: Ending): Promise<FinishedRecord> {
  const { output, request, ports } = run;
  const usage = {
    promptTokens: output.promptLength,
    completionTokens: output.length,
    hiddenTokens: 0,
    reusedTokens: run.reusedTokens,
    forwardPasses: ports.model.passCount - run.passCountBefore,
  };
  const decodeMs = ports.now() - run.decodeStartMs;
  const { reason } = ending;
  const text = answerText(run, ending);
  const about = { requestId: request.requestId, step: output.length, tokens: output.tokens };
  await ask(run, {
    type: "finished",
    event: () => ({ type: "finished", ...about, reason, text, usage }),
  });
  return run.recorder.finished(ending, {
    step: output.length,
    text,
    usage,
    prefillMs: run.prefillMs,
    decodeMs,
  });
}

/** The output without its end-of-sequence token or stop text; nothing beside tool calls. */
function answerText(run: Run, { reason, textLength }: Ending): string {
  if (reason === "tool_calls") return "";
  const text = run.output.textOf(run.output.length - (endsInEos(run) ? 1 : 0));
  return text.slice(0, textLength);
}

function endsInEos({ output, ports }: Run): boolean {
  const { lastToken } = output;
  return lastToken !== undefined && ports.model.model.endOfSequence.includes(lastToken);
}
