/** Sessions with scripted models, whose engine and mods run in the test's process. */
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import { inProcessTransport } from "../../runtime/session/connection/in-process-transport.ts";
import { createYield } from "../../runtime/session/connection/yield-control.ts";
import type { SessionOptions } from "../../runtime/session/page-side/client.ts";
import { createInProcessCompiler, createInProcessSandboxPool } from "./in-process-mods.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export function scriptedSessionOptions(models: readonly ScriptedModel[]): SessionOptions {
  return {
    openTransport: () =>
      inProcessTransport({
        loadModel: async ({ id }) => modelNamed(models, id).open(),
        turn: createTurn(),
        now: () => performance.now(),
        date: () => Date.now(),
      }),
    createSandboxes: createInProcessSandboxPool,
    startCompiler: createInProcessCompiler,
  };
}

/** A reference for engines. Nothing is fetched from its address. */
export function scriptedReference({ id }: ScriptedModel): ModelReference {
  return { id, url: "scripted:/", revision: null, dtype: { webgpu: "fp32", wasm: "fp32" } };
}

function modelNamed(models: readonly ScriptedModel[], id: string): ScriptedModel {
  const found = models.find((model) => model.id === id);
  if (found) return found;
  const names = models.map((model) => model.id).join(", ");
  throw new Error(
    `The test engine has no model "${id}". It has ${names}: give createTestEngine what is to be loaded.`,
  );
}

/** Not a MessageChannel in Node, because an open channel would keep the process running. */
function createTurn(): () => Promise<void> {
  return typeof setImmediate === "function"
    ? () => new Promise((resolve) => setImmediate(resolve))
    : createYield();
}
