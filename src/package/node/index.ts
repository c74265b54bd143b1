/** `midtoken/node`: an engine in Node, whether a model runs there, and tests of mods for `npx midtoken test`. */

export type { RemoteAccess } from "../../runtime/remote/connection.ts";
export { canRunInNode, type NodeCanRunOptions } from "./can-run-in-node.ts";
export type {
  ModExpectations,
  ModTestAnswer,
  ModTestCase,
  ModTests,
} from "./cli/mod-tests.ts";
export { createNodeEngine, type NodeEngineOptions } from "./create-node-engine.ts";
export { modelOf } from "./model-of.ts";
export { type NodeSessionOptions, nodeSessionOptions } from "./node-session.ts";
export { type OpenStoreOptions, openStore } from "./store/open-store.ts";
