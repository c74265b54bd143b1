/** Which code points the flag `i` makes equal. */
import { getOrCreate } from "../automaton/get-or-create.ts";
import { type CodePoints, codePoints, propertyCodePoints, rangesOf } from "./code-points.ts";

/** For each code point, the code points that may equal it when case is ignored; `variantsOf` checks them. */
let caseVariants: ReadonlyMap<number, readonly number[]> | null = null;
const variants = new Map<string, readonly number[]>();

/**
 * Adds to the set every code point that equals one of its code points when case is ignored. ECMA-262 (Canonicalize) compares
 * by simple case folding with the flag `u`, and by upper case without it. `variantsOf` asks the JavaScript engine's own
 * RegExp which code points are equal.
 */
export function closeUnderCase(set: CodePoints, unicode: boolean): CodePoints {
  caseVariants ??= findCaseVariants();
  const added: [number, number][] = [];
  const ranges = rangesOf(set);
  for (const codePoint of caseVariants.keys()) {
    if (!ranges.some(([first, last]) => first <= codePoint && codePoint <= last)) continue;
    for (const variant of variantsOf(codePoint, unicode)) added.push([variant, variant]);
  }
  return added.length === 0 ? set : codePoints(...ranges, ...added);
}

function variantsOf(codePoint: number, unicode: boolean): readonly number[] {
  return getOrCreate(variants, `${unicode}${codePoint}`, () => findVariants(codePoint, unicode));
}

function findVariants(codePoint: number, unicode: boolean): readonly number[] {
  const hex = codePoint.toString(16);
  const source = codePoint > 0xffff || unicode ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
  const equal = new RegExp(`^${source}$`, unicode || codePoint > 0xffff ? "iu" : "i");
  return (caseVariants?.get(codePoint) ?? []).filter((other) => equal.test(String.fromCodePoint(other)));
}

/**
 * For each code point with case, the code points that share an upper-case or lower-case text with it, directly or through
 * other code points. For example, "k", "K" and the Kelvin sign are relatives, since each has the lower case "k".
 */
function findCaseVariants(): ReadonlyMap<number, readonly number[]> {
  const byText = new Map<string, number[]>();
  const cased = rangesOf(propertyCodePoints("Changes_When_Casemapped") ?? []).flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
  for (const codePoint of cased) {
    for (const text of textsOf(codePoint)) {
      getOrCreate(byText, text, (): number[] => []).push(codePoint);
    }
  }
  const near = (codePoint: number) => textsOf(codePoint).flatMap((text) => byText.get(text) ?? []);
  return new Map(
    cased.map((codePoint) => [codePoint, [...new Set(near(codePoint).flatMap(near).flatMap(near))]]),
  );
}

function textsOf(codePoint: number): string[] {
  const text = String.fromCodePoint(codePoint);
  return [...new Set([text, text.toLowerCase(), text.toUpperCase()])];
}
