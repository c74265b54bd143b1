/** Two ends of a connection within one program. */
import type { Connection, ConnectionCallbacks } from "../connection.ts";

let count = 0;

/** Frames arrive in a later microtask. While it is held, frames from the first end wait. */
export function connectionPair(): {
  readonly one: Connection;
  readonly other: Connection;
  hold(): void;
  release(): void;
} {
  const ends: [ConnectionCallbacks | null, ConnectionCallbacks | null] = [null, null];
  count += 1;
  const binding = `pair ${count}`;
  let isClosed = false;
  let held: Uint8Array[] | null = null;
  const deliver = (far: 0 | 1, frame: Uint8Array) => {
    if (far === 1 && held) held.push(frame);
    else ends[far]?.frame(frame);
  };
  const close = (far: 0 | 1) => {
    if (isClosed) return;
    isClosed = true;
    queueMicrotask(() => ends[far]?.closed());
  };
  const side = (own: 0 | 1): Connection => {
    const far = own === 0 ? 1 : 0;
    return {
      binding,
      listen(end) {
        ends[own] = end;
      },
      send(frame) {
        if (!isClosed) queueMicrotask(() => deliver(far, frame));
      },
      close: () => close(far),
      cut: () => close(far),
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
      for (const frame of waiting) ends[1]?.frame(frame);
    },
  };
}
