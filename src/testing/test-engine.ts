/** An engine for tests: the real one, in the test's own process, with scripted models. */
import { createChatCompletions, createTextCompletions } from "../api/completions.ts";
import { LoadedModels } from "../api/loaded-models.ts";
import type { MidtokenEngine } from "../api/midtoken-engine.ts";
import { ModRegistry } from "../api/mod-registry.ts";
import { RequestStore } from "../api/request-store.ts";
import { createStart } from "../api/start-requests.ts";
import type { Mod } from "../sdk/mod.ts";
import type { ScriptedModel } from "./scripted-model.ts";
import { scriptedReference, scriptedSession } from "./scripted-session.ts";

export interface TestEngineOptions {
  /** Loaded when the engine is given. */
  readonly models: ScriptedModel | readonly ScriptedModel[];
  /** Registered by these names: they run in the test's own process, as sources that are registered later do. */
  readonly mods?: Readonly<Record<string, Mod>>;
}

export async function createTestEngine({ models, mods = {} }: TestEngineOptions): Promise<MidtokenEngine> {
  const list = Array.isArray(models) ? (models as readonly ScriptedModel[]) : [models as ScriptedModel];
  const loaded = new LoadedModels(scriptedSession(list), undefined);
  const registry = new ModRegistry(() => loaded.compiler);
  const requests = new RequestStore({ keep: 50, viewer: "https://midtoken.dev/" });
  const start = createStart({ models: loaded, mods: registry, requests });
  for (const [name, mod] of Object.entries(mods)) registry.registerTrusted(mod, { name });
  for (const model of list) await loaded.load(scriptedReference(model));
  return {
    models: loaded,
    mods: registry,
    chat: { completions: createChatCompletions(start) },
    completions: createTextCompletions(start),
    requests,
    dispose: () => loaded.dispose(),
  };
}
