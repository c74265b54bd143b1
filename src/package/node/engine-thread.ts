/** The program of the thread that runs models in Node, like session/connection/engine-worker.ts in a browser. */
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import { createFetchWithAccess } from "../../runtime/engine/download/hub-access.ts";
import type { ModelSource } from "../../runtime/engine/files/model-source.ts";
import { createUrlSource } from "../../runtime/engine/files/url-source.ts";
import type { LoadOptions, ModelBundle } from "../../runtime/engine/load/load-model.ts";
import { loadModel } from "../../runtime/engine/load/load-model.ts";
import { serverAddress } from "../../runtime/remote/connection.ts";
import { loadRemoteModel } from "../../runtime/remote/load-remote-model.ts";
import { UpstreamMeter } from "../../runtime/remote/upstream-meter.ts";
import { serveEngine } from "../../runtime/session/connection/serve-engine.ts";
import { createDiskStore } from "./disk-store.ts";
import type { EngineThreadData, ThreadNotice } from "./engine-thread-data.ts";
import { createFolderSource } from "./folder-source.ts";
import { createHttpExchange } from "./http-exchange.ts";
import { createRecordBatcher } from "./record-batcher.ts";

const { cacheFolder, hubAccess, remote } = workerData as EngineThreadData;
const fetch = createFetchWithAccess(hubAccess);
const store = cacheFolder === null ? null : createDiskStore(cacheFolder);

function onNotice(notice: string): void {
  parentPort?.postMessage({ type: "notice", notice } satisfies ThreadNotice);
}

function sourceOf(url: string): ModelSource {
  if (url.startsWith("file:")) return createFolderSource(fileURLToPath(url));
  return createUrlSource(url, { store, onNotice, fetch });
}

const exchange = createHttpExchange();
const meter = new UpstreamMeter();

/** Milliseconds between two messages with the counts of requests to model servers. */
const countsMs = 500;
if (remote) {
  let last = "";
  setInterval(() => {
    const { counts } = meter;
    const now = JSON.stringify(counts);
    if (now === last) return;
    last = now;
    parentPort?.postMessage({ type: "upstream", counts } satisfies ThreadNotice);
  }, countsMs).unref();
}

/** Loads a model whose passes run on the server with which this thread was started. @throws Error for another server */
function loadFromServer(reference: ModelReference, options: LoadOptions): Promise<ModelBundle> {
  if (!remote || serverAddress(remote.url) !== reference.server)
    throw new Error(
      `The model ${reference.id} runs on a server to which this engine has no access. Create the engine with that server as \`remote\`.`,
    );
  return loadRemoteModel(reference, {
    source: sourceOf(reference.url),
    access: remote,
    exchange,
    onNotice,
    onFault: onNotice,
    meter,
    ...options,
  });
}

type EnginePort = Parameters<typeof serveEngine>[0];
const port = parentPort as unknown as EnginePort;
/** Only for models on a server: a pass of a model in this thread may never end, and records that wait for the end of a turn would then never be sent. */
const gathering: EnginePort = {
  postMessage: createRecordBatcher((message, transfer) =>
    parentPort?.postMessage(message, transfer as never),
  ),
  addEventListener: port.addEventListener.bind(port),
};
serveEngine(remote === null ? port : gathering, {
  // Node has no WebGPU of its own, so "auto" is WebAssembly.
  loadModel: async (reference, device, options = {}) =>
    reference.server === undefined
      ? loadModel(reference, device === "auto" ? "wasm" : device, {
          source: sourceOf(reference.url),
          ...options,
        })
      : loadFromServer(reference, options),
  // Node reads hundreds of messages of one port before it looks at another one, unless it gets a turn of its loop.
  turn: () => new Promise((resolve) => setImmediate(resolve)),
  // An uncaught exception ends the thread, and the session reports the error.
  reportBug(error) {
    setImmediate(() => {
      throw error;
    });
  },
});
