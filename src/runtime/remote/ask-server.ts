/** Asks a server what it is, before a model is chosen: for a test of its address and its key. */
import type { ServerAccess } from "../../core/base/server-access.ts";
import { createBrowserExchange } from "./browser-exchange.ts";
import { ServerConnection } from "./connection.ts";
import { describeLlamaServer } from "./describe-server.ts";
import { fetchServedModel } from "./engine-kind.ts";
import type { EngineName } from "./engine-name.ts";
import type { HttpExchange } from "./exchange.ts";
import { fileName } from "./parse-responses.ts";
import { RemoteEngineError, type RemoteFault } from "./remote-error.ts";
import { describeTimeoutMs, withResponseTimeLimit } from "./within-limit.ts";

export interface ServerFound {
  readonly program: EngineName;
  /** The name that the server gives to its model: a file's name, or an id such as "owner/name". */
  readonly model: string;
  /** Tokens of a conversation; null if the server does not tell. */
  readonly contextLength: number | null;
}

export interface IdentifyServerOptions {
  readonly signal?: AbortSignal | undefined;
  /** `fetch` unless given. */
  readonly exchange?: HttpExchange;
}

/** @throws RemoteEngineError with a sentence for the fault, or the signal's reason. */
export async function identifyServer(
  access: ServerAccess,
  { signal, exchange = createBrowserExchange() }: IdentifyServerOptions = {},
): Promise<ServerFound> {
  const connection = new ServerConnection(access, exchange);
  const served = await withResponseTimeLimit(connection, { ms: describeTimeoutMs, signal }, (within) =>
    fetchServedModel(connection, within),
  );
  const { kind: program, id, contextLength } = served;
  if (program !== "llama.cpp") return { program, model: id, contextLength };
  // llama.cpp lists its model without a key, and asks for the key here.
  const server = await describeLlamaServer(connection, signal);
  return { program, model: server.name || fileName(id), contextLength: server.contextLength };
}

/** The model of the server behind a relay, or the reason why that server does not answer. */
export type RelayState = ServerFound | { readonly problem: string };

/** Faults that a relay itself reports while its server does not answer. A page's server without a relay answers other things. */
const faultsOfRelay: ReadonlySet<RemoteFault> = new Set(["server", "busy", "loading"]);

/** Asks the page's own server whether it passes requests on; null if it does not. @throws the signal's reason */
export async function identifyRelayedServer(
  url: string,
  options: IdentifyServerOptions = {},
): Promise<RelayState | null> {
  try {
    return await identifyServer({ url }, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof RemoteEngineError)) throw error;
    return faultsOfRelay.has(error.fault) ? { problem: error.message } : null;
  }
}
