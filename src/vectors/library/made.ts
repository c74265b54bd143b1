/** Written by `npx tsx scripts/vectors make`. */
import type { KnownVector } from "../known-vector.ts";
import type { MeasuredEffect } from "./example.ts";

export interface MadeVector {
  readonly vector: Omit<KnownVector, "texts">;
  readonly effect: MeasuredEffect;
}

export const madeVectors: Readonly<Record<string, MadeVector>> = {};
