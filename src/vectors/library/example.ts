/** A vector of the library: the texts it is made of, and what is known of it. */
import type { VectorTexts } from "../text-states.ts";

export interface VectorExample {
  readonly name: string;
  readonly texts: VectorTexts;
  /** What it does, in a sentence or two. */
  readonly does: string;
  /** Where it breaks, as it was seen. */
  readonly breaks: string;
}
