/** Px between the chosen word and the top edge, so that its line is whole. */
const aboveWord = 48;

/**
 * On a narrow page the panels lie below the text. Scrolls `read` down until the panels are in sight, but only as far as
 * the chosen word stays in sight. On a wide page `read` does not scroll, and this does nothing.
 */
export function showPanelsBelow(read: HTMLElement): void {
  const word = read.querySelector(".cell-cursor")?.getBoundingClientRect();
  const panels = read.querySelector(".read-panels")?.getBoundingClientRect();
  if (!word || !panels) return;
  const { top, bottom } = read.getBoundingClientRect();
  const distance = Math.min(panels.bottom - bottom, word.top - top - aboveWord);
  if (distance > 0) read.scrollTop += distance;
}
