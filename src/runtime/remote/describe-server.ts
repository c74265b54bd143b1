/** Asks a llama.cpp server for its model, without the files of that model. */
import type { ServerConnection } from "./connection.ts";
import { type LlamaServerDescription, parseLlamaServerDescription } from "./parse-responses.ts";
import { describeTimeoutMs, withResponseTimeLimit } from "./within-limit.ts";

/** Asks a server for its model and limits. @throws RemoteEngineError, or the signal's reason. */
export function describeLlamaServer(
  connection: ServerConnection,
  signal?: AbortSignal,
): Promise<LlamaServerDescription> {
  return withResponseTimeLimit(connection, { ms: describeTimeoutMs, signal }, async (within) => {
    // A server that is still loading says so here, and with more words than its other answers.
    await connection.get("/health", { signal: within });
    const models = await connection.get("/v1/models", { signal: within });
    return parseLlamaServerDescription(models, await connection.get("/props", { signal: within }));
  });
}
