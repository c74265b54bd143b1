/** The parts of an engine in Node, in this process, with the bundled story model. */
import { loadModel } from "../../engine/load-model.ts";
import type { ModelHub } from "../../engine/testing/model-hub.ts";
import { startCompileThread } from "../../sandbox/testing/compile-thread.ts";
import type { SessionOptions } from "../../session/client.ts";
import { inProcessTransport } from "../../session/in-process-transport.ts";
import { turn } from "../../session/testing/engine-thread.ts";
import { noSandboxes } from "../../session/testing/no-sandboxes.ts";

export const storyModel = "midtoken/stories260k";

export const storySession: SessionOptions = {
  openTransport: () => inProcessTransport({ loadModel, turn, now: () => performance.now(), date: () => 0 }),
  createSandboxes: noSandboxes,
  startCompiler: () => startCompileThread().worker,
};

export const storyReference = (hub: ModelHub) => ({
  ...{ id: storyModel, url: hub.url(storyModel), revision: null },
  dtype: { webgpu: "fp32", wasm: "fp32" },
});
