/** Whether another site shows this page inside one of its own, where it may lay over or under what the user clicks. */

/** The used part of a window: a window of another origin answers nothing but its parent. */
interface Framed {
  readonly parent: Framed;
  readonly location: { readonly origin: string };
}

/** @returns true where any page around this one is of another origin; a frame without an origin knows none of its own. */
export function isFramedByAnother(window: Framed): boolean {
  const { origin } = window.location;
  for (let inner = window; inner.parent !== inner; inner = inner.parent) {
    try {
      if (origin === "null" || inner.parent.location.origin !== origin) return true;
    } catch {
      return true;
    }
  }
  return false;
}
