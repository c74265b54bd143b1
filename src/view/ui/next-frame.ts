/** Decides when new records are shown: in a frame, but not in every frame, because tokens may come faster than anyone reads. */

/** Calls `deliver` once, at the next update. */
export type ScheduleUpdate = (deliver: () => void) => void;

/**
 * Milliseconds between two updates: four frames of a usual screen. Each update lays out and paints the text, which costs more
 * than all computation.
 */
export const updateIntervalMs = 64;
/** Milliseconds to wait on a page that is hidden or being hidden, which has no frames. */
export const hiddenPageDelayMs = 100;

/** @param now Milliseconds, of any clock that only goes forward. */
export function createUpdateScheduler(now: () => number = () => performance.now()): ScheduleUpdate {
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
    const waitMs = Math.max(0, lastMs + updateIntervalMs - now());
    const atTheLatest = setTimeout(once, waitMs + hiddenPageDelayMs);
    if (document.hidden) return;
    if (waitMs === 0) requestAnimationFrame(once);
    else setTimeout(() => requestAnimationFrame(once), waitMs);
  };
}
