/** The page's end of readings of a model's layers: which are open, what has come of each, and who waits for it. */
import type {
  LayersQuery,
  LayersReading,
  PlaceReading,
} from "../../core/decoder/activations/layers-query.ts";
import type { TokenId } from "../../core/sdk/request.ts";
import type { LayersOpening } from "./load-options.ts";
import type { EngineMessage, PageMessage } from "./protocol.ts";
import { RequestRefusedError } from "./refusal.ts";

export interface ReadLayersOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with each place once it is read, in their order. */
  onPlace?(place: PlaceReading): void;
  /** The model's layers are opened for it; null: they are open, or will not be. Not called where they are already. */
  onOpening?(opening: LayersOpening | null): void;
}

/** With the texts of the tokens that layers would say, by their ids. */
export interface NamedReading extends LayersReading {
  readonly texts: ReadonlyMap<TokenId, string>;
}

interface Reading extends ReadLayersOptions {
  readonly places: PlaceReading[];
  resolve(reading: NamedReading): void;
  reject(error: Error): void;
}

type ReadingMessage = Extract<EngineMessage, { type: "placeRead" | "layersRead" | "readingFailed" }>;

export class LinkReadings {
  readonly #post: (message: PageMessage) => void;
  readonly #open = new Map<number, Reading>();

  constructor(post: (message: PageMessage) => void) {
    this.#post = post;
  }

  get count(): number {
    return this.#open.size;
  }

  /** @param onCancel called when it was cancelled before its end. Rejects with an AbortError then. */
  async read(
    id: number,
    query: LayersQuery,
    options: ReadLayersOptions,
    onCancel: () => void,
  ): Promise<NamedReading> {
    const { signal } = options;
    const cancel = () => {
      this.#post({ type: "cancelReading", id });
      onCancel();
      this.fail(id, new DOMException("Reading the layers was cancelled.", "AbortError"));
    };
    const reading = new Promise<NamedReading>((resolve, reject) => {
      signal?.throwIfAborted();
      this.#open.set(id, { ...options, places: [], resolve, reject });
      signal?.addEventListener("abort", cancel);
      this.#post({ type: "readLayers", id, query });
    });
    return reading.finally(() => signal?.removeEventListener("abort", cancel));
  }

  tellOpening(id: number, opening: LayersOpening | null): void {
    this.#open.get(id)?.onOpening?.(opening);
  }

  receive(message: ReadingMessage): void {
    const reading = this.#open.get(message.id);
    if (!reading) return;
    switch (message.type) {
      case "placeRead":
        reading.places.push(message.place);
        reading.onPlace?.(message.place);
        return;
      case "layersRead":
        this.#open.delete(message.id);
        reading.resolve({ ...message.sizes, places: reading.places, texts: message.texts });
        return;
      case "readingFailed": {
        const { refusal } = message;
        this.fail(
          message.id,
          refusal ? new RequestRefusedError(message.message, refusal) : new Error(message.message),
        );
        return;
      }
    }
  }

  fail(id: number, error: Error): void {
    this.#open.get(id)?.reject(error);
    this.#open.delete(id);
  }

  failAll(error: Error): void {
    for (const id of [...this.#open.keys()]) this.fail(id, error);
  }
}
