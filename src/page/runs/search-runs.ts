/** Searches words in the texts of the runs, some hundred runs at a time. */
import { parseTextsRow } from "./rows.ts";
import type { RunMetadata, RunTexts } from "./run-metadata.ts";
import type { RunsDatabase } from "./schema.ts";
import { createRunMatcher, type Excerpt } from "./search.ts";

/** The result of a search: ids, each with the place of the words in its texts, or "metadata" if only its metadata has them. */
export type FoundRuns = ReadonlyMap<string, Excerpt | "metadata">;

/** Number of runs whose texts a search reads at a time: few enough that the page can respond in between. */
const runsAtATime = 500;

export async function searchRuns(
  database: RunsDatabase,
  query: string,
  among: readonly RunMetadata[],
  signal?: AbortSignal,
): Promise<FoundRuns> {
  const find = createRunMatcher(query);
  const results = new Map<string, Excerpt | "metadata">();
  const runs = among.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const read = (from: number) => {
    const first = runs[from];
    const last = runs[Math.min(from + runsAtATime, runs.length) - 1];
    return first && last ? database.getAll("texts", IDBKeyRange.bound(first.id, last.id)) : [];
  };
  let next = read(0);
  for (let at = 0; at < runs.length; at += runsAtATime) {
    const reading = next;
    // The next texts are requested before the present texts are searched, so that the database reads meanwhile.
    next = read(at + runsAtATime);
    // Texts of other runs are among them.
    const found = (await reading).map(parseTextsRow).filter((texts) => texts !== null);
    const textsOf = new Map(found.map((texts) => [texts.id, texts]));
    signal?.throwIfAborted();
    for (const run of runs.slice(at, at + runsAtATime)) {
      const excerpt = find(run, textsOf.get(run.id) ?? noTexts);
      if (excerpt) results.set(run.id, excerpt);
    }
  }
  return results;
}

const noTexts: RunTexts = { prompt: "", output: "" };
