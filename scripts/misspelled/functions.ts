/** The functions of the package that take an object which a user writes: options, tool calls, edits, questions. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseHubToken } from "../../src/core/base/hub-token.ts";
import { checkLayersQuery } from "../../src/core/decoder/activations/check-layers-query.ts";
import { createLogitsProcessor } from "../../src/core/masks/interop/logits-processor.ts";
import { vocabularyFromList } from "../../src/core/masks/interop/vocabulary-from-list.ts";
import { vocabularyFromTokenizer } from "../../src/core/masks/interop/vocabulary-from-tokenizer.ts";
import { jsonSchema } from "../../src/core/masks/strategies/json-schema.ts";
import { type AllActions, createActionBuilders } from "../../src/core/sdk/actions.ts";
import type { EventType } from "../../src/core/sdk/event.ts";
import {
  flow,
  message,
  question,
  selfPrompt,
  selfPromptMod,
  summary,
  tool,
} from "../../src/core/sdk/flow.ts";
import { mod } from "../../src/core/sdk/mod.ts";
import { readModPayload, serializeMod } from "../../src/core/sdk/serialize.ts";
import { chars, choices, list, until } from "../../src/core/sdk/strategies.ts";
import { letterTokenizer } from "../../src/core/sdk/testing/letter-tokenizer.ts";
import { checkCallOptions } from "../../src/package/api/call-options.ts";
import { canRun } from "../../src/package/api/can-run.ts";
import { createEngine } from "../../src/package/api/create-engine.ts";
import { LoadedModels } from "../../src/package/api/loaded-models.ts";
import { ModRegistry } from "../../src/package/api/mod-registry.ts";
import { modelReferenceOf } from "../../src/package/api/model-reference.ts";
import { createReadLayers } from "../../src/package/api/read-layers.ts";
import { storeLimits } from "../../src/package/api/store/engine-store.ts";
import { createFetchHandler } from "../../src/package/http/fetch-handler.ts";
import { serveFromThisTab } from "../../src/package/http/serve-from-this-tab.ts";
import { canRunInNode } from "../../src/package/node/can-run-in-node.ts";
import { createNodeEngine } from "../../src/package/node/create-node-engine.ts";
import { nodeSessionOptions } from "../../src/package/node/node-session.ts";
import { openStore } from "../../src/package/node/store/open-store.ts";
import { runMod } from "../../src/package/testing/run-mod.ts";
import { createScriptedModel } from "../../src/package/testing/scripted-model.ts";
import { createTestEngine } from "../../src/package/testing/test-engine.ts";
import { availableWeights } from "../../src/runtime/session/page-side/available-weights.ts";
import {
  cacheModel,
  repairCachedModel,
  updateCachedModel,
} from "../../src/runtime/session/page-side/cached-models.ts";
import { createSession } from "../../src/runtime/session/page-side/client.ts";
import { findModelServer, findRelay } from "../../src/runtime/session/page-side/model-server.ts";
import { called, type Json, type Place, user } from "./place.ts";
import { sessionPlaces } from "./session.ts";

/** The actions of an event, for objects whose keys the compiler does not know. */
const at = (event: EventType): { readonly [Name in keyof AllActions]: (...given: unknown[]) => unknown } =>
  createActionBuilders({
    event,
    step: 3,
    tokenizer: letterTokenizer,
    activations: { layers: [1], sizes: { layerCount: 2, hiddenSize: 1 } },
  }) as never;
const steering = { layer: 1, vector: [1] };

const actionPlaces: readonly Place[] = [
  { what: "prompt of adjustPrefill", path: "", read: (extra) => at("prefilled").adjustPrefill(extra) },
  {
    what: "message of adjustPrefill",
    path: "messages[0]",
    read: (extra) => at("prefilled").adjustPrefill({ messages: [{ ...user, ...extra }] }),
  },
  {
    what: "options of adjustPrefill",
    path: "",
    read: (extra) => at("prefilled").adjustPrefill("a", extra),
  },
  { what: "edit of logits", path: "", read: (extra) => at("forwardPass").adjustLogits(extra) },
  { what: "options of adjustLogits", path: "", read: (extra) => at("forwardPass").adjustLogits({}, extra) },
  { what: "options of forceTokens", path: "", read: (extra) => at("added").forceTokens("a", extra) },
  { what: "options of backtrack", path: "", read: (extra) => at("added").backtrack(1, "a", extra) },
  { what: "toolCalls", path: "calls[0]", read: (extra) => at("added").toolCalls({ name: "f", ...extra }) },
  {
    what: "toolCalls in OpenAI's form",
    path: "calls[1]",
    read: (extra) => at("added").toolCalls([called, { ...called, ...extra }]),
  },
  {
    what: "function of toolCalls",
    path: "calls[0].function",
    read: (extra) => at("added").toolCalls({ ...called, function: { ...called.function, ...extra } }),
  },
  { what: "steer", path: "", read: (extra) => at("forwardPass").steer({ ...steering, ...extra }) },
  { what: "patch", path: "", read: (extra) => at("forwardPass").patch({ ...steering, ...extra }) },
];

const asked = { prompt: "a", strategy: choices(["b"]) };
const named = () => question({ name: "a", prompt: "a", responses: ["b"] });

const modPlaces: readonly Place[] = [
  { what: "mod", path: "", read: (extra) => mod({ ...extra, added: () => undefined } as never) },
  { what: "options of a mod", path: "", read: (extra) => mod(() => undefined, extra) },
  { what: "flow", path: "", read: (extra) => flow({ ...extra } as never) },
  { what: "asMod", path: "", read: (extra) => flow({ entry: named() }).asMod(extra) },
  {
    what: "question",
    path: "",
    read: (extra) => question({ name: "a", prompt: "a", responses: ["b"], ...extra }),
  },
  { what: "retry", path: "", read: (extra) => named().retry({ times: 1, valid: () => true, ...extra }) },
  { what: "selfPrompt", path: "", read: (extra) => selfPrompt({ ...asked, ...extra }) },
  { what: "selfPromptMod", path: "", read: (extra) => selfPromptMod({ ...asked, ...extra }) },
  { what: "message(…)", path: "", read: (extra) => message("a", extra) },
  { what: "summary(…)", path: "", read: (extra) => summary("a", extra) },
  { what: "tool(…)", path: "calls[0]", read: (extra) => tool({ name: "f", ...extra }) },
  { what: "list of tool(…)", path: "calls[1]", read: (extra) => tool([called, { ...called, ...extra }]) },
  {
    what: "function of tool(…)",
    path: "calls[0].function",
    read: (extra) => tool({ ...called, function: { ...called.function, ...extra } }),
  },
  { what: "jsonSchema", path: "", read: (extra) => jsonSchema({}, extra as never) },
  { what: "chars", path: "", read: (extra) => chars("digits", extra) },
  { what: "list", path: "", read: (extra) => list(choices(["a"]), extra) },
  { what: "until", path: "", read: (extra) => until({ end: "a", ...extra }) },
  { what: "end of until", path: "", read: (extra) => until({ end: { anyOf: "a", ...extra } }) },
  { what: "serializeMod", path: "", read: (extra) => serializeMod("a", { name: "a", ...extra }) },
  {
    what: "payload of a mod",
    path: "",
    read: (extra) => readModPayload({ ...serializeMod("a", { name: "a" }), ...extra }),
  },
];

const vocabulary = vocabularyFromList(["a", null], { eosTokenIds: [1] });
const hubTokenizer = {
  get_vocab: () => new Map([["a", 0]]),
  encode: () => [0],
  eos_token_id: 0,
  _tokenizerJSON: {},
};
const model = createScriptedModel({ script: "a" });
const { tokenizer } = model;

const maskPlaces: readonly Place[] = [
  { what: "vocabularyFromList", path: "", read: (extra) => vocabularyFromList(["a"], extra) },
  {
    what: "vocabularyFromTokenizer",
    path: "",
    read: (extra) => vocabularyFromTokenizer(hubTokenizer, extra),
  },
  {
    what: "createLogitsProcessor",
    path: "",
    read: (extra) => createLogitsProcessor(choices(["a"]), vocabulary, extra),
  },
  { what: "tokenizer.encode", path: "", read: (extra) => tokenizer.encode("a", extra) },
  { what: "tokenizer.decode", path: "", read: (extra) => tokenizer.decode([0], extra) },
];

const registry = new ModRegistry(() => {
  throw new Error("Nothing is compiled.");
});
const file = { name: "a", source: "a" };
const payload = serializeMod("a", { name: "a" });
const reference = {
  id: "a",
  url: "https://example.com/a/",
  revision: null,
  dtype: { webgpu: "auto", wasm: "auto" },
};
const query = { tokens: [0], places: [0] };
const readQuery = (given: Json) =>
  checkLayersQuery({ ...query, ...given }, { vocabularySize: 1, capacity: 1 } as never, {
    layerCount: 1,
    hiddenSize: 1,
  });
const storeFolder = join(mkdtempSync(join(tmpdir(), "midtoken-misspelled-")), "store");

const watched = { signal: AbortSignal.abort(), onProgress: () => undefined };

const enginePlaces: readonly Place[] = [
  { what: "options of a call", path: "", read: (extra) => checkCallOptions(extra) },
  { what: "createEngine", path: "", read: (extra) => createEngine(extra) },
  { what: "createNodeEngine", path: "", read: (extra) => createNodeEngine(extra) },
  {
    what: "remote of createNodeEngine",
    path: "remote",
    read: (extra) => createNodeEngine({ remote: { url: "http://127.0.0.1:1", ...extra } }),
  },
  { what: "nodeSessionOptions", path: "", read: (extra) => nodeSessionOptions(extra) },
  {
    what: "remote of nodeSessionOptions",
    path: "remote",
    read: (extra) => nodeSessionOptions({ remote: { url: "http://127.0.0.1:1", ...extra } }),
  },
  { what: "canRunInNode", path: "", read: (extra) => canRunInNode("./public/models/stories260k", extra) },
  { what: "createSession", path: "", read: (extra) => createSession(extra) },
  { what: "createFetchHandler", path: "", read: (extra) => createFetchHandler({} as never, extra) },
  {
    what: "createScriptedModel",
    path: "",
    read: (extra) => createScriptedModel({ script: "a", ...extra }),
  },
  { what: "runMod", path: "", read: (extra) => runMod([], extra as never) },
  { what: "sampling of runMod", path: "sampling", read: (extra) => runMod([], { model, sampling: extra }) },
  {
    what: "message of runMod",
    path: "prompt[0]",
    read: (extra) => runMod([], { model, prompt: [{ ...user, ...extra }] }),
  },
  { what: "createTestEngine", path: "", read: (extra) => createTestEngine({ models: model, ...extra }) },
  { what: "canRun", path: "", read: (extra) => canRun(reference, extra) },
  { what: "models.load", path: "", read: (extra) => new LoadedModels({}, undefined).load(reference, extra) },
  {
    what: "reference of a model",
    path: "",
    read: (extra) => modelReferenceOf({ ...reference, ...extra }),
  },
  {
    what: "dtype of a reference",
    path: "dtype",
    read: (extra) => modelReferenceOf({ ...reference, dtype: { ...reference.dtype, ...extra } }),
  },
  { what: "mods.register", path: "", read: (extra) => registry.register({ ...file, ...extra }) },
  {
    what: "mods.register of a payload",
    path: "",
    read: (extra) => registry.register({ ...payload, ...extra }),
  },
  { what: "options of mods.register", path: "", read: (extra) => registry.register(file, extra) },
  {
    what: "limits of mods.register",
    path: "limits",
    read: (extra) => registry.register(file, { limits: extra }),
  },
  {
    what: "deadlines of mods.register",
    path: "limits.deadlines",
    read: (extra) => registry.register(file, { limits: { deadlines: extra } }),
  },
  {
    what: "mods.registerTrusted",
    path: "",
    read: (extra) => registry.registerTrusted(mod({ added: () => undefined }), { name: "a", ...extra }),
  },
  {
    what: "serveFromThisTab",
    path: "",
    read: (extra) => serveFromThisTab({} as never, { scriptUrl: "/worker.js", ...extra }),
  },
  { what: "openStore", path: "", read: (extra) => openStore(storeFolder, extra) },
  {
    what: "limits of openStore",
    path: "limits",
    read: (extra) => openStore(storeFolder, { limits: { ...storeLimits, ...extra } }),
  },
  {
    what: "limits of traces of openStore",
    path: "limits.trace",
    read: (extra) =>
      openStore(storeFolder, { limits: { ...storeLimits, trace: { ...storeLimits.trace, ...extra } } }),
  },
  {
    what: "options of readLayers",
    path: "",
    read: (extra) => createReadLayers({} as never)("a", query, extra),
  },
  { what: "query of readLayers", path: "", read: readQuery },
  {
    what: "lens of readLayers",
    path: "lens",
    read: (extra) => readQuery({ lens: { layers: [0], count: 1, tokens: [null], ...extra } }),
  },
  {
    what: "hub token",
    path: "",
    read: (extra) => parseHubToken({ token: "a", origin: "https://a", ...extra }),
  },
  {
    what: "availableWeights",
    path: "",
    read: (extra) => availableWeights(reference, { files: new Map(), ...extra } as never),
  },
  {
    what: "cacheModel",
    path: "",
    read: (extra) => cacheModel({ reference } as never, { ...watched, ...extra }),
  },
  { what: "repairCachedModel", path: "", read: (extra) => repairCachedModel("a", { ...watched, ...extra }) },
  { what: "updateCachedModel", path: "", read: (extra) => updateCachedModel("a", { ...watched, ...extra }) },
  {
    what: "findModelServer",
    path: "",
    read: (extra) => findModelServer({ url: "http://127.0.0.1:1", ...extra }),
  },
  {
    what: "options of findModelServer",
    path: "",
    read: (extra) => findModelServer({ url: "http://127.0.0.1:1" }, extra),
  },
  { what: "findRelay", path: "", read: (extra) => findRelay("http://127.0.0.1:1", extra) },
  {
    what: "steered span of readLayers",
    path: "steered[0]",
    read: (extra) => readQuery({ steered: [{ from: 0, to: 1, vectors: [], patches: [], ...extra }] }),
  },
];

export const functionPlaces: readonly Place[] = [
  ...sessionPlaces,
  ...actionPlaces,
  ...modPlaces,
  ...maskPlaces,
  ...enginePlaces,
];
