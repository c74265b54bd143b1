/** What takes long to make, made in slices of the page's time. */
import { useLayoutEffect, useState } from "react";
import { runInSlices } from "../../../core/base/in-slices.ts";
import type { Steps } from "../../../core/base/steps.ts";

/**
 * What the steps make, or why they could not; null until then. What another `make` has made is never returned.
 * @param make the same function for as long as the same is to be made; null: nothing yet.
 */
export function useMade<Value>(make: (() => Steps<Value>) | null): Value | Error | null {
  const [made, setMade] = useState<{
    readonly value: Value | Error;
    readonly make: () => Steps<Value>;
  } | null>(null);
  // A layout effect: what fits the first slice is there when the page is drawn.
  useLayoutEffect(() => {
    if (make === null) return;
    const stop = new AbortController();
    const take = (value: Value | Error) => {
      if (!stop.signal.aborted) setMade({ value, make });
    };
    runInSlices(make(), { signal: stop.signal }).then(take, (cause: unknown) =>
      take(cause instanceof Error ? cause : new Error(String(cause))),
    );
    return () => stop.abort();
  }, [make]);
  return made?.make === make ? made.value : null;
}
