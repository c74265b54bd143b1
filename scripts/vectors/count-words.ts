/** What is counted in answers. */

/** Lower-case words, with their apostrophes. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu) ?? [];
}

/** Of the words of all answers, the percentage that stands in a list. 0 where there are no words. */
export function shareOfWords(answers: readonly string[], list: readonly string[]): number {
  const wanted = new Set(list);
  const words = answers.flatMap(wordsOf);
  return words.length === 0 ? 0 : (100 * words.filter((word) => wanted.has(word)).length) / words.length;
}
