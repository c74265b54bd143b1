/** A value that follows another one with pauses, for what costs more to draw than it changes: the last one always comes through. */
import { useEffect, useRef, useState } from "react";

/**
 * Milliseconds after which a value is drawn by itself. While a value keeps changing, the next change comes earlier
 * and is drawn anyway: a drawing of its own would lay out and paint the page once more.
 */
const alone = 100;

/** While a run goes on, the text grows as tokens come; what is counted and drawn of it follows so often, in milliseconds. */
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
  // Together with what is drawn anyway, where it is time.
  if (isNews && performance.now() >= lastMs.current + ms) follow();
  useEffect(() => {
    if (!isNews) return;
    const timer = setTimeout(follow, Math.max(0, lastMs.current + ms + alone - performance.now()));
    return () => clearTimeout(timer);
  });
  return ms === 0 ? value : followed;
}
