/** A value that follows another value with a minimum interval, for content that is expensive to draw. The last value is never lost. */
import { useEffect, useRef, useState } from "react";

/**
 * Extra milliseconds before a value is drawn by a timer. While the value keeps changing, the next change comes earlier and is
 * drawn anyway; a timer would make the page lay out and paint once more.
 */
const alone = 100;

/** While a run is in progress, the text grows with each token; counts and charts are updated at this interval, in milliseconds. */
export const liveUpdateMs = 250;

/** @param ms milliseconds between two updates; 0 follows each change at once. */
export function useThrottledValue<Value>(value: Value, ms: number): Value {
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
