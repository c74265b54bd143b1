/**
 * Keyboard shortcuts while the focus is in a timeline, in addition to those of its parts: the same letters as on Midtoken's
 * page.
 */

import { isRange, type Selection, selectToken } from "../../core/trace/model/selection.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { changedTokenMarks, nextMarkedToken } from "../../view/timeline/ribbon/ribbon-cells.ts";
import type { TimelineOptions } from "./timeline-options.ts";

export type KeyPress = Pick<
  KeyboardEvent,
  | "key"
  | "ctrlKey"
  | "metaKey"
  | "altKey"
  | "defaultPrevented"
  | "preventDefault"
  | "stopPropagation"
  | "target"
>;

interface Shown extends Pick<TimelineOptions, "fold"> {
  readonly trace: TraceModel;
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection) => void;
  readonly onChange: (changes: Partial<TimelineOptions>) => void;
}

/** Handles a key. Returns false if the key has no function here, so that the surrounding page can use it. */
function act(key: string, { trace, selection, fold, onSelect, onChange }: Shown): boolean {
  switch (key) {
    case "n":
    case "p": {
      const from = selection?.cursor ?? (key === "n" ? -1 : 0);
      const found = nextMarkedToken(trace, from, key === "n" ? 1 : -1, (mark) => changedTokenMarks.has(mark));
      if (found !== null) onSelect(selectToken(found));
      return found !== null;
    }
    case "f":
      onChange({ fold: !fold });
      return true;
    case "Escape":
      if (!isRange(selection)) return false;
      onSelect(selectToken(selection.cursor));
      return true;
    default:
      return false;
  }
}

export function actOnTimelineKey(event: KeyPress, shown: Shown): void {
  const isCombined = event.ctrlKey || event.metaKey || event.altKey;
  if (event.defaultPrevented || isCombined || isTyping(event.target)) return;
  if (!act(event.key, shown)) return;
  event.preventDefault();
  // The surrounding page may use the same key for something else.
  event.stopPropagation();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target !== null &&
    "matches" in target &&
    (target as Element).matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select")
  );
}
