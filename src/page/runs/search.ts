/** Finds words in the texts of saved runs, in upper or lower case, also inside other words. Pure. */
import type { RunMetadata, RunTexts } from "./run-metadata.ts";

/** The first match in a run's texts, and the text around it. */
export interface Excerpt {
  readonly field: keyof RunTexts;
  readonly before: string;
  readonly found: string;
  readonly after: string;
}

/** UTF-16 units before and after what was found. */
const around = { before: 24, after: 120 };
const longestFound = 120;

/** The words of a query. A text between double quotes counts as one word, with its spaces. */
export function queryWords(query: string): readonly string[] {
  const found = query.matchAll(/"([^"]*)"?|[^\s"]+/g);
  return [...found].map(([whole, quoted]) => quoted ?? whole).filter((word) => word.trim() !== "");
}

/**
 * Searches the words in a run. Null if the run lacks one of the words; otherwise the place in its texts, or "metadata" if title,
 * tags, mods, model and maker together have all words.
 */
export type RunMatcher = (metadata: RunMetadata, texts: RunTexts) => Excerpt | "metadata" | null;

/** An empty query finds every run. */
export function createRunMatcher(query: string): RunMatcher {
  const patterns = queryWords(query).map(
    (word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/-]/g, escaped), "iu"),
  );
  return ({ title, tags, mods, model, maker = "" }, texts) => {
    let excerpt: Excerpt | null = null;
    for (const pattern of patterns) {
      const place = placeIn(texts, pattern);
      if (place) excerpt ??= excerptOf(place.field, texts[place.field], place.match);
      else if (![title ?? "", model, maker, ...tags, ...mods].some((text) => pattern.test(text))) return null;
    }
    return excerpt ?? "metadata";
  };
}

const escaped = (character: string) => (character === "-" ? "\\x2d" : `\\${character}`);

interface Place {
  readonly field: keyof RunTexts;
  readonly match: RegExpExecArray;
}

function placeIn(texts: RunTexts, pattern: RegExp): Place | null {
  for (const field of ["prompt", "output"] as const) {
    const match = pattern.exec(texts[field]);
    if (match) return { field, match };
  }
  return null;
}

function excerptOf(field: keyof RunTexts, text: string, { index, 0: whole }: RegExpExecArray): Excerpt {
  const start = Math.max(0, index - around.before);
  const end = index + whole.length;
  return {
    field,
    before: `${start > 0 ? "…" : ""}${text.slice(start, index)}`,
    found: whole.slice(0, longestFound),
    after: text.slice(end, end + around.after),
  };
}
