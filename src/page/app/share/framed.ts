/** Whether a page of another site embeds this page: such a page could cover what the user believes to click. */

/** The used part of a window: a window of another origin reveals only its parent. */
interface Framed {
  readonly parent: Framed;
  readonly location: { readonly origin: string };
}

/**
 * @returns true if any surrounding page has another origin. In a frame without an origin, every surrounding page counts as
 * another origin.
 */
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
