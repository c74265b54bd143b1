/** Draws a change before the browser paints. */
import { flushSync } from "react-dom";

/** Makes a change and draws it at once. Without this, React would draw newly scrolled content one frame too late. */
export function renderInThisFrame(change: () => void): void {
  flushSync(change);
}
