/** The answer as it stood at one place of a run. */
import type { TraceModel } from "./trace-model.ts";

/**
 * The tokens that were in the output when this one was about to come, or that are in it now. Hidden ones are left out: they
 * are no part of the answer. Null where a link left out which tokens they were.
 */
export function outputBefore(
  { records, tokens }: Pick<TraceModel, "records" | "tokens">,
  index: number | null,
): readonly number[] | null {
  const output: { readonly index: number; readonly token: number }[] = [];
  const end = index === null ? records.length : (tokens.addedRecord[index] ?? -1) + 1;
  for (const record of records.slice(0, end)) {
    if (record.type === "backtracked") {
      const removed = new Set(record.removed);
      while (removed.has(output.at(-1)?.index ?? -1)) output.pop();
    }
    if (record.type !== "added" || record.hidden) continue;
    for (const [place, { token }] of record.tokens.entries()) {
      if (index === null || record.index + place < index) output.push({ index: record.index + place, token });
    }
  }
  const ids = output.map(({ token }) => token);
  return ids.some((token) => token < 0) ? null : ids;
}
