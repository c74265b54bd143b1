/** Reads a model's activations outside of requests. Each reading waits in the queue and runs between two requests. */
import { messageOf } from "../../../core/base/message-of.ts";
import type { PlaceReading } from "../../../core/decoder/activations/layers-query.ts";
import { readLayers } from "../../../core/decoder/activations/read-layers.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import type { PageMessage } from "../shared/protocol.ts";
import { requestRefusalOf } from "../shared/refusal.ts";
import type { CurrentModel } from "./current-model.ts";
import type { EngineOptions } from "./engine-options.ts";

type ReadMessage = Extract<PageMessage, { type: "readLayers" }>;

export class LayerReadingJobs {
  readonly #options: EngineOptions;
  readonly #model: CurrentModel;
  /** The controllers of readings that run or wait. */
  readonly #controllers = new Map<number, AbortController>();

  constructor(options: EngineOptions, model: CurrentModel) {
    this.#options = options;
    this.#model = model;
  }

  cancel(id: number): void {
    this.#controllers.get(id)?.abort();
  }

  cancelAll(): void {
    for (const controller of this.#controllers.values()) controller.abort();
  }

  /** The work of one reading, for the queue. It can be cancelled from now on. */
  prepare(message: ReadMessage): () => Promise<void> {
    const { send } = this.#options;
    const { id } = message;
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    return async () => {
      send({ type: "began", of: id });
      try {
        controller.signal.throwIfAborted();
        await this.#read(message, controller.signal);
      } catch (error) {
        send({ type: "readingFailed", id, message: messageOf(error), refusal: requestRefusalOf(error) });
      } finally {
        this.#controllers.delete(id);
        send({ type: "ended", of: id });
        // The reading may have filled the KV cache beyond the memory budget.
        await this.#model.fit();
      }
    };
  }

  async #read({ id, query }: ReadMessage, signal: AbortSignal): Promise<void> {
    const { send, now, turn } = this.#options;
    const opened = await this.#model.withLayers(id, signal);
    const beforePass = async () => {
      // Lets the event loop run once, so that a cancel message is received.
      await turn();
      signal.throwIfAborted();
    };
    const { tokenizer } = opened.bundle;
    const texts = new Map<TokenId, string>();
    const onPlace = (place: PlaceReading) => {
      for (const { top } of place.lens)
        for (const token of top.tokens) texts.set(token, tokenizer.tokenText(token));
      send({ type: "placeRead", id, place }, buffersOf(place));
    };
    try {
      const { layerCount, hiddenSize } = await readLayers(opened.kvCache, query, {
        onPlace,
        now,
        beforePass,
      });
      send({ type: "layersRead", id, sizes: { layerCount, hiddenSize }, texts });
    } finally {
      await this.#model.dropIfFailed(opened);
    }
  }
}

/** The arrays of a reading that are moved instead of copied, because nothing else uses them. */
function buffersOf({ hidden, lens }: PlaceReading): ArrayBuffer[] {
  const arrays = [hidden, ...lens.flatMap(({ top }) => [top.tokens, top.logprobs])];
  return arrays.flatMap((array) =>
    array instanceof Float32Array || array instanceof Int32Array ? [array.buffer as ArrayBuffer] : [],
  );
}
