/** Finds words in what is kept of runs: in any case, wherever they stand, also in the middle of other words. Pure. */
import type { RunMetadata, RunTexts } from "./run-metadata.ts";

/** The beginning of what was found first in a run's texts, and what stands around it. */
export interface Excerpt {
  readonly field: keyof RunTexts;
  readonly before: string;
  readonly found: string;
  readonly after: string;
}

/** UTF-16 units before and after what was found. */
const around = { before: 24, after: 120 };
const longestFound = 120;

/** The words of a query; what stands between double quotes is one, spaces and all. */
export function wordsOf(query: string): readonly string[] {
  const found = query.matchAll(/"([^"]*)"?|[^\s"]+/g);
  return [...found].map(([whole, quoted]) => quoted ?? whole).filter((word) => word.trim() !== "");
}

/**
 * Looks for the words in a run: null if one of them is nowhere in it; otherwise the place in its texts, or "facts" if
 * its title, tags, mods, model and maker have all of them.
 */
export type Finder = (facts: RunMetadata, texts: RunTexts) => Excerpt | "facts" | null;

/** An empty query finds every run. */
export function createFinder(query: string): Finder {
  const patterns = wordsOf(query).map(
    (word) => new RegExp(word.replace(/[\\^$.*+?()[\]{}|/-]/g, escaped), "iu"),
  );
  return ({ title, tags, mods, model, maker = "" }, texts) => {
    let excerpt: Excerpt | null = null;
    for (const pattern of patterns) {
      const place = placeIn(texts, pattern);
      if (place) excerpt ??= excerptOf(place.field, texts[place.field], place.match);
      else if (![title ?? "", model, maker, ...tags, ...mods].some((text) => pattern.test(text))) return null;
    }
    return excerpt ?? "facts";
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
