/** For what has to be drawn before the browser paints. */
import { flushSync } from "react-dom";

/** Makes a change that is drawn at once: of what was scrolled to, React alone would draw the rest a frame later. */
export function inThisFrame(change: () => void): void {
  flushSync(change);
}
