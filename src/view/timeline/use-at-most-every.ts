/** A value that follows another one with pauses, for what costs more to draw than it changes: the last one always comes through. */
import { useEffect, useRef, useState } from "react";

/**
 * Milliseconds after which a value is drawn by itself. While a value keeps changing, the next change comes earlier
 * and is drawn anyway: a drawing of its own would lay out and paint the page once more.
 */
const alone = 100;

/** While a run is in progress, the text grows with each token; counts and charts are updated at this interval, in milliseconds. */
export const followedEveryMs = 250;

/** @param ms between two changes; 0 for none, so that each is followed at once. */
export function useAtMostEvery<Value>(value: Value, ms: number): Value {
  const [followed, setFollowed] = useState(value);
  const lastMs = useRef(Number.NEGATIVE_INFINITY);
  const follow = () => {
    lastMs.current = performance.now();
    setFollowed(value);
  };
  const isNews = value !== followed;
  // Updates together with a render that happens anyway, if the interval has passed.
  if (isNews && performance.now() >= lastMs.current + ms) follow();
  useEffect(() => {
    if (!isNews) return;
    const timer = setTimeout(follow, Math.max(0, lastMs.current + ms + alone - performance.now()));
    return () => clearTimeout(timer);
  });
  return ms === 0 ? value : followed;
}
