/** The search of the guide. Pure. */
import type { GuideSection } from "./guide-content.ts";

export interface FoundSection {
  readonly section: GuideSection;
  /** The line that has the most of the words, shortened; null if the title has all of them. */
  readonly line: string | null;
}

/** Characters of a line beside the word that was found. */
const aroundWord = 48;

/** Sections that hold every word of the text: those with all of them in the title first, else in the guide's order. */
export function searchGuide(sections: readonly GuideSection[], text: string): readonly FoundSection[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = sections.filter((section) => words.every((word) => section.words.includes(word)));
  const inTitle = ({ title }: GuideSection) => words.every((word) => title.toLowerCase().includes(word));
  return [...found.filter(inTitle), ...found.filter((section) => !inTitle(section))].map((section) => ({
    section,
    line: inTitle(section) ? null : lineWith(section, words),
  }));
}

function lineWith({ words: text }: GuideSection, words: readonly string[]): string {
  const lines = text.split("\n");
  const count = (line: string) => words.filter((word) => line.includes(word)).length;
  const best = lines.reduce((most, line) => (count(line) > count(most) ? line : most), "");
  const first = Math.min(...words.map((word) => best.indexOf(word)).filter((at) => at >= 0));
  const from = Math.max(0, first - aroundWord);
  const to = Math.min(best.length, first + aroundWord * 2);
  return `${from > 0 ? "… " : ""}${best.slice(from, to).trim()}${to < best.length ? " …" : ""}`;
}
