/** A call that reads a model's layers at places of a text. */
import type { LayersQuery, PlaceReading } from "../../../core/decoder/activations/layers-query.ts";
import { RequestRefusedError } from "../shared/refusal.ts";
import type { LayersReadingWithTexts, ReadLayersOptions } from "./layers.ts";
import type { WorkerCall } from "./worker-calls.ts";

export function createReadLayersCall(
  id: number,
  query: LayersQuery,
  options: ReadLayersOptions,
): WorkerCall<LayersReadingWithTexts> {
  const places: PlaceReading[] = [];
  return {
    message: { type: "readLayers", id, query },
    signal: options.signal,
    cancelText: "Reading the layers was cancelled.",
    cancelMessage: { type: "cancelReading", id },
    // A new worker would first have to load the model and open its layers again.
    isRepeated: false,
    staysOpen: false,
    onOpening: (opening) => options.onOpening?.(opening),
    receive(reply) {
      switch (reply.type) {
        case "placeRead":
          places.push(reply.place);
          options.onPlace?.(reply.place);
          return undefined;
        case "layersRead":
          return { ...reply.sizes, places, texts: reply.texts };
        case "readingFailed": {
          const { message, refusal } = reply;
          throw refusal ? new RequestRefusedError(message, refusal) : new Error(message);
        }
      }
      return undefined;
    },
  };
}
