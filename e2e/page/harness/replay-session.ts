/** A session that replays a recorded run at a given pace: for looking at the page while nothing else runs. Never shipped. */

import type { TraceRecord } from "../../../src/core/trace/format/format.ts";
import type { RunHandle, Session } from "../../../src/runtime/session/page-side/client.ts";
import type { LoadedModel } from "../../../src/runtime/session/shared/loading.ts";

const loaded: LoadedModel = {
  id: "models/stories260k",
  device: "wasm",
  file: "onnx/model.onnx",
  adapter: "",
  reason: "WebAssembly: this browser offers no WebGPU adapter.",
  vocabularySize: 512,
  capacity: 512,
  chatTemplate: true,
  toolCalls: { format: "plain", markers: {} },
  thinking: null,
  bytes: 1_100_000,
};

/** `everyMs` is the pause between tokens. */
export function replaySession(records: readonly TraceRecord[], everyMs: number): Session {
  return {
    async loadModel(_reference, _device, { onProgress }) {
      for (let done = 0; done <= 10; done += 1) {
        onProgress({
          stage: "download",
          file: "onnx/model.onnx",
          loadedBytes: done * 110_000,
          totalBytes: 1_100_000,
          fromCache: false,
        });
        await pause(20);
      }
      return loaded;
    },
    run(_request, onRecords): RunHandle {
      let state: "running" | "paused" | "stopped" = "running";
      let steps = 0;
      const play = async () => {
        for (const record of records) {
          while (state === "paused" && steps === 0) await pause(20);
          if (state === "stopped" && record.type !== "finished") continue;
          onRecords([record]);
          if (record.type !== "added") continue;
          steps = Math.max(0, steps - 1);
          if (state === "running") await pause(everyMs);
        }
      };
      return {
        done: play(),
        stop() {
          state = "stopped";
        },
        pause() {
          state = "paused";
        },
        resume() {
          state = "running";
        },
        stepOnce() {
          steps += 1;
        },
        stepEvent() {
          steps += 1;
        },
        setBreakpoints() {},
      };
    },
    verify: () => Promise.reject(new Error("This session has no sandboxes to verify in.")),
    readLayers: () => Promise.reject(new Error("A recorded run has no layers to read.")),
    tokenizePrompt: async ({ messages }) =>
      messages.flatMap(({ content }) =>
        String(content)
          .split(/(?= )/)
          .map((text, token) => ({ token, text })),
      ),
    compileProblems: async () => [],
    exportedNames: async () => [],
    removesText: async () => false,
    keepReady() {},
    onModelGone: () => () => {},
    onMemory: () => () => {},
    setMemoryBudget() {},
    setHubAccess() {},
    setServerAccess() {},
    onNotice: () => () => {},
    release: () => false,
    dispose() {},
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
