/** A vector of the library: the texts from which it was made, and its known effects. */
import type { VectorWithMetadata } from "../known-vector.ts";
import type { VectorTexts } from "../text-states.ts";

/** The texts of an example, written by hand. `npx tsx scripts/vectors make` adds the vector and its measured effect. */
export interface HandwrittenExample {
  readonly name: string;
  readonly texts: VectorTexts;
  /** The layer, if trials showed a better one than the layer that tells the texts apart best. */
  readonly layer?: number;
  /** The effect of the vector. */
  readonly does: string;
  /** The effects of scales that are too large. */
  readonly breaks: string;
}

/** The effect that was counted in answers to neutral questions. */
export interface MeasuredEffect {
  /** For example "cheerful words, %". */
  readonly counted: string;
  readonly scales: readonly { readonly scale: number; readonly value: number }[];
}

export interface VectorExample extends Pick<HandwrittenExample, "does" | "breaks"> {
  readonly vector: VectorWithMetadata;
  readonly effect: MeasuredEffect;
}
