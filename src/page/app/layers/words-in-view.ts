/** Finds the words of the text that are in view; these are read first. */

/** Index of the first word in view; 0 if the text is not drawn. */
function firstInView(document: Document): number {
  const box = document.querySelector(".ribbon-scroll")?.getBoundingClientRect();
  const cells = document.querySelectorAll<HTMLElement>("#ribbon [data-index]");
  if (!box) return 0;
  let from = 0;
  let to = cells.length;
  // Words stand one below the other: those before the first in view all end above it.
  while (from < to) {
    const middle = (from + to) >> 1;
    const bottom = cells[middle]?.getBoundingClientRect().bottom ?? 0;
    if (bottom <= box.top) from = middle + 1;
    else to = middle;
  }
  return Number(cells[from]?.dataset.index ?? 0);
}

/** The next unread one of `count` words: first the words from the first in view to the end, then the words before. Null if all are read. */
export function nextUnreadWord(
  count: number,
  isRead: (index: number) => boolean,
  first = firstInView(document),
): number | null {
  for (let step = 0; step < count; step += 1) {
    const index = (first + step) % count;
    if (!isRead(index)) return index;
  }
  return null;
}
