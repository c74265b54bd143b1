/** Readings of a model's layers outside of requests, and the progress of opening layers; for `src/package/api`. */
import type { LayersReading, PlaceReading } from "../../../core/decoder/activations/layers-query.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import type { LayersOpening } from "../shared/loading.ts";

export type * from "../../../core/decoder/activations/layers-query.ts";
export type { LayersOpening } from "../shared/loading.ts";

export interface ReadLayersOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with each place after it was read, in order. */
  onPlace?(place: PlaceReading): void;
  /** Called while the model's layers are being opened for the reading, and with null when this has ended. Not called if the layers are open already. */
  onOpening?(opening: LayersOpening | null): void;
}

/** A reading with the texts of the tokens that layers predict, by token id. */
export interface LayersReadingWithTexts extends LayersReading {
  readonly texts: ReadonlyMap<TokenId, string>;
}
