/** Creates an engine in Node, with the same models, mods and calls as in a browser, on WebAssembly. */
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { checkOptionKeys, type OptionKeys } from "../../core/base/known-keys.ts";
import { createEngine, type EngineOptions } from "../api/create-engine.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { modelOf, referenceOnServer } from "./model-of.ts";
import { checkRemoteKeys, type NodeSessionOptions, nodeSessionOptions } from "./node-session.ts";

export interface NodeEngineOptions
  extends Pick<
      EngineOptions,
      | "model"
      | "dtype"
      | "device"
      | "openLayers"
      | "onProgress"
      | "signal"
      | "memoryBudget"
      | "keepRequests"
      | "viewer"
      | "store"
    >,
    NodeSessionOptions {}

const optionKeys: OptionKeys<NodeEngineOptions> = {
  model: true,
  dtype: true,
  device: true,
  openLayers: true,
  onProgress: true,
  signal: true,
  memoryBudget: true,
  keepRequests: true,
  viewer: true,
  store: true,
  cacheFolder: true,
  onNotice: true,
  onUpstream: true,
  hubToken: true,
  remote: true,
};

/**
 * `model`: a folder of this machine, the address of one (https://… or file://…), or an id of the hub, `owner/name`, whose
 * files are cached in the user's cache folder. `engine.models.load` accepts the same texts, but a path must begin with `./`,
 * `../` or `/`. Mods run in QuickJS; SECURITY.md says what this protects against.
 *
 * @example
 * const engine = await createNodeEngine({ model: "./models/stories260k" });
 * const answer = await engine.chat.completions.create({
 *   model: "stories260k",
 *   messages: [{ role: "user", content: "Once upon a time" }],
 * });
 *
 * With `remote` the model runs on a server (llama.cpp, vLLM or SGLang), and `model` only provides its tokenizer and chat
 * template. See docs/remote.md.
 *
 * Rejects as `createEngine` does, and with an Error for a folder without a model.
 */
export async function createNodeEngine(options: NodeEngineOptions = {}): Promise<MidtokenEngine> {
  checkOptionKeys("createNodeEngine", options, optionKeys);
  if (options.remote) checkRemoteKeys("createNodeEngine", options.remote);
  if (options.remote && !options.model)
    throw new Error(
      "createNodeEngine with `remote` also needs `model`: the folder, address or hub id of the server's model. Midtoken reads only the tokenizer and the chat template there, not the weights.",
    );
  return openNodeEngine(options);
}

/** Like `createNodeEngine`, also for a server whose model is loaded later with `referenceOnServer`. */
export async function openNodeEngine(options: NodeEngineOptions): Promise<MidtokenEngine> {
  const { cacheFolder, onNotice, onUpstream, hubToken, remote, model, dtype, ...rest } = options;
  const session = nodeSessionOptions({
    ...(cacheFolder !== undefined && { cacheFolder }),
    ...(onNotice && { onNotice }),
    ...(onUpstream && { onUpstream }),
    ...(hubToken !== undefined && { hubToken }),
    ...(remote && { remote }),
  });
  const local = typeof model === "string" ? await modelOf(model, dtype) : model;
  const reference = remote && local ? referenceOnServer(local, remote.url) : local;
  // `engine.models.load("./folder")` is relative to the current folder, as in a page it is relative to the page's address.
  const base = pathToFileURL(join(process.cwd(), sep)).href;
  return createEngine({
    ...rest,
    ...(reference && { model: reference }),
    ...(onNotice && { onNotice }),
    session,
    base,
  });
}
