/** When what is drawn now is on the screen: the time for what the page can be read without. */

/** A page that is hidden has no frames. */
const withoutFramesMs = 100;

/** Settles once the browser has painted, or soon where it does not. */
export function firstPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, withoutFramesMs);
  });
}
