/** A time limit for the questions by which a server is checked, before a model is loaded and after the server failed. */
import type { ServerConnection } from "./connection.ts";
import { RemoteEngineError } from "./remote-error.ts";

/** Milliseconds for the answers that say what a server has. */
export const describeTimeoutMs = 15_000;
/** Milliseconds for the trial requests to a vLLM or SGLang server: the first ones may compile kernels. */
export const probeTimeoutMs = 120_000;

export interface ResponseTimeLimit {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
}

/** @throws RemoteEngineError if the server is silent for too long, the signal's reason, or what `ask` throws */
export async function withResponseTimeLimit<Answer>(
  { origin }: Pick<ServerConnection, "origin">,
  { ms, signal }: ResponseTimeLimit,
  ask: (within: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const limit = AbortSignal.timeout(ms);
  try {
    return await ask(signal ? AbortSignal.any([signal, limit]) : limit);
  } catch (error) {
    signal?.throwIfAborted();
    if (!limit.aborted || error instanceof RemoteEngineError) throw error;
    throw new RemoteEngineError(
      "unreachable",
      `${origin} did not answer within ${ms / 1000} s. Check the address and the server's log, then run again.`,
    );
  }
}
