/** Lines that a page of a bench sends to the bench's process, which writes them to its error stream. */

/** Marks such a line among the other messages of the page's console. */
export const stepMark = "step: ";

export function logStep(line: string): void {
  console.info(stepMark + line);
}
