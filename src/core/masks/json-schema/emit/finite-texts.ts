/** The texts of a language that has few of them. */
import { hasByte } from "../../automaton/byte-set.ts";
import type { Derivatives } from "../../automaton/derivative.ts";
import type { Expression } from "../../automaton/expression.ts";

/** Most places that are searched for a list of texts. */
const MOST_PLACES = 4096;

/** All texts of the language; null if they are more than `most`, or if their search meets more than `MOST_PLACES` beginnings. */
export function listTexts(
  derivatives: Derivatives,
  expression: Expression,
  most: number,
): readonly string[] | null {
  interface Place {
    readonly at: Expression;
    readonly bytes: readonly number[];
  }
  const texts = new Set<string>();
  const places: Place[] = [{ at: expression, bytes: [] }];
  for (const { at, bytes } of places) {
    if (derivatives.isNullable(at)) texts.add(new TextDecoder().decode(Uint8Array.from(bytes)));
    if (texts.size > most) return null;
    for (const { set, next } of derivatives.steps(at)) {
      if (derivatives.isEmpty(next)) continue;
      for (let byte = 0; byte < 256; byte++) {
        if (hasByte(set, byte)) places.push({ at: next, bytes: [...bytes, byte] });
      }
      if (places.length > MOST_PLACES) return null;
    }
  }
  return [...texts];
}
