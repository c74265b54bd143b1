/** How deep lists and objects stand in each other in a JSON text. Counts brackets in texts as well: never too few. */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
