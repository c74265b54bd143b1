/** Two ends of a line within one program. */
import type { Line, LineEnd } from "../line.ts";

/** Frames arrive in a later turn, as over any line. `isReady`: whether the first end takes more; see `wake`. */
export function linePair(): { readonly one: Line; readonly other: Line; hold(): void; release(): void } {
  const ends: [LineEnd | null, LineEnd | null] = [null, null];
  let isClosed = false;
  let held: (() => void)[] | null = null;
  const side = (own: 0 | 1): Line => {
    const far = own === 0 ? 1 : 0;
    return {
      listen(end) {
        ends[own] = end;
      },
      send(frame) {
        if (!isClosed) queueMicrotask(() => ends[far]?.frame(frame));
      },
      ready: () => (held === null ? Promise.resolve() : new Promise((resolve) => held?.push(resolve))),
      close() {
        if (isClosed) return;
        isClosed = true;
        queueMicrotask(() => ends[far]?.closed());
      },
    };
  };
  return {
    one: side(0),
    other: side(1),
    hold() {
      held ??= [];
    },
    release() {
      const waiting = held ?? [];
      held = null;
      for (const each of waiting) each();
    },
  };
}
