/** An engine for tests: the real engine with scripted models, in the test's own process. */

import { checkOptionKeys, type OptionKeys } from "../../core/base/known-keys.ts";
import type { Mod } from "../../core/sdk/mod.ts";
import { createEngine, type EngineOptions } from "../api/create-engine.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { scriptedReference, scriptedSessionOptions } from "./scripted-session.ts";

export interface TestEngineOptions extends Pick<EngineOptions, "keepRequests" | "viewer"> {
  /** The models; all are loaded when the engine is returned. */
  readonly models: ScriptedModel | readonly ScriptedModel[];
  /** Mods to register, by name. They run in the test's own process, and so do sources that are registered later. */
  readonly mods?: Readonly<Record<string, Mod>>;
}

const optionKeys: OptionKeys<TestEngineOptions> = {
  models: true,
  mods: true,
  keepRequests: true,
  viewer: true,
};

/**
 * @example
 * const engine = await createTestEngine({ models: createScriptedModel({ script: "Hello there." }) });
 * const answer = await engine.chat.completions.create({ model: "scripted", messages });
 *
 * Rejects with an ApiError if a mod's name cannot be part of a model string.
 */
export async function createTestEngine({
  models,
  mods = {},
  ...options
}: TestEngineOptions): Promise<MidtokenEngine> {
  checkOptionKeys("createTestEngine", { models, mods, ...options }, optionKeys);
  const list = Array.isArray(models) ? (models as readonly ScriptedModel[]) : [models as ScriptedModel];
  const engine = await createEngine({ ...options, session: scriptedSessionOptions(list) });
  for (const [name, mod] of Object.entries(mods)) engine.mods.registerTrusted(mod, { name });
  for (const model of list) await engine.models.load(scriptedReference(model));
  return engine;
}
