/** A vector of the library: the texts it is made of, and what is known of it. */
import type { KnownVector } from "../known-vector.ts";
import type { VectorTexts } from "../text-states.ts";

/** The texts of an example, written by hand. `npx tsx scripts/vectors make` adds the vector and its measured effect. */
export interface ExampleTexts {
  readonly name: string;
  readonly texts: VectorTexts;
  /** Where its layer was tried, and is another one than is chosen by how well texts are told apart. */
  readonly layer?: number;
  /** The effect of the vector. */
  readonly does: string;
  /** Where it breaks, as it was seen. */
  readonly breaks: string;
}

/** The effect that was counted in answers to neutral questions. */
export interface MeasuredEffect {
  /** For example "cheerful words, %". */
  readonly counted: string;
  readonly scales: readonly { readonly scale: number; readonly value: number }[];
}

export interface VectorExample extends Pick<ExampleTexts, "does" | "breaks"> {
  readonly vector: KnownVector;
  readonly effect: MeasuredEffect;
}
