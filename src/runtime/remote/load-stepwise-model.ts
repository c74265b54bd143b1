/** Loads a model that runs on vLLM or SGLang servers. */
import { isRecord } from "../../core/base/record.ts";
import type { ModelReference } from "../engine/base/model-reference.ts";
import { readConfig } from "../engine/files/files.ts";
import type { ModelSource } from "../engine/files/model-source.ts";
import { type LoadOptions, loadBundleWithoutWeights, type ModelBundle } from "../engine/load/load-model.ts";
import type { RemoteAccess, ServerConnection } from "./connection.ts";
import type { EngineDialect } from "./dialect.ts";
import { fetchServedModel, type ServedModel } from "./engine-kind.ts";
import { fileName, toPrintableAscii } from "./parse-responses.ts";
import { type ProbeResult, probeEngine } from "./probe.ts";
import { selectPlainTextTokens } from "./readable-tokens.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { Replica } from "./replica.ts";
import { Replicas } from "./replicas.ts";
import { createServedModelBundle } from "./server-bundle.ts";
import { StepwiseModel } from "./stepwise-model.ts";
import type { UpstreamMeter } from "./upstream-meter.ts";
import { describeTimeoutMs, probeTimeoutMs, withResponseTimeLimit } from "./within-limit.ts";

/** Servers, and the model that each of them serves. */
export interface ServerWithModel {
  readonly connection: ServerConnection;
  readonly served: ServedModel;
}

export interface StepwiseLoadOptions extends Pick<LoadOptions, "signal" | "aroundTokenizer"> {
  readonly source: ModelSource;
  readonly access: Pick<RemoteAccess, "listed" | "stream" | "serverDraws" | "priority">;
  readonly onNotice?: ((notice: string) => void) | undefined;
  readonly onFault?: ((message: string) => void) | undefined;
  readonly meter?: UpstreamMeter | undefined;
  /** Servers that did not answer. They are asked again before they get conversations. */
  readonly away?: readonly ServerConnection[];
}

/** Requests that a server without slots gets at once. */
const conversationsOfServer = 64;
const listedByDefault = 64;

/** @throws as `loadRemoteModel` */
export async function loadStepwiseModel(
  reference: ModelReference,
  servers: readonly ServerWithModel[],
  options: StepwiseLoadOptions,
): Promise<ModelBundle> {
  const { source, access, aroundTokenizer, signal, onNotice = () => {}, onFault, meter, away = [] } = options;
  const { stream, serverDraws, priority } = access;
  const vocabularySize = vocabularySizeOf(await readConfig(source, { signal }), source.address);
  const text = await loadBundleWithoutWeights(reference, vocabularySize, { source, signal, aroundTokenizer });
  const { endOfSequence, ...parts } = text;
  const endToken = endOfSequence[0];
  const folder = source.address;
  const probe = ({ connection, served }: ServerWithModel, until?: AbortSignal): Promise<ProbeResult> =>
    withResponseTimeLimit(connection, { ms: probeTimeoutMs, signal: until }, async (within) => {
      const about = { served, vocabularySize, endToken, priority, stream, signal: within };
      const probed = await probeEngine(connection, about);
      await checkTokenizer(connection, { served, tokenizer: text.tokenizer, folder, signal: within });
      return probed;
    });
  const probed = await Promise.all(servers.map((server) => probe(server, signal)));
  const { dialect } = probed.reduce((least, each) =>
    each.dialect.mostListed < least.dialect.mostListed ? each : least,
  );
  const listedTokens = listedTokensOf(access.listed, dialect, onNotice);
  const streamProblem = probed.find((each) => each.streamProblem !== null)?.streamProblem ?? null;
  if (streamProblem !== null)
    onNotice(
      `Streaming does not work with this ${dialect.name} server, so each step is a separate request, which is slower. ${streamProblem}`,
    );
  const contextLength = Math.min(...probed.map((each) => each.contextLength));
  const replicaOf = (connection: ServerConnection, slots: number | null): Replica => {
    // A check after a failure does not end with the signal of the load.
    const check = async (): Promise<void> => {
      const served = await withResponseTimeLimit(connection, { ms: describeTimeoutMs }, (within) =>
        fetchServedModel(connection, within),
      );
      await probe({ connection, served });
    };
    return new Replica({ connection, slots, check });
  };
  const known = servers.map(({ connection }) => replicaOf(connection, 0));
  const late = away.map((connection) => replicaOf(connection, null));
  const replicas = new Replicas([...known, ...late], meter, onFault);
  const startConversation = () =>
    new StepwiseModel(replicas, {
      dialect,
      contextLength,
      endOfSequence,
      listedTokens,
      stream: stream !== false && streamProblem === null,
      serverDraws,
      onNotice,
    });
  return createServedModelBundle(reference, parts, startConversation, {
    file: fileName(servers[0]?.served.id ?? ""),
    adapter: `${dialect.name} ${toPrintableAscii(dialect.version, 60)}`.trim(),
    conversations: (servers.length + away.length) * conversationsOfServer,
  });
}

/** @throws RemoteEngineError if config.json does not tell it */
function vocabularySizeOf(config: Readonly<Record<string, unknown>>, folder: string): number {
  const inner = isRecord(config.text_config) ? config.text_config : {};
  const size = config.vocab_size ?? inner.vocab_size;
  if (Number.isSafeInteger(size) && (size as number) > 1) return size as number;
  throw new RemoteEngineError(
    "tokenizer",
    `config.json in ${folder} has no vocab_size, and vLLM and SGLang do not report the size. Give the folder of the model that the server runs.`,
  );
}

/** @throws RemoteEngineError for a number that the server does not list */
function listedTokensOf(
  asked: number | undefined,
  { name, mostListed }: EngineDialect,
  onNotice: (notice: string) => void,
): number {
  if (asked !== undefined && (!Number.isSafeInteger(asked) || asked < 1 || asked > mostListed))
    throw new RemoteEngineError(
      "address",
      `The option "listed" is ${asked}, but it must be a whole number from 1 to ${mostListed}, the most tokens that this server lists for each step. ${howToListMore(name)}`,
    );
  if (asked === undefined && mostListed < listedByDefault)
    onNotice(`The server lists at most ${mostListed} tokens per step. ${howToListMore(name)}`);
  return asked ?? Math.min(listedByDefault, mostListed);
}

const howToListMore = (name: string): string =>
  name === "vLLM" ? "Start vLLM with --max-logprobs 1024 for more." : "";

interface TokenizerCheck {
  readonly served: ServedModel;
  readonly tokenizer: Parameters<typeof selectPlainTextTokens>[0];
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Ids are what both sides share: each has to mean the same text. @throws RemoteEngineError */
async function checkTokenizer(connection: ServerConnection, check: TokenizerCheck): Promise<void> {
  const { served, tokenizer, folder, signal } = check;
  const tokens = selectPlainTextTokens(tokenizer);
  if (tokens.length === 0) return;
  const answer = await connection.post("/detokenize", { model: served.id, tokens }, { signal });
  const field = served.kind === "vLLM" ? "prompt" : "text";
  const theirs = isRecord(answer) ? answer[field] : undefined;
  if (typeof theirs !== "string")
    throw new RemoteEngineError(
      "shape",
      `The response from ${served.kind} to /detokenize was not understood: ${field} is not a string. Run \`npm run remote -- check URL\` and report its output.`,
    );
  if (tokenizer.decode(tokens).trimStart() === theirs.trimStart()) return;
  throw new RemoteEngineError(
    "tokenizer",
    `The server's model and the tokenizer in ${folder} belong to different models: the same token stands for different texts. Give the folder of the model that the server runs.`,
  );
}
