/** When records that came are shown: in a frame, and not in every one, since tokens may come faster than anyone reads. */

/** Calls `deliver` once, soon. */
export type NextFrame = (deliver: () => void) => void;

/** Four frames of a usual screen: each time the text is laid out and painted, which costs more than all that is computed. */
export const shownEveryMs = 64;
/** A page that is hidden, or is being hidden, has no frames. */
export const withoutFramesMs = 100;

/** @param now Milliseconds, of any clock that only goes forward. */
export function createNextFrame(now: () => number = () => performance.now()): NextFrame {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (deliver) => {
    let isWaiting = true;
    const once = () => {
      if (!isWaiting) return;
      isWaiting = false;
      clearTimeout(atTheLatest);
      lastMs = now();
      deliver();
    };
    const waitMs = Math.max(0, lastMs + shownEveryMs - now());
    const atTheLatest = setTimeout(once, waitMs + withoutFramesMs);
    if (document.hidden) return;
    if (waitMs === 0) requestAnimationFrame(once);
    else setTimeout(() => requestAnimationFrame(once), waitMs);
  };
}
