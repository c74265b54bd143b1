/** Waits until the current content is on the screen, so that code which reading does not need is loaded afterwards. */

/** The most milliseconds to wait: a hidden page has no frames. */
const withoutFramesMs = 100;

/** Settles once the browser has painted, or after 100 ms if the browser has not painted by then. */
export function waitForFirstPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, withoutFramesMs);
  });
}
