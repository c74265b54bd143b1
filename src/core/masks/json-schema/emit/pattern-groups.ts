/** Groups patterns that can match the same text. Most patterns of a schema do not overlap and form groups of one. */

import { anyString } from "../scalars/scalars.ts";
import { stringTerminal } from "../scalars/string-terminal.ts";
import type { Emission } from "./emission.ts";

/** Numbers of the patterns, in groups: patterns of two groups never match the same text. In order of their first members. */
export function overlapGroups(
  emission: Emission,
  patterns: readonly string[],
): readonly (readonly number[])[] {
  let groups: readonly (readonly number[])[] = [];
  for (const [index, pattern] of patterns.entries()) {
    const overlaps = (group: readonly number[]) =>
      group.some((other) => mayOverlap(emission, patterns[other] ?? "", pattern));
    const separate = groups.filter((group) => !overlaps(group));
    groups = [...separate, [...groups.filter(overlaps).flat(), index]];
  }
  return groups.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

function mayOverlap(emission: Emission, a: string, b: string): boolean {
  const startOfA = startOf(a);
  const startOfB = startOf(b);
  if (!startOfA.startsWith(startOfB) && !startOfB.startsWith(startOfA)) return false;
  return stringTerminal(emission.expressions, [{ ...anyString, patterns: [a, b] }]).kind !== "nothing";
}

/** The literal beginning of all texts that match the pattern; "" if the pattern does not show it directly. */
function startOf(pattern: string): string {
  if (pattern.includes("|")) return "";
  return /^\^([\w-]*)(?![*+?{])/.exec(pattern)?.[1] ?? "";
}
