/** A value that follows another one with pauses, for what costs more to draw than it changes: the last one always comes through. */
import { useEffect, useRef, useState } from "react";

/** @param ms between two changes; 0 for none, so that each is followed at once. */
export function useAtMostEvery<Value>(value: Value, ms: number): Value {
  const [followed, setFollowed] = useState(value);
  const lastMs = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (value === followed) return;
    const follow = () => {
      lastMs.current = performance.now();
      setFollowed(value);
    };
    const timer = setTimeout(follow, Math.max(0, lastMs.current + ms - performance.now()));
    return () => clearTimeout(timer);
  }, [value, followed, ms]);
  return ms === 0 ? value : followed;
}
