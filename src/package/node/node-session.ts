/** The parts of a session in Node: engine and compiler in threads, mods in QuickJS. */
import { compileThread } from "virtual:node-programs";
import { type HubToken, parseHubToken } from "../../core/base/hub-token.ts";
import { checkOptionKeys, type OptionKeys, refuseUnknownKeys } from "../../core/base/known-keys.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";
import type { RemoteAccess } from "../../runtime/remote/connection.ts";
import type { UpstreamCounts } from "../../runtime/remote/upstream-meter.ts";
import type { SessionOptions } from "../../runtime/session/page-side/client.ts";
import type { PageMessage } from "../../runtime/session/shared/protocol.ts";
import type { Deadlines } from "../../runtime/session/shared/request-limits.ts";
import type { EngineTransport } from "../../runtime/session/shared/transport.ts";
import { defaultCacheFolder } from "./disk-store.ts";
import { openEngineThread } from "./open-engine-thread.ts";
import { createQuickJsPool } from "./quickjs/quickjs-pool.ts";
import { startThread, threadConnection } from "./threads.ts";

export interface NodeSessionOptions {
  /** The folder for downloaded files of models; by default the user's cache folder, null for none. */
  readonly cacheFolder?: string | null;
  /** An access token of the hub, for gated and private models. It is sent only to the hub's own origin. */
  readonly hubToken?: HubToken;
  /** A llama.cpp, vLLM or SGLang server that runs the model, and its key. Only models whose reference names this server run there. */
  readonly remote?: RemoteAccess;
  /** Called with a sentence for the user about a problem that made nothing fail. */
  readonly onNotice?: (notice: string) => void;
  /** Called with the counts of requests to the servers of `remote` since the engine began, at most twice a second. */
  readonly onUpstream?: (counts: UpstreamCounts) => void;
}

const optionKeys: OptionKeys<NodeSessionOptions> = {
  cacheFolder: true,
  hubToken: true,
  remote: true,
  onNotice: true,
  onUpstream: true,
};

/** Replaces everything in `SessionOptions` for which a browser has its own functions. */
export function nodeSessionOptions(
  options: NodeSessionOptions = {},
): Required<Pick<SessionOptions, "openTransport" | "createSandboxes" | "startCompiler">> {
  checkOptionKeys("nodeSessionOptions", options, optionKeys);
  const { cacheFolder = defaultCacheFolder(), hubToken, remote } = options;
  const { onNotice = () => {}, onUpstream = () => {} } = options;
  if (remote) checkRemoteKeys("nodeSessionOptions", remote);
  const hubAccess = hubToken === undefined ? null : parseHubToken(hubToken);
  return {
    openTransport: () =>
      withPatience(
        openEngineThread({ cacheFolder, hubAccess, remote: remote ?? null, onNotice, onUpstream }),
      ),
    createSandboxes: () => createQuickJsPool(),
    startCompiler: () => startCompilerThread(),
  };
}

const remoteKeys: OptionKeys<RemoteAccess> = {
  url: true,
  key: true,
  replicas: true,
  listed: true,
  stream: true,
  serverDraws: true,
  acceptRamCache: true,
  priority: true,
};

/** @throws TypeError for an unknown key. `what`: the function that is called. */
export function checkRemoteKeys(what: string, remote: RemoteAccess): void {
  const refuse = (message: string) => new TypeError(`${what}: ${message}`);
  refuseUnknownKeys(remote, Object.keys(remoteKeys), "remote", refuse);
}

/** Deadlines for requests that set none. QuickJS interprets code that a browser compiles, and is about twenty times slower. */
export const nodeDeadlines: Deadlines = { load: 20_000, prefilled: 20_000, event: 5_000 };

/** Megabytes of heap for the compiler's thread. The largest source, with a million characters, is estimated to need 300 within its 1.5 s. */
const compilerHeap = 768;

export function startCompilerThread(heapMb: number = compilerHeap): WorkerConnection {
  return threadConnection(startThread(compileThread, { resourceLimits: { maxOldGenerationSizeMb: heapMb } }));
}

function withPatience(transport: EngineTransport): EngineTransport {
  const post = transport.post.bind(transport);
  transport.post = (message, transfer) => {
    if (message.type !== "run" && message.type !== "verify") return post(message, transfer);
    const deadlines = { ...nodeDeadlines, ...message.request.deadlines };
    post({ ...message, request: { ...message.request, deadlines } } as PageMessage, transfer);
  };
  return transport;
}
