/** Selecting by drags and keys, which are faster than the page draws. */
import { useRef } from "react";
import { choose, isSameSelection, type Selection } from "../../core/trace/model/selection.ts";

/** Answers what chooses a token of `count`, alone or, with `extend`, up to it. */
export function useSelect(
  selection: Selection | null,
  count: number,
  onSelect: (selection: Selection) => void,
): (index: number, extend: boolean) => void {
  const latest = useRef(selection);
  latest.current = selection;
  return (index, extend) => {
    if (count === 0) return;
    const next = choose(latest.current, index, extend);
    latest.current = next;
    if (!isSameSelection(next, selection)) onSelect(next);
  };
}
