/** From a server's address and a model's tokenizer files to a model that answers. */
import { traceLimits } from "../../core/trace/format/limits.ts";
import type { ModelReference } from "../engine/base/model-reference.ts";
import type { ModelSource } from "../engine/files/model-source.ts";
import { noLayersOnServerError } from "../engine/graph/layered-graph.ts";
import { type LoadOptions, loadBundleWithoutWeights, type ModelBundle } from "../engine/load/load-model.ts";
import { type RemoteAccess, ServerConnection } from "./connection.ts";
import { describeLlamaServer } from "./describe-server.ts";
import { fetchServedModel } from "./engine-kind.ts";
import type { HttpExchange } from "./exchange.ts";
import { loadStepwiseModel, type ServerWithModel } from "./load-stepwise-model.ts";
import { type LlamaServerDescription, parseDetokenized } from "./parse-responses.ts";
import { checkRamCache } from "./ram-cache.ts";
import { listPartTokens, selectPlainTextTokens } from "./readable-tokens.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { Replica } from "./replica.ts";
import { isFaultOfServer, Replicas } from "./replicas.ts";
import { createServedModelBundle } from "./server-bundle.ts";
import { LlamaServerModel } from "./server-model.ts";
import type { UpstreamMeter } from "./upstream-meter.ts";
import { describeTimeoutMs, withResponseTimeLimit } from "./within-limit.ts";

export interface RemoteLoadOptions extends Pick<LoadOptions, "signal" | "openLayers" | "aroundTokenizer"> {
  /** Folder with tokenizer.json, tokenizer_config.json and config.json of the server's model. Its weights are not read. */
  readonly source: ModelSource;
  readonly access: RemoteAccess;
  readonly exchange: HttpExchange;
  readonly onNotice?: (notice: string) => void;
  /** Called with the message of a server's failure, which has the server's address: errors and traces have the message without the address. */
  readonly onFault?: ((message: string) => void) | undefined;
  /** Counts the work of the servers. */
  readonly meter?: UpstreamMeter | undefined;
}

/** Whole rows of more tokens take a server long: 49,152 tokens take a second. */
const largestWholeRow = 8_192;
const listedByDefault = 64;
/** As many as a trace keeps of each step. */
const fewestListed = traceLimits.alternatives;

/**
 * @throws RemoteEngineError if the server is not there, not ready, or has another tokenizer; ModelFileError if a file is missing;
 * UnsupportedGraphError if the layers are wanted; the signal's reason when cancelled.
 */
export async function loadRemoteModel(
  reference: ModelReference,
  options: RemoteLoadOptions,
): Promise<ModelBundle> {
  const { source, access, exchange, openLayers, aroundTokenizer, signal, onNotice, onFault, meter } = options;
  if (openLayers) throw noLayersOnServerError();
  const addresses = [access.url, ...(access.replicas ?? [])];
  const connections = addresses.map((url) => new ServerConnection({ ...access, url }, exchange));
  const { kinds, away } = await reach(connections, { signal, onFault });
  if (kinds[0]?.served.kind !== "llama.cpp" || kinds.some(({ served }) => served.kind !== "llama.cpp")) {
    checkKinds(kinds);
    return loadStepwiseModel(reference, kinds, { ...options, away });
  }
  if (access.priority !== undefined) throw noPriority();
  const reached = kinds.map(({ connection }) => connection);
  const servers = await Promise.all(reached.map((connection) => describeLlamaServer(connection, signal)));
  const server = smallestOf(servers);
  const listedTokens = listedTokensOf(access, server);
  const text = await loadBundleWithoutWeights(reference, server.vocabularySize, {
    source,
    signal,
    aroundTokenizer,
  });
  const { endOfSequence, ...parts } = text;
  // A check after a failure does not end with the signal of the load.
  const check = async (connection: ServerConnection, within?: AbortSignal): Promise<void> => {
    await checkTokenizer(connection, text.tokenizer, source.address, within);
    const isAccepted = access.acceptRamCache === true;
    await checkRamCache(connection, { server, signal: within, isAccepted, onNotice });
  };
  await Promise.all(reached.map((connection) => check(connection, signal)));
  const replicaOf = (connection: ServerConnection, slots: number | null): Replica => {
    const checkAgain = async (replica: Replica): Promise<void> => {
      replica.learnSlots(await slotsOfSame(connection, server));
      await check(connection);
    };
    return new Replica({ connection, slots, check: checkAgain });
  };
  const known = servers.map(({ slots }, place) => replicaOf(reached[place] as ServerConnection, slots));
  const late = away.map((connection) => replicaOf(connection, null));
  const replicas = new Replicas([...known, ...late], meter, onFault);
  const { stream, serverDraws } = access;
  const partTokens = listPartTokens(text.tokenizer);
  const startConversation = () =>
    new LlamaServerModel(replicas, {
      server,
      endOfSequence,
      listedTokens,
      stream,
      serverDraws,
      onNotice,
      partTokens,
    });
  return createServedModelBundle(reference, parts, startConversation, {
    file: server.name,
    adapter: `llama.cpp ${server.version}`.trim(),
    // A server that has not answered yet counts like the first one.
    conversations: servers.reduce((sum, { slots }) => sum + slots, away.length * server.slots),
  });
}

function noPriority(): RemoteEngineError {
  return new RemoteEngineError(
    "address",
    'llama.cpp does not support the option "priority": it serves requests in the order in which they arrive. Leave "priority" out.',
  );
}

interface ReachedServers {
  readonly kinds: readonly ServerWithModel[];
  /** Servers that cannot answer now. */
  readonly away: readonly ServerConnection[];
}

/**
 * Asks all servers what they run. One that is down, or still loads its model, does not keep the others from work.
 * @throws RemoteEngineError if no server answers, or for a wrong answer; the signal's reason
 */
async function reach(
  connections: readonly ServerConnection[],
  { signal, onFault }: Pick<RemoteLoadOptions, "signal" | "onFault">,
): Promise<ReachedServers> {
  const kinds: ServerWithModel[] = [];
  const away: ServerConnection[] = [];
  const faults: RemoteEngineError[] = [];
  const asked = await Promise.allSettled(connections.map((connection) => kindOf(connection, signal)));
  signal?.throwIfAborted();
  for (const [place, result] of asked.entries()) {
    if (result.status === "fulfilled") {
      kinds.push(result.value);
      continue;
    }
    if (!isFaultOfServer(result.reason)) throw result.reason;
    faults.push(result.reason);
    away.push(connections[place] as ServerConnection);
  }
  if (kinds.length === 0) throw faults[0];
  for (const { message } of faults)
    onFault?.(`${message} The other servers answer meanwhile, and this one is asked again.`);
  return { kinds, away };
}

/** @throws RemoteEngineError, or the signal's reason */
async function kindOf(connection: ServerConnection, signal?: AbortSignal): Promise<ServerWithModel> {
  try {
    const ask = (within: AbortSignal) => fetchServedModel(connection, within);
    return {
      connection,
      served: await withResponseTimeLimit(connection, { ms: describeTimeoutMs, signal }, ask),
    };
  } catch (error) {
    signal?.throwIfAborted();
    // llama.cpp says at /health why it is not ready.
    if (error instanceof RemoteEngineError && error.fault === "loading")
      await withResponseTimeLimit(connection, { ms: describeTimeoutMs, signal }, (within) =>
        connection.get("/health", { signal: within }),
      );
    throw error;
  }
}

/** @throws RemoteEngineError for servers of several kinds */
function checkKinds(kinds: readonly ServerWithModel[]): void {
  const names = [...new Set(kinds.map(({ served }) => served.kind))];
  if (names.length > 1)
    throw new RemoteEngineError(
      "address",
      `The servers are of different kinds: ${names.join(", ")}. Give servers of the same kind.`,
    );
}

/** The limits that all servers keep. @throws RemoteEngineError if their vocabularies differ. */
function smallestOf(servers: readonly LlamaServerDescription[]): LlamaServerDescription {
  const [first] = servers as readonly [LlamaServerDescription, ...LlamaServerDescription[]];
  const other = servers.find(({ vocabularySize }) => vocabularySize !== first.vocabularySize);
  if (other)
    throw new RemoteEngineError(
      "tokenizer",
      `The servers run different models: their vocabularies have ${first.vocabularySize} and ${other.vocabularySize} tokens. Start all of them with the same model.`,
    );
  return { ...first, contextLength: Math.min(...servers.map(({ contextLength }) => contextLength)) };
}

/** The slots of a server that failed: it may have been started again with another model. @throws RemoteEngineError */
async function slotsOfSame(connection: ServerConnection, before: LlamaServerDescription): Promise<number> {
  const now = await describeLlamaServer(connection);
  const { origin } = connection;
  if (now.vocabularySize === before.vocabularySize && now.contextLength >= before.contextLength)
    return now.slots;
  throw new RemoteEngineError(
    "tokenizer",
    `${origin} now runs another model, or has a smaller context: its vocabulary has ${now.vocabularySize} tokens (before: ${before.vocabularySize}) and its context ${now.contextLength} tokens (before: ${before.contextLength}). Start the server as before, or load the model again.`,
  );
}

type Tokenizer = Parameters<typeof selectPlainTextTokens>[0];

/** Ids are what both sides share: each has to mean the same text. @throws RemoteEngineError */
async function checkTokenizer(
  connection: ServerConnection,
  tokenizer: Tokenizer,
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const tokens = selectPlainTextTokens(tokenizer);
  if (tokens.length === 0) return;
  const answer = await withResponseTimeLimit(connection, { ms: describeTimeoutMs, signal }, (within) =>
    connection.post("/detokenize", { tokens }, { signal: within }),
  );
  const theirs = parseDetokenized(answer);
  const ours = tokenizer.decode(tokens);
  // Some tokenizers leave out a space before a whole text.
  if (ours.trimStart() === theirs.trimStart()) return;
  throw new RemoteEngineError(
    "tokenizer",
    `The server's model and the tokenizer in ${folder} belong to different models: the same token stands for different texts. Give the folder of the model that the server runs.`,
  );
}

/** Undefined for whole rows. @throws RemoteEngineError for a number that is too small or not whole */
function listedTokensOf(
  { listed }: RemoteAccess,
  { vocabularySize }: LlamaServerDescription,
): number | undefined {
  if (listed === undefined) return vocabularySize > largestWholeRow ? listedByDefault : undefined;
  if (Number.isSafeInteger(listed) && listed >= fewestListed) return Math.min(listed, vocabularySize);
  throw new RemoteEngineError(
    "address",
    `The option "listed" is ${listed}, but the number of tokens to request for each step must be a whole number of at least ${fewestListed}.`,
  );
}
