/** A call that loads a model. */
import type { LoadedModel, LoadOptions } from "../shared/loading.ts";
import type { PageMessage } from "../shared/protocol.ts";
import type { WorkerCall } from "./worker-calls.ts";

/** The model and the device that the user asked for. */
export type WantedModel = Pick<
  Extract<PageMessage, { type: "load" }>,
  "model" | "device" | "files" | "openLayers"
>;

const cancelText = "Loading was cancelled.";

export function createLoadCall(
  id: number,
  wanted: WantedModel,
  options: LoadOptions,
): WorkerCall<LoadedModel> {
  const { model, device, files, openLayers } = wanted;
  return {
    message: {
      type: "load",
      id,
      model,
      device,
      ...(files && { files }),
      ...(openLayers && { openLayers }),
    },
    signal: options.signal,
    cancelText,
    cancelMessage: { type: "cancelLoad", id },
    isRepeated: true,
    staysOpen: true,
    receive(reply) {
      switch (reply.type) {
        case "loadStarted":
          options.onStart?.();
          return undefined;
        case "progress":
          options.onProgress(reply.progress);
          return undefined;
        case "loaded":
          return reply.model;
        case "loadFailed":
          throw reply.cancelled ? new DOMException(cancelText, "AbortError") : new Error(reply.message);
      }
      return undefined;
    },
  };
}
