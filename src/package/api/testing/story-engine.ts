/** Creates the parts of an engine in this Node process, with the bundled story model. */
import { loadModel } from "../../../runtime/engine/load/load-model.ts";
import type { ModelHub } from "../../../runtime/engine/testing/model-hub.ts";
import { startCompileThread } from "../../../runtime/sandbox/testing/compile-thread.ts";
import { inProcessTransport } from "../../../runtime/session/connection/in-process-transport.ts";
import type { SessionOptions } from "../../../runtime/session/page-side/client.ts";
import { nextEventLoopTurn } from "../../../runtime/session/testing/engine-thread.ts";
import { createEmptySandboxPool } from "../../../runtime/session/testing/no-sandboxes.ts";

export const storyModel = "midtoken/stories260k";

export const storySessionOptions: SessionOptions = {
  openTransport: () =>
    inProcessTransport({ loadModel, turn: nextEventLoopTurn, now: () => performance.now(), date: () => 0 }),
  createSandboxes: createEmptySandboxPool,
  startCompiler: () => startCompileThread().worker,
};

export const storyReference = (hub: ModelHub) => ({
  id: storyModel,
  url: hub.url(storyModel),
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
});
