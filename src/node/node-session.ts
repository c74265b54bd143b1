/** What a session needs in Node: the engine on this thread, mods in QuickJS, the compiler in a thread of its own. */
import { fileURLToPath } from "node:url";
import { compileThread } from "virtual:node-programs";
import { fetchWithAccess, type HubToken, readHubToken } from "../engine/hub-access.ts";
import { loadModel } from "../engine/load-model.ts";
import { type ModelSource, urlSource } from "../engine/model-source.ts";
import type { SessionOptions } from "../session/client.ts";
import { inProcessTransport } from "../session/in-process-transport.ts";
import type { PageMessage } from "../session/protocol.ts";
import type { Deadlines } from "../session/request-limits.ts";
import type { EngineTransport } from "../session/transport.ts";
import { defaultCacheFolder, diskStore } from "./disk-store.ts";
import { folderSource } from "./folder-source.ts";
import { createQuickJsPool } from "./quickjs/quickjs-pool.ts";
import { startThread, threadLine } from "./threads.ts";

export interface NodeSessionOptions {
  /** Where downloaded files of models are kept: the user's cache unless given, and nowhere for null. */
  readonly cacheFolder?: string | null;
  /** For gated and private models: an access token of the hub, which only the hub's own origin is sent. */
  readonly hubToken?: HubToken;
  /** Told what a user should know and nothing failed of, in a sentence. */
  readonly onNotice?: (notice: string) => void;
}

/** Everything of `SessionOptions` for which a browser has something of its own. */
export function nodeSessionOptions({
  cacheFolder = defaultCacheFolder(),
  onNotice = () => {},
  hubToken,
}: NodeSessionOptions = {}): Required<
  Pick<SessionOptions, "openTransport" | "createSandboxes" | "startCompiler">
> {
  const store = cacheFolder === null ? null : diskStore(cacheFolder);
  const fetch = fetchWithAccess(hubToken === undefined ? null : readHubToken(hubToken));
  const sourceOf = (url: string): ModelSource =>
    url.startsWith("file:") ? folderSource(fileURLToPath(url)) : urlSource(url, { store, onNotice, fetch });
  return {
    openTransport: () =>
      withPatience(
        inProcessTransport({
          loadModel: (reference, device, options) =>
            // Node has no WebGPU of its own: what is to be chosen is chosen.
            loadModel(reference, device === "auto" ? "wasm" : device, {
              source: sourceOf(reference.url),
              ...options,
            }),
          turn,
          now: () => performance.now(),
          date: () => Date.now(),
        }),
      ),
    createSandboxes: () => createQuickJsPool(),
    startCompiler: () => threadLine(startThread(compileThread)),
  };
}

/** QuickJS interprets what a browser compiles, some twenty times slower: so long a mod may take where its request says nothing. */
export const nodeDeadlines: Deadlines = { load: 20_000, prefilled: 20_000, event: 5_000 };

function withPatience(transport: EngineTransport): EngineTransport {
  const post = transport.post.bind(transport);
  transport.post = (message, transfer) => {
    if (message.type !== "run" && message.type !== "verify") return post(message, transfer);
    const deadlines = { ...nodeDeadlines, ...message.request.deadlines };
    post({ ...message, request: { ...message.request, deadlines } } as PageMessage, transfer);
  };
  return transport;
}

/** `setImmediate`, because Node reads hundreds of messages of one port before it looks at another one. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
