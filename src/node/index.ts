/** `midtoken/node`: an engine in Node, and tests of mods for `npx midtoken test`. */
export type {
  ModExpectations,
  ModTestAnswer,
  ModTestCase,
  ModTests,
} from "./cli/mod-tests.ts";
export { createNodeEngine, type NodeEngineOptions } from "./create-node-engine.ts";
export { modelOf } from "./model-of.ts";
export { type NodeSessionOptions, nodeSessionOptions } from "./node-session.ts";
