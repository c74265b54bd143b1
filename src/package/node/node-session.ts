/** The parts of a session in Node: the engine and the compiler in threads of their own, mods in QuickJS. */
import { compileThread } from "virtual:node-programs";
import { type HubToken, readHubToken } from "../../core/base/hub-token.ts";
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
  /** Where downloaded files of models are kept: the user's cache unless given, and nowhere for null. */
  readonly cacheFolder?: string | null;
  /** For gated and private models: an access token of the hub, which only the hub's own origin is sent. */
  readonly hubToken?: HubToken;
  /** A llama.cpp server that runs the model, and its key. Only models whose reference names this server run there. */
  readonly remote?: RemoteAccess;
  /** Told what a user should know and nothing failed of, in a sentence. */
  readonly onNotice?: (notice: string) => void;
  /** Told what the servers of `remote` have done since the engine began, twice a second at most. */
  readonly onUpstream?: (counts: UpstreamCounts) => void;
}

/** Everything of `SessionOptions` for which a browser has something of its own. */
export function nodeSessionOptions({
  cacheFolder = defaultCacheFolder(),
  onNotice = () => {},
  hubToken,
  remote,
  onUpstream = () => {},
}: NodeSessionOptions = {}): Required<
  Pick<SessionOptions, "openTransport" | "createSandboxes" | "startCompiler">
> {
  const hubAccess = hubToken === undefined ? null : readHubToken(hubToken);
  return {
    openTransport: () =>
      withPatience(
        openEngineThread({ cacheFolder, hubAccess, remote: remote ?? null, onNotice, onUpstream }),
      ),
    createSandboxes: () => createQuickJsPool(),
    startCompiler: () =>
      threadConnection(
        startThread(compileThread, { resourceLimits: { maxOldGenerationSizeMb: compilerHeap } }),
      ),
  };
}

/** QuickJS interprets what a browser compiles, some twenty times slower: so long a mod may take where its request says nothing. */
export const nodeDeadlines: Deadlines = { load: 20_000, prefilled: 20_000, event: 5_000 };

/** Megabytes of the compiler's thread. The largest source, of a million characters, is estimated to take 300 within its 1.5 s. */
const compilerHeap = 768;

function withPatience(transport: EngineTransport): EngineTransport {
  const post = transport.post.bind(transport);
  transport.post = (message, transfer) => {
    if (message.type !== "run" && message.type !== "verify") return post(message, transfer);
    const deadlines = { ...nodeDeadlines, ...message.request.deadlines };
    post({ ...message, request: { ...message.request, deadlines } } as PageMessage, transfer);
  };
  return transport;
}
