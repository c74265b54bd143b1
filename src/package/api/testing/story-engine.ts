/** Creates the parts of an engine in this Node process, with the bundled story model. */
import { loadModel } from "../../../runtime/engine/load/load-model.ts";
import type { ModelHub } from "../../../runtime/engine/testing/model-hub.ts";
import { startCompileThread } from "../../../runtime/sandbox/testing/compile-thread.ts";
import { inProcessTransport } from "../../../runtime/session/connection/in-process-transport.ts";
import type { SessionOptions } from "../../../runtime/session/page-side/client.ts";
import { turn } from "../../../runtime/session/testing/engine-thread.ts";
import { noSandboxes } from "../../../runtime/session/testing/no-sandboxes.ts";

export const storyModel = "midtoken/stories260k";

export const storySession: SessionOptions = {
  openTransport: () => inProcessTransport({ loadModel, turn, now: () => performance.now(), date: () => 0 }),
  createSandboxes: noSandboxes,
  startCompiler: () => startCompileThread().worker,
};

export const storyReference = (hub: ModelHub) => ({
  id: storyModel,
  url: hub.url(storyModel),
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
});
