/**
 * `midtoken/testing`: a scripted model, and functions that run mods and engines on it, for users' tests. Needs no files, no
 * worker and no browser.
 */
export { ModFailedError, type ModRun, type RunModOptions, runMod } from "./run-mod.ts";
export type { Script, ScriptStep } from "./script.ts";
export {
  createScriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedTurn,
} from "./scripted-model.ts";
export { createTestEngine, type TestEngineOptions } from "./test-engine.ts";
