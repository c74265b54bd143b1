/** What was thrown, as a sentence: an Error's message, and everything else as its text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
