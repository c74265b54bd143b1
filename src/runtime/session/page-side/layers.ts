/** Questions about a model's layers outside requests, and the progress of opening them; for `src/package/api`. */
export type * from "../../../core/decoder/activations/layers-query.ts";
export type { LayersOpening } from "../shared/load-options.ts";
export type { NamedReading, ReadLayersOptions } from "./link-readings.ts";
