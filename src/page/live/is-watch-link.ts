const beginning = /^#?w\d+\./;

/** Whether the fragment is a link to a live run, in this or a later format. */
export function isWatchLink(fragment: string): boolean {
  return beginning.test(fragment);
}
