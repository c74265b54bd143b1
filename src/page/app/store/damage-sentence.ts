import { countWithNoun } from "../../../core/base/number-text.ts";
import type { DamagedEntry } from "./damage-store.ts";

/** Names the entries in one or two sentences. */
export function damageSentence(entries: readonly DamagedEntry[]): string {
  const [first, ...others] = entries;
  if (!first) return "";
  if (others.length === 0)
    return `${first.why} The entry is set aside, unchanged: save it as a file, or delete it.`;
  const counts = new Map<string, number>();
  for (const { label } of entries) counts.set(label, (counts.get(label) ?? 0) + 1);
  const parts = [...counts].map(([label, count]) =>
    count === 1 ? lowerFirst(label) : countWithNoun(count, lowerFirst(label)),
  );
  return `${entries.length} entries saved in this browser cannot be used: ${parts.join(", ")}. The entries are set aside, unchanged: save them as files, or delete them.`;
}

const lowerFirst = (label: string): string => label.charAt(0).toLowerCase() + label.slice(1);
