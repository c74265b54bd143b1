/** A value once it has stayed the same for a while: for what would take too long while it changes with every frame. */
import { useEffect, useState } from "react";

/** The first value at once. */
export function useSettled(value: number, ms: number): number {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
