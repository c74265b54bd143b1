/** Waits until the current content is on the screen, so that code which reading does not need is loaded afterwards. */

/** Milliseconds to wait on a hidden page, which has no frames. */
const withoutFramesMs = 100;

/** Settles once the browser has painted, or soon if the browser does not paint. */
export function waitForFirstPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, withoutFramesMs);
  });
}
