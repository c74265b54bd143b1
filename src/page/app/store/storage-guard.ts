/** Reads stored texts that may be damaged, or larger than the editor takes. */
import { settingsProblem } from "./editor-limits.ts";
import type { UnusableTextHandling } from "./persist.ts";
import { parseStoredText, RefusedValueError } from "./read-stored-text.ts";
import { setTextAside } from "./set-aside.ts";

export const unusableTextHandling: UnusableTextHandling = {
  read: parseStoredText,
  setAside: setTextAside,
  noRoom: (why) =>
    `${why} The storage has no room to set the entry aside. The entry stays, and nothing new is saved in its place: delete mods or vectors that you do not need, and reload the page.`,
  settingsProblem,
  checkSettings(settings) {
    const problem = settingsProblem(settings, "The settings that this browser saved have");
    if (problem !== null) throw new RefusedValueError(problem);
  },
};
