/** Makes a large value in slices of the page's time. */
import { useLayoutEffect, useState } from "react";
import { runInSlices } from "../../../core/base/in-slices.ts";
import type { ResumableWork } from "../../../core/base/resumable-work.ts";

/**
 * The value that the steps make, or the error; null until then. Never returns the value of another `make`.
 * @param make must be the same function while the same value is wanted; null: nothing yet.
 */
export function useStepsResult<Value>(make: (() => ResumableWork<Value>) | null): Value | Error | null {
  const [made, setMade] = useState<{
    readonly value: Value | Error;
    readonly make: () => ResumableWork<Value>;
  } | null>(null);
  // A layout effect, so that a value that is made within the first slice is in the first drawing of the page.
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
