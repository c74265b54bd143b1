/**
 * Finds phrases that left the texts of users, and the tests and documents that still contain one of them.
 *
 * The text "The file {…} is empty." becomes "{…} has no bytes.": the phrases "the file", "is empty" are stale, and the test
 *
 *     expect(() => read("a.txt")).toThrow("The file a.txt is empty.");
 *
 * is found, with the phrase "the file".
 */

/** A place that still has a stale phrase. */
export interface StalePlace {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** The longest stale phrase in the line, in lower case. */
  readonly phrase: string;
}

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** Shortest phrase, in words. Two short words ("is no") do not count, because too many sentences contain them. */
const shortest = 2;
const longest = 4;
const isLong = (word: string) => word.length >= 5;

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}%]+(?:['’][\p{L}]+)*/gu) ?? [];

/** Sequences of two to four consecutive words. */
function sequences(list: readonly string[]): string[] {
  return list.flatMap((_, start) => {
    const found: string[] = [];
    for (let length = shortest; length <= longest && start + length <= list.length; length++)
      found.push(list.slice(start, start + length).join(" "));
    return found;
  });
}

/** An expression in a text (`{…}`) ends a phrase: tests have a value at this place. */
const phrasesOf = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => text.split("{…}").flatMap((part) => sequences(words(part)))));

/** Phrases of the texts `before` that no text of `after` has. */
export function stalePhrases(before: readonly string[], after: readonly string[]): Set<string> {
  const present = phrasesOf(after);
  const stale = [...phrasesOf(before)].filter((phrase) => !present.has(phrase));
  return new Set(
    stale.filter((phrase) => {
      const parts = phrase.split(" ");
      return parts.length === longest || parts.some(isLong);
    }),
  );
}

/** Removes escapes of strings and of regular expressions: `\n`, `\s+`, `\.`. */
const withoutEscapes = (text: string) => text.replace(/\\[a-z]\+?/g, " ").replace(/\\/g, "");

/** Comments and test names have their own words, which need not match the texts of users. */
const isOwnWords = (line: string) => /^\s*(\/\/|\/?\*|(test|describe|it)(\.\w+)*\()/.test(line);

const literal = /(["'`/])((?:\\.|(?!\1).)+)\1/g;

/** Joins phrases that overlap or touch, so that each run of stale words is reported once. */
function longestRun(list: readonly string[], stale: ReadonlySet<string>): string | undefined {
  let best: readonly string[] = [];
  for (let start = 0; start < list.length; start++) {
    let end = start;
    for (let from = start; from <= end && from < list.length; from++)
      for (let length = shortest; length <= longest && from + length <= list.length; length++)
        if (stale.has(list.slice(from, from + length).join(" "))) end = Math.max(end, from + length);
    if (end - start > best.length) best = list.slice(start, end);
  }
  return best.length === 0 ? undefined : best.join(" ");
}

/** Two stale words are common in a long sentence; as the whole of a text (`toThrow("is empty")`) they are an expectation. */
function stalePart(text: string, stale: ReadonlySet<string>): string | undefined {
  const list = words(withoutEscapes(text));
  const run = longestRun(list, stale);
  const length = run?.split(" ").length ?? 0;
  return length > shortest || length === list.length ? run : undefined;
}

function staleInProgram(line: string, stale: ReadonlySet<string>): string | undefined {
  if (isOwnWords(line)) return undefined;
  const texts = [...line.matchAll(literal)].map(([, , text = ""]) => text);
  for (const text of texts.length === 0 ? [line] : texts) {
    const part = stalePart(text, stale);
    if (part !== undefined) return part;
  }
  return undefined;
}

/** Lines of `files` with a stale phrase. A phrase that a line break cuts is found if three of its words are in one line. */
export function stalePlaces(stale: ReadonlySet<string>, files: readonly TextFile[]): StalePlace[] {
  if (stale.size === 0) return [];
  return files.flatMap(({ path, text }) => {
    const find = path.endsWith(".md") ? stalePart : staleInProgram;
    return text.split("\n").flatMap((line, index) => {
      const phrase = find(line, stale);
      return phrase === undefined ? [] : [{ path, line: index + 1, phrase }];
    });
  });
}
