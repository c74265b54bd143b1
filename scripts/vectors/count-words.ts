/** Counts words in answers. */

/** The words of a text in lower case, including apostrophes. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu) ?? [];
}

/** The percentage of the words of all answers that are in a list; 0 if there are no words. */
export function percentageOfWords(answers: readonly string[], list: readonly string[]): number {
  const wanted = new Set(list);
  const words = answers.flatMap(wordsOf);
  return words.length === 0 ? 0 : (100 * words.filter((word) => wanted.has(word)).length) / words.length;
}
