/** Questions about a model's layers outside requests, and the progress of opening them; for `src/package/api`. */
import type { LayersReading, PlaceReading } from "../../../core/decoder/activations/layers-query.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import type { LayersOpening } from "../shared/loading.ts";

export type * from "../../../core/decoder/activations/layers-query.ts";
export type { LayersOpening } from "../shared/loading.ts";

export interface ReadLayersOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with each place once it is read, in their order. */
  onPlace?(place: PlaceReading): void;
  /** The model's layers are opened for the reading; null: they are open, or will not be. Not called where they are already. */
  onOpening?(opening: LayersOpening | null): void;
}

/** With the texts of the tokens that layers would say, by their ids. */
export interface NamedReading extends LayersReading {
  readonly texts: ReadonlyMap<TokenId, string>;
}
